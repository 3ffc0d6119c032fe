import type { LanguageCode } from '#server/languages.ts';
import type { Glossary } from '#server/matching/terms/glossary.ts';
import { checkTerms, compileTerms } from '#server/matching/terms/index.ts';
import type { Engine, QualityIssue } from '#server/platform/engines/engine.ts';
import { noLeverage } from '#server/translation/core/leverage/leverage.ts';
import { runPipeline } from '#server/translation/core/pipeline/text-run.ts';
import { type askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { liveEngine } from '#test/translations/live.ts';
import { corpusOf } from './gate/corpus.ts';
import { type Erroneous, kinds, makeErrors } from './gate/errors.ts';
import { holdsAlone, type Judge, judges, verdictOf } from './gate/judge.ts';
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
  variant: string;
  source: string;
  target: string;
  term?: Erroneous['term'];
  /** Whether the gate holds the translation, by judge. */
  held: Record<string, boolean>;
  /** The issues of the computed checks. */
  issues: readonly QualityIssue[];
}

/**
 * Measures what the quality gate is worth: how many errors the computed checks, a simulated judge model, and both send to
 * review, and how many translations without an error are published. The errors are made from translations by people,
 * one in each. Each text passes the pipeline of a text job with the default policy; the judge responds over HTTP. Repairs
 * change nothing.
 */
export async function benchGate(print: (line: string) => void): Promise<void> {
  const cases: Case[] = [];
  for (const lang of languages) {
    const pairs = await readPairs(lang);
    const corpus = corpusOf(lang, pairs);
    const clean = pairs.slice(0, most.clean);
    const errors = makeErrors(corpus, most.errors, 11);
    print(
      `${lang}: ${pairs.length} pairs, ${corpus.terms.size} terms; ${clean.length} clean, ${errors.length} errors: ${kinds.map((kind) => `${kind} ${errors.filter((one) => one.kind === kind).length}`).join(', ')}`,
    );
    cases.push(
      ...clean.map((pair, at) => caseOf(`${lang}-clean-${at}`, pair)),
      ...errors.map((error, at) => caseOf(`${lang}-${at}`, error.pair, error)),
    );
  }
  for (const kind of ['clean', ...kinds]) {
    const { length } = cases.filter((one) => one.kind === kind);
    if (length < fewest) print(`the set ${kind} is too small: ${length} of ${fewest}`);
  }
  const begun = performance.now();
  for (const judge of judges) await runAll(cases, judge);
  print(
    `${cases.length} texts with ${judges.length} judges in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
  );
  requireRates(cases);
  report(cases, print);
}

function caseOf(id: string, { lang, source, target }: Pair, error?: Erroneous): Case {
  const { kind = 'clean', variant = '', wrong = target, term } = error ?? {};
  return { id, lang, kind, variant, source, target: wrong, ...(term && { term }), held: {}, issues: [] };
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
  if (judge.name === 'silent')
    one.issues = (result.quality_assessment?.issues ?? []).filter(
      (issue) => 'found_by' in issue && issue.found_by === 'check',
    );
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

const percent = (share: number) => (100 * share).toFixed(1);

function shareOf(cases: readonly Case[], counts: (one: Case) => boolean, withInterval = false): string {
  if (cases.length === 0) return '–';
  const part = cases.filter(counts).length;
  const [low, high] = interval(part, cases.length);
  return `${percent(part / cases.length)}%${withInterval ? ` (${percent(low)}–${percent(high)})` : ''}`;
}

const isHeld = (name: string) => (one: Case) => one.held[name]!;

function report(cases: readonly Case[], print: (line: string) => void): void {
  const named = judges.filter(({ name }) => name !== 'silent');
  const alone = (judge: Judge) => (one: Case) => holdsAlone(judge, one.id, one.kind !== 'clean');
  const columns = ['checks alone (95%)', 'only noted', ...named.flatMap(({ name }) => [name, 'with checks'])];
  const row = (title: string, cells: readonly string[]) =>
    print(`${title.padEnd(22)}${cells.map((cell, at) => cell.padStart(at === 0 ? 21 : 12)).join('')}`);
  const cellsOf = (of: readonly Case[]) => [
    shareOf(of, isHeld('silent'), true),
    shareOf(of, (one) => !one.held['silent'] && one.issues.length > 0),
    ...named.flatMap((judge) => [shareOf(of, alone(judge)), shareOf(of, isHeld(judge.name))]),
  ];
  print('\nTexts that go to review, by the error in them');
  row('error', columns);
  for (const kind of kinds) {
    const of = cases.filter((one) => one.kind === kind);
    row(`${kind} ${of.length}`, cellsOf(of));
    const variants = Map.groupBy(of, ({ variant }) => variant);
    if (variants.size > 1)
      for (const [variant, part] of variants) row(`  ${variant} ${part.length}`, cellsOf(part));
  }
  const wrong = cases.filter(({ kind }) => kind !== 'clean');
  const clean = cases.filter(({ kind }) => kind === 'clean');
  row(`all ${wrong.length}`, cellsOf(wrong));
  row(`no error ${clean.length}`, cellsOf(clean));
  print('\nTexts without an error that are published');
  for (const lang of ['all', ...languages]) {
    const of = clean.filter((one) => lang === 'all' || one.lang === lang);
    row(`${lang} ${of.length}`, [
      shareOf(of, (one) => !one.held['silent'], true),
      '',
      ...named.flatMap((judge) => [
        shareOf(of, (one) => !alone(judge)(one)),
        shareOf(of, (one) => !one.held[judge.name]),
      ]),
    ]);
  }
  print('\nCaught by the computed checks alone, by language');
  row('', languages);
  for (const kind of kinds)
    row(
      kind,
      languages.map((lang) => {
        const of = cases.filter((one) => one.kind === kind && one.lang === lang);
        return of.length === 0 ? '–' : `${shareOf(of, isHeld('silent'))} of ${of.length}`;
      }),
    );
  print('\nIssues of the computed checks in texts without an error');
  const alarms = Map.groupBy(
    clean.flatMap((one) => one.issues.map((issue) => ({ one, issue }))),
    ({ issue }) => `${issue.severity}: ${kindOf(issue)}`,
  );
  for (const [title, found] of [...alarms].toSorted(([, a], [, b]) => b.length - a.length))
    print(`${String(new Set(found.map(({ one }) => one)).size).padStart(5)}  ${title}`);
  const listed = Number(process.env['BENCH_LISTED'] ?? 0);
  for (const one of clean.filter(isHeld('silent')).slice(0, listed))
    print(
      `\n${one.lang} ${one.issues.map(({ explanation }) => explanation).join(' ')}\n  ${one.source}\n  ${one.target}`,
    );
}

/** Returns the explanation of an issue without the words of the text. */
function kindOf({ explanation, span }: QualityIssue): string {
  return (span ? explanation.replace(span, '…') : explanation).replace(/\d+/g, 'N');
}
