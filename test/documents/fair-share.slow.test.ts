import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { german, liveEngine, sentences } from '#test/translations/live.ts';
import { openDocuments } from './workspace.ts';

const model = await startFakeOpenAi();
afterAll(() => model.close());

const app = useTestApp({
  // Two workers, with the default numbers of slots of the sandbox and the model.
  env: { ...env, WORKER_CONCURRENCY: '2', DEFAULT_MONTHLY_CHAR_LIMIT: '100000000', TRIAL_CHARS: '100000000' },
  engine: liveEngine(model),
});

/** Different texts that begin with `name`. */
const texts = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name} ${n}. ${sentences[n % sentences.length]}`);

beforeEach(() => {
  model.requests.length = 0;
  const translate = (text: string) => {
    const sentence = sentences.find((one) => text.endsWith(one)) ?? '';
    return text.replace(sentence, german[sentence] ?? '');
  };
  model.otherwise(translatingReply({ translate, latencyMs: 2000 }));
});

/** The calls of the model for texts with this name. */
const callsFor = (name: string) =>
  model.requests.filter((request) => JSON.stringify(askedOf(request).data).includes(`"${name} `)).length;

describe('one tenant’s documents do not hold up another’s one', () => {
  test('two long ones that have all workers', { timeout: 120_000 }, async () => {
    const [many, one] = [await openDocuments(app), await openDocuments(app)];
    const long = [
      await many.queue(texts('Long', 16_000), { target_lang: 'de' }),
      await many.queue(texts('Long', 16_000), { target_lang: 'de' }),
    ];
    await withWorkers(app, async () => {
      await poll(async () => callsFor('Long') > 20, 60);
      const id = await one.queue(texts('One', 3), { target_lang: 'de' });
      await poll(async () => (await one.read(id)).status === 'translated', 60);
      const progress = [];
      for (const document of long) progress.push((await many.read(document)).status);
      expect(progress).toEqual(['extracted', 'extracted']);
    });
    for (const document of long) await many.removeDocument(document);
  });
});
