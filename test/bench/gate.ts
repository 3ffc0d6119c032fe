import type { LanguageCode } from '#server/languages.ts';
import type { Glossary } from '#server/matching/terms/glossary.ts';
import { checkTerms, compileTerms } from '#server/matching/terms/index.ts';
import type { Engine } from '#server/platform/engines/engine.ts';
import { noLeverage } from '#server/translation/leverage/leverage.ts';
import { runPipeline } from '#server/translation/pipeline/text-run.ts';
import { type askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { liveEngine } from '#test/translations/live.ts';
import type { Bench, Run } from './bench.ts';
import { corpusOf } from './gate/corpus.ts';
import { type Erroneous, kinds, makeErrors } from './gate/errors.ts';
import { type Judge, judges, verdictOf } from './gate/judge.ts';
import { type Pair, readPairs } from './gate/pairs.ts';
import { requirePremise } from './load.ts';

const languages = (process.env['BENCH_LANGUAGES'] ?? 'de,fr,es,ja,ar').split(',');
/** Maximum numbers of a language: clean pairs, and errors of each kind. */
const most = {
  clean: Number(process.env['BENCH_CLEAN'] ?? 300),
  errors: Number(process.env['BENCH_ERRORS'] ?? 60),
};
/** The smallest set whose shares are reported without a warning. */
const fewest = 50;
/** Texts in progress at the same time. */
const concurrency = 8;

/** A translation that the gate decides on. `kind` is `clean`, or the kind of its only error. */
interface Case {
  id: string;
  lang: string;
  kind: Erroneous['kind'] | 'clean';
  source: string;
  target: string;
  term?: Erroneous['term'];
  /** Whether the gate holds the translation, by judge. */
  held: Record<string, boolean>;
}

export const gate: Bench = {
  title: 'What the quality gate is worth: errors in translations by people, and a simulated judge',
  parts: { errors: decideOnErrors },
};

/**
 * Measures what the quality gate is worth: how many errors the computed checks, a simulated judge model, and both send to
 * review, and how many translations without an error are published. The errors are made from translations by people,
 * one in each. Each text passes the pipeline of a text job with the default policy; the judge responds over HTTP. Repairs
 * change nothing.
 */
async function decideOnErrors(run: Run): Promise<void> {
  const cases: Case[] = [];
  for (const lang of languages) {
    const pairs = await readPairs(lang);
    const corpus = corpusOf(lang, pairs);
    const clean = pairs.slice(0, most.clean);
    const errors = makeErrors(corpus, most.errors, 11);
    run.note(
      `${lang}: ${pairs.length} pairs, ${corpus.terms.size} terms; ${clean.length} clean, ${errors.length} errors: ${kinds.map((kind) => `${kind} ${errors.filter((one) => one.kind === kind).length}`).join(', ')}`,
    );
    cases.push(
      ...clean.map((pair, at) => caseOf(`${lang}-clean-${at}`, pair)),
      ...errors.map((error, at) => caseOf(`${lang}-${at}`, error.pair, error)),
    );
  }
  for (const kind of ['clean', ...kinds]) {
    const { length } = cases.filter((one) => one.kind === kind);
    if (length < fewest) run.note(`the set ${kind} is too small: ${length} of ${fewest}`);
  }
  for (const judge of judges) await runAll(cases, judge);
  requireRates(cases);
  report(run, cases);
}

function caseOf(id: string, { lang, source, target }: Pair, error?: Erroneous): Case {
  const { kind = 'clean', wrong = target, term } = error ?? {};
  return { id, lang, kind, source, target: wrong, ...(term && { term }), held: {} };
}

/** Lets the gate decide on all cases with a judge. */
async function runAll(cases: readonly Case[], judge: Judge): Promise<void> {
  const byId = new Map(cases.map((one) => [one.id, one]));
  const caseFor = (domain: unknown) => byId.get(domain as string)!;
  const verdict = ({ role, data }: ReturnType<typeof askedOf>) => {
    const { id, kind } = caseFor(data['domain']);
    return verdictOf(judge, id, kind !== 'clean', role);
  };
  await using fake = await startFakeOpenAi();
  fake.otherwise(
    translatingReply({
      translate: (_text, _lang, { data }) => caseFor(data['domain']).target,
      repair: (translation) => translation,
      score: (asked) => verdict(asked).score,
      issues: (asked) => verdict(asked).issues,
      passed: (asked) => verdict(asked).passed,
    }),
  );
  const engine = liveEngine(fake, { OPENAI_TIMEOUT_SECONDS: 300, OPENAI_MAX_RETRIES: 3 });
  const left = cases.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const one of left) {
        await decide(one, judge, engine);
        fake.requests.length = 0;
      }
    }),
  );
}

