import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Services } from '#server/context.ts';
import type { Engine, QualityIssue, Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import { createRoutedEngine, type NamedEngine } from '#server/platform/engines/routes.ts';
import { free, stubEngine } from '#server/platform/engines/stub.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

const taskOf = (segments: readonly string[], others: Partial<TranslationTask> = {}): TranslationTask => ({
  ...{ segments, sourceLang: 'en', targetLang: 'de', textType: 'Plain' },
  ...{ tone: null, gender: null, domain: null },
  ...others,
});

const database = (terms: readonly string[], patterns: readonly string[] = []) => ({
  inTenant: async (_: string, work: (tx: unknown) => unknown) =>
    work({ execute: async () => [{ rules: { kinds: ['names', 'emails'], patterns, terms } }] }),
});

const wrap = (engine: Engine, terms: readonly string[] = []): Engine =>
  withRedaction({ database: database(terms), embedder: null, engine } as unknown as Services).engine;

/** An engine with a reply, the texts that it got, and what it is asked in one run. */
function scripted(reply: (text: string) => string, terms: readonly string[] = []) {
  const sent: Translations[] = [];
  const judged: Translations[] = [];
  const engine = wrap(
    {
      ...stubEngine,
      live: true,
      async translate({ segments }) {
        sent.push(segments);
        return free(segments.map(reply));
      },
      async assess(_, candidate) {
        judged.push(candidate);
        return free({ score: 90, issues: [], summary: '' });
      },
    },
    terms,
  );
  const scope = { tenantId: 't', run: {} };
  const run = async (source: string) => {
    const task = taskOf([source]);
    const { value } = await engine.translate(task, scope);
    await engine.assess(task, value, scope);
    const issues: QualityIssue[] = await engine.redaction!.issuesOf([source], value, scope);
    return { text: value[0]!, judged: judged.at(-1)![0]!, issues: issues.map((one) => one.explanation) };
  };
  return { engine, scope, sent, run };
}

test('the engine of a workspace gets placeholders in a deployment without engines', async () => {
  const sent: Translations[] = [];
  const engine = wrap({
    ...stubEngine,
    traitsOf: async () => ({ live: true, withoutJudge: null }),
    async translate({ segments }) {
      sent.push(segments);
      return free(segments);
    },
  });
  const segments = ['Please call Ms. Quarnby, jo@example.org.'];
  expect((await engine.translate(taskOf(segments), { tenantId: 't' })).value).toEqual(segments);
  expect(sent).toEqual([['Please call Ms. Person_1, Email_1.']]);
});

describe('a word that a model writes around a placeholder is restored, and replaced again for the judge', () => {
  test.each([
    ['an ending', 'Please write to Ms. Okonkwo.', 'Írjon Person_1nak.', 'Írjon Okonkwonak.'],
    ['an ending behind a tag', 'Ask <1>Ms. Okonkwo</1>.', '<1>Person_1</1>nak.', '<1>Okonkwo</1>nak.'],
    ['a short name', 'Ms. Ann came.', 'Person_1tól.', 'Anntól.'],
    ['Chinese', 'Please call Ms. Quarnby, thanks.', '请联系Person_1，谢谢。', '请联系Quarnby，谢谢。'],
    ['Arabic', 'Ask Ms. Quarnby.', 'وPerson_1', 'وQuarnby'],
    ['a name of one unit', '陈先生您好。', 'Person_1様、こんにちは。', '陈様、こんにちは。'],
    ['a compound with a term', 'Falke starts.', 'Term_1projekt2', 'Falkeprojekt2'],
  ])('%s', async (_, source, reply, text) => {
    const { run } = scripted(() => reply, ['Falke']);
    expect(await run(source)).toEqual({ text, judged: reply, issues: [] });
  });
});

test('a name of the source is replaced with an ending that a reviewer has written', async () => {
  const judged: Translations[] = [];
  const judge = wrap({
    ...stubEngine,
    live: true,
    async assess(_, candidate) {
      judged.push(candidate);
      return free({ score: 90, issues: [], summary: '' });
    },
  });
  const task = taskOf(['Please write to Ms. Okonkwo.', 'Mark Schmidt leads the market.']);
  await judge.assess(task, ['Írjon Okonkwonak.', 'Mark Schmidt leitet den Markt.'], { tenantId: 't' });
  expect(judged).toEqual([['Írjon Person_1nak.', 'Person_2 leitet den Markt.']]);
});

test('own patterns that take long to compile do not hold up other work', async () => {
  const engine = withRedaction({
    database: database([], Array(20).fill('[a-z0-9 ]{1,1000}Z')),
    ...{ embedder: null, engine: { ...stubEngine, live: true } },
  } as unknown as Services).engine;
  const task = taskOf(['abc def ghi '.repeat(15)]);
  // The first call starts the thread.
  await engine.translate(task, { tenantId: 't' });
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  await engine.translate(task, { tenantId: 't' });
  clearInterval(timer);
  expect(Math.max(longest, performance.now() - last)).toBeLessThan(60);
});

test('a term leaves in no compound, and the reply has it as it was', async () => {
  const { run, sent } = scripted((text) => text, ['Falke']);
  const source = 'Das Falkeprojekt, Falke2 und FALKEN.';
  expect(await run(source)).toMatchObject({ text: source, issues: [] });
  expect(sent).toEqual([['Das Term_1projekt, Term_2 und Term_1N.']]);
});

test('a value of another text in a reply is a critical finding, and is not given away', async () => {
  const { run } = scripted((text) => (text === 'Hello.' ? 'Hallo Person_1.' : text));
  await run('Please call Ms. Quarnby.');
  expect(await run('Hello.')).toMatchObject({
    text: 'Hallo Person_1.',
    issues: [expect.stringContaining('“Person_1” looks like a placeholder')],
  });
});

test('a word of the user that looks like a placeholder keeps its meaning, in whichever text it stands', async () => {
  const learned = scripted((text) => text);
  await learned.engine.redaction!.learn(async function* () {
    yield ['Ms. Quarnby called.'];
    yield ['Dear Person_1, ID Person_999999999'];
  }, learned.scope);
  await learned.run('Ms. Quarnby called.');
  expect(learned.sent.at(-1)).toEqual(['Ms. Person_2 called.']);
  const { run, sent } = scripted((text) => text);
  await run('Ms. Quarnby called.');
  expect(await run('Dear Person_1, hello.')).toMatchObject({ text: 'Dear Person_1, hello.', issues: [] });
  expect(sent.at(-1)).toEqual(['Dear Person_2, hello.']);
});

test('more than 20,000 values are rejected, and no text is sent without a value that another one shows', async () => {
  const { engine, scope, sent } = scripted((text) => text);
  let last = 0;
  const text = (count: number) => Array.from({ length: count }, () => `user${last++}x@example.com`).join(' ');
  const learn = (parts: number) =>
    engine.redaction!.learn(async function* () {
      for (let part = 0; part < parts; part++) yield [text(1000)];
    }, scope);
  await learn(20);
  await expect(learn(1)).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('more than 20000 names'),
  });
  await expect(engine.translate(taskOf([text(1)]), scope)).rejects.toMatchObject({
    code: 'validation_error',
  });
  expect(sent).toEqual([]);
});

