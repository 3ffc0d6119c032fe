import { expect, test } from 'vitest';
import type { Services } from '#server/context.ts';
import type { TranslationTask } from '#server/platform/engines/engine.ts';
import { free, stubEngine } from '#server/platform/engines/stub.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { letterKinds, makeLetters } from './letters.ts';

const letters = makeLetters(500).map(({ text }) => text);

/** An engine with redaction, and the texts that it got. */
function redacted() {
  const sent: string[] = [];
  const row = { rules: { kinds: letterKinds, patterns: [], terms: [] } };
  const { engine } = withRedaction({
    database: {
      inTenant: (_: string, work: (tx: unknown) => unknown) => work({ execute: async () => [row] }),
    },
    embedder: null,
    engine: {
      ...stubEngine,
      live: true,
      async translate({ segments }: TranslationTask) {
        sent.push(...segments);
        return free(segments);
      },
    },
  } as unknown as Services);
  return { engine, sent, scope: { tenantId: 't', run: {} } };
}

test('if the search of a text does not end in time, nothing is sent', async () => {
  const { engine, sent, scope } = redacted();
  // 16 s of work for a deadline of 5 s.
  const segments = [letters.join('\n').repeat(20).slice(0, 4_000_000)];
  const task = { ...{ segments, sourceLang: 'en', targetLang: 'de', textType: 'Plain' as const } };
  await expect(
    engine.translate({ ...task, tone: null, gender: null, domain: null }, scope),
  ).rejects.toMatchObject({
    code: 'service_unavailable',
    message: 'the search for personal data did not end in time',
  });
  expect(sent).toEqual([]);
}, 60_000);

test('the texts of a document are searched in parts that each end in time', async () => {
  const { engine, scope } = redacted();
  const whole = letters.join('\n').repeat(10).slice(0, 1_500_000);
  const texts = Array.from({ length: 1000 }, (_, at) => whole.slice(at * 1500, (at + 1) * 1500));
  await engine.redaction!.learn(async function* () {
    yield texts;
  }, scope);
  const receipt = await engine.redaction!.receiptOf([texts.at(-1)!], scope);
  expect(receipt!.replaced['names']).toBeGreaterThan(0);
}, 120_000);
