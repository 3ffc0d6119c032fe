import { expect, test } from 'vitest';
import type { CloseHit } from '#server/language/translation-memory/lookup/close-match.ts';
import type { MemoryHit } from '#server/language/translation-memory/lookup/exact-match.ts';
import type { AgentStep } from '#server/translation/core/agent-run-schema.ts';
import { gatherLeverage } from '#server/translation/core/leverage/leverage.ts';

const stored = (sourceText: string): MemoryHit => ({
  sourceText,
  targetText: `${sourceText} (fr)`,
  setId: 'set',
  setName: 'Manuals',
  origin: 'tmx_import',
  tuid: sourceText,
  changedAt: '2025-01-01T00:00:00Z',
});
const hits = (kind: string, count: number, similarity: number): CloseHit[] =>
  Array.from({ length: count }, (_, n) => ({
    ...stored(`${kind} ${n}`),
    similarity: similarity - n / 100,
    likeness: 'surface',
  }));

/** Gathers beside five close ones and five relevant ones. */
async function gather(refused: MemoryHit | undefined, findClose?: () => Promise<never>) {
  const steps: AgentStep[] = [];
  const failures: unknown[] = [];
  const found = { close: hits('close', 5, 0.95), relevant: hits('relevant', 5, 0.6) };
  const leverage = { exact: refused, findClose: findClose ?? (async () => found) } as Parameters<
    typeof gatherLeverage
  >[1];
  const gathered = await gatherLeverage(steps, leverage, null, (error) => failures.push(error));
  const decisions = steps.flatMap((step) => step.decisions);
  return { gathered, steps, decisions, failures };
}

const named = (decisions: unknown) => JSON.stringify(decisions);

test('C 6: five close matches and five relevant pairs go to the engine, and into the trace with their provenance', async () => {
  const { gathered, decisions } = await gather(undefined);
  expect(gathered.examples.map(({ source }) => source)).toEqual([
    ...[0, 1, 2, 3, 4].map((n) => `close ${n}`),
    ...[0, 1, 2, 3, 4].map((n) => `relevant ${n}`),
  ]);
  expect(gathered.examples[1]).toEqual({ source: 'close 1', target: 'close 1 (fr)', similarity: 0.94 });
  expect(decisions).toHaveLength(10);
  for (const n of [0, 4]) expect(named(decisions)).toContain(`“relevant ${n}” → “relevant ${n} (fr)”`);
  for (const decision of decisions) expect(JSON.stringify(decision)).toContain('"Manuals"');
});

test('the pair of this very text that the glossary refused is the first of the five close ones', async () => {
  const { gathered, decisions } = await gather(stored('this very text'));
  expect(gathered.examples.map(({ source }) => source)).toEqual([
    'this very text',
    ...[0, 1, 2, 3].map((n) => `close ${n}`),
    ...[0, 1, 2, 3, 4].map((n) => `relevant ${n}`),
  ]);
  expect(gathered.examples[0]).toMatchObject({ similarity: 1 });
  expect(decisions).toHaveLength(10);
});

test('without the search the refused pair is given alone, and the failure is recorded', async () => {
  const broken = new Error('the index is gone');
  const { gathered, failures } = await gather(stored('this very text'), () => Promise.reject(broken));
  expect(gathered.examples.map(({ source }) => source)).toEqual(['this very text']);
  expect(failures).toEqual([broken]);
});

test('with nothing to record, the trace stays empty', async () => {
  const { gathered, steps, failures } = await gather(undefined, () => Promise.reject(new Error('gone')));
  expect(gathered).toEqual({ glossary: [], examples: [] });
  expect(steps).toEqual([]);
  expect(failures).toHaveLength(1);
});