test('a term of a workspace changes no route, and no engine gets the domain of the task', async () => {
  const asked: [string, TranslationTask][] = [];
  const named = (name: string): NamedEngine => ({
    name,
    model: null,
    async translate(task) {
      asked.push([name, task]);
      return free(task.segments);
    },
  });
  const engine = createRoutedEngine({
    engines: [named('own'), named('cloud')],
    routes: [{ domain: 'legal', use: ['own'] }, { use: ['cloud'] }],
    ...{ judge: null, without_judge: 'review' },
  });
  await wrap(engine, ['Legal']).translate(taskOf(['Hello.'], { domain: 'legal' }), { tenantId: 't' });
  expect(asked.map(([name]) => name)).toEqual(['own']);
  expect(JSON.stringify(asked)).not.toMatch(/legal/i);
});

/** Letters that a thread searches: the beginning of each is another text. */
const longText = (at: number) => `Letter ${at}. ${'Please write to Ms. Quarnby. '.repeat(800)}`;

test('a workspace gets a thread while another one has a long queue, and short texts are not queued', async () => {
  const engine = wrap({ ...stubEngine, live: true, translate: async ({ segments }) => free(segments) });
  const ended: string[] = [];
  const translate = (tenantId: string, text: string, name: string) =>
    engine.translate(taskOf([text]), { tenantId }).then(() => void ended.push(name));
  // Each workspace has its thread.
  await Promise.all([translate('a', longText(1), ''), translate('b', longText(2), '')]);
  ended.length = 0;
  const queue = Array.from({ length: 40 }, (_, at) => translate('a', longText(at), 'queued'));
  await Promise.all([...queue, translate('b', longText(0), 'other'), translate('a', 'Hello.', 'short')]);
  expect(ended.indexOf('short')).toBeLessThan(2);
  expect(ended.indexOf('other')).toBeLessThan(20);
});

test('many short texts at once hold up other work for a bounded time', async () => {
  const engine = wrap({ ...stubEngine, live: true, translate: async ({ segments }) => free(segments) });
  const pieces = ['Dear Ms. Ab, ', 'Ab Cd, ', 'name: a ', '> ', '1-2A ', '**a ', 'my sister ', '"A" '];
  const texts = pieces.flatMap((piece) =>
    Array.from({ length: 40 }, (_, at) => `${at} ${piece.repeat(2000)}`.slice(0, 2000)),
  );
  let longest = 0;
  let isOver = false;
  const turns = (async () => {
    while (!isOver) longest = Math.max(longest, await cpuTime(() => setImmediate()));
  })();
  await Promise.all(texts.map((text) => engine.translate(taskOf([text]), { tenantId: 't' })));
  isOver = true;
  await turns;
  expect(longest).toBeLessThan(250);
});