async function decide(one: Case, judge: Judge, engine: Engine): Promise<void> {
  const { id, kind, lang, source, term } = one;
  const style = kind === 'register' ? formal : null;
  const result = await runPipeline(
    engine,
    {
      source_text: source,
      source_lang: 'en',
      target_lang: lang,
      // This field identifies the case to the simulated model.
      domain: id,
      tone: null,
      gender: null,
      text_type: null,
      metadata: {},
    },
    { tenantId: lang },
    { leverage: { ...noLeverage, style, glossary: term ? glossaryOf(term, lang as LanguageCode) : null } },
  ).catch((error: Error) => {
    throw error.cause ?? error;
  });
  requirePremise(result.final_translation === one.target, 'the gate decides on the text that was made');
  one.held[judge.name] = result.status !== 'published';
}

const formal = {
  rules: [],
  quotationMarks: null,
  spacing: null,
  formality: 'formal',
  forbiddenWords: [],
} as const;

function glossaryOf([sourceTerm, targetTerm]: readonly [string, string], lang: LanguageCode): Glossary {
  const entry = {
    sourceTerm,
    targetTerm,
    caseSensitive: false,
    priority: 0,
    setId: 'bench',
    setName: 'bench',
  };
  const matcher = compileTerms([entry], 'en');
  return {
    find: async (text) => ({ matches: matcher.find(text), whole: [] }),
    check: async ({ expected, translation }) => checkTerms(expected, translation, lang),
  };
}

/** Fails if the judges have other rates than they state. */
function requireRates(cases: readonly Case[]): void {
  for (const judge of judges.filter(({ name }) => name !== 'silent'))
    for (const isWrong of [true, false]) {
      const of = cases.filter(({ kind }) => (kind !== 'clean') === isWrong);
      const doubted = of.filter(({ id }) => verdictOf(judge, id, isWrong, 'assessment').doubts).length;
      const stated = isWrong ? judge.hit : judge.falseAlarm;
      const [low, high] = interval(doubted, of.length, 3.3);
      requirePremise(
        low <= stated && stated <= high,
        `the judge ${judge.name} doubts ${stated} of the texts ${isWrong ? 'with' : 'without'} an error, not ${doubted} of ${of.length}`,
      );
    }
}

/** The Wilson score interval of a share; by default, the true share is in it with a probability of 95%. */
function interval(part: number, whole: number, z = 1.96): [low: number, high: number] {
  if (whole === 0) return [0, 1];
  const share = part / whole;
  const middle = share + z ** 2 / (2 * whole);
  const reach = z * Math.sqrt((share * (1 - share)) / whole + z ** 2 / (4 * whole ** 2));
  const scale = 1 + z ** 2 / whole;
  return [Math.max(0, (middle - reach) / scale), Math.min(1, (middle + reach) / scale)];
}

/** Reports the shares of the texts that go to review, by the error in them. */
function report(run: Run, cases: readonly Case[]): void {
  const wrong = cases.filter(({ kind }) => kind !== 'clean');
  const sets: [what: string, of: readonly Case[]][] = [
    ...kinds.map((kind): [string, Case[]] => [kind, cases.filter((one) => one.kind === kind)]),
    ['all errors', wrong],
    ['no error', cases.filter(({ kind }) => kind === 'clean')],
  ];
  for (const [what, of] of sets.filter(([, { length }]) => length > 0))
    for (const { name } of judges) {
      const held = of.filter((one) => one.held[name]).length;
      const judged = name === 'silent' ? 'computed checks' : `and a ${name} judge`;
      run.figure(`${what}: ${judged}`, (100 * held) / of.length, '%');
      const [low, high] = interval(held, of.length).map((share) => (100 * share).toFixed(1));
      if (name === 'silent') run.note(`  of ${of.length}, with 95% from ${low} to ${high}%`);
    }
}
