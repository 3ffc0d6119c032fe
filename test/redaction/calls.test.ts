import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Services } from '#server/context.ts';
import type { Embedder, Engine, QualityIssue, TranslationTask } from '#server/platform/engines/engine.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { compact } from './compact.ts';

const secrets = ['Halcyon Mirage', 'Gradorludev', '4012 8888 8888 1881', 'jo.doe@example.org'];
const secret = `Mr. John Gradorludev of Halcyon Mirage, jo.doe@example.org, pays with 4012 8888 8888 1881 for ${'this '.repeat(50)}`;
const issue = (quote: string): QualityIssue => ({
  ...{ severity: 'major', category: 'accuracy', span: quote },
  explanation: `The translation of “${quote}” is wrong.`,
  suggestion: `Write “${quote}…”.`,
});

/** Each field that can have a text has the values. */
const task: TranslationTask = {
  segments: [secret],
  notes: [secret],
  keep: [secret],
  sourceLang: 'en',
  targetLang: 'de',
  textType: 'Plain',
  tone: secret,
  gender: secret,
  domain: secret,
  style: {
    rules: [secret],
    quotationMarks: null,
    spacing: null,
    formality: null,
    forbiddenWords: [{ term: secret, use_instead: secret }],
  },
  glossary: [{ source: 'a word', targets: [secret], forbidden: [secret], definition: secret, note: secret }],
  sentences: [{ source: secret, target: secret }],
  examples: [{ source: secret, target: secret, similarity: 0.9 }],
  document: { outline: [secret], hasTags: false, hasNotes: true, section: secret },
  contextBefore: secret,
};

type Call = Exclude<keyof Engine, 'live' | 'withoutJudge' | 'ignoresModels' | 'redaction' | 'traitsOf'>;

/** Quotes of findings: whole, shortened within a value, and a group of a number. */
const quotes = [
  secret,
  'of Halcyon Mirag',
  'Mr. John Gradorlu',
  'pays with 4012 8888 88',
  '1881',
  'write to jo.doe@exam',
];

const scope = { tenantId: 't' };
const candidate = [secret];
const calls: Record<Call, (engine: Engine) => Promise<unknown>> = {
  translate: (engine) => engine.translate(task, scope),
  assess: (engine) => engine.assess(task, candidate, scope),
  assessEach: (engine) => engine.assessEach(task, candidate, scope),
  repair: (engine) => engine.repair(task, candidate, quotes.map(issue), scope),
  compare: (engine) => engine.compare(task, [candidate, candidate], scope),
  verify: (engine) => engine.verify(task, candidate, scope),
};

/** Returns services with models that record all that they get. */
function recording() {
  const sent: unknown[] = [];
  const engine = Object.fromEntries(
    Object.entries({ ...stubEngine, live: true }).map(([name, value]) => [
      name,
      typeof value !== 'function'
        ? value
        : (...given: unknown[]) => {
            sent.push(...given.filter((one) => one !== scope));
            return (value as (...args: unknown[]) => unknown)(...given);
          },
    ]),
  );
  const embedder: Embedder = {
    model: 'near-1',
    async embed(texts) {
      sent.push(texts);
      return texts.map(() => new Float32Array([1]));
    },
  };
  const rules = { kinds: ['names', 'emails', 'accounts'], patterns: [], terms: ['Halcyon Mirage'] };
  const database = {
    inTenant: async (_: string, work: (tx: unknown) => unknown) => work({ execute: async () => [{ rules }] }),
  };
  const services = withRedaction({ database, embedder, engine } as unknown as Services);
  return { sent, ...services };
}

/** The values, and their parts of four letters or digits at a cut, that a request has. `routeDomain` is not sent. */
function left(sent: readonly unknown[]): string[] {
  const { routeDomain: _, ...rest } = Object.assign({}, sent[0]) as Partial<TranslationTask>;
  const text = compact(JSON.stringify([Array.isArray(sent[0]) ? sent[0] : rest, ...sent.slice(1)]));
  return [...secrets, 'Halc', 'Gradorlu', '4012', '8888', '1881', 'jo.doe@exam'].filter((one) =>
    text.includes(compact(one)),
  );
}

describe('no call of a model gets a withheld value in any field', () => {
  test.each(Object.entries(calls))('%s', async (_, call) => {
    const { engine, sent } = recording();
    await call(engine);
    expect(sent.length).toBeGreaterThan(0);
    expect(left(sent)).toEqual([]);
  });

  test('every call of an engine is in this list', () => {
    const names = Object.entries(recording().engine).filter(([, value]) => typeof value === 'function');
    expect(names.map(([name]) => name).sort()).toEqual(Object.keys(calls).sort());
  });

  test('embeddings, of a run and without one', async () => {
    for (const own of [scope, { ...scope, run: {} }]) {
      const { embedder, sent } = recording();
      await embedder!.embed([secret], own);
      expect(left(sent)).toEqual([]);
    }
  });
});

test('models are opened in one place, and everything else gets them from there', () => {
  const importers = ['server', 'workers', 'rest']
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
    )
    .filter((path) => path.endsWith('.ts') && !path.startsWith('server/platform/engines/'))
    .filter((path) =>
      /^import (?!type)[^;]*platform\/engines\/(?:openai|anthropic|chat|machine|routes|select|tenant-engine)/m.test(
        readFileSync(path, 'utf8'),
      ),
    );
  expect(importers.sort()).toEqual([
    // Sends a fixed greeting.
    'server/commands/doctor/environment.ts',
    // Opens the engine of a workspace for the process below.
    'server/engines/schema.ts',
    'server/engines/workspace-engines.ts',
    'server/operations/models.ts',
    // Opens the models, which `app.ts` and `workers/run.ts` wrap.
    'server/process.ts',
  ]);
  for (const path of ['server/app.ts', 'workers/run.ts'])
    expect(readFileSync(path, 'utf8')).toContain('withRedaction(');
});
