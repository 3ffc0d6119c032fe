import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { linesBetween } from '#server/platform/stores/json-lines.ts';

const path = 'golden/manifest/day.jsonl';
const minute = 60_000;

/**
 * Writes a file with a line for each minute, which is long enough for several searches, followed by lines for the
 * minutes in `late`.
 */
async function openLines(minutes: number, late: number[]) {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-lines-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = openFolder(folder);
  const lineOf = (n: number) =>
    JSON.stringify({ n, recorded_at: new Date(n * minute).toISOString(), filler: 'x'.repeat(3000) });
  const numbers = [...Array.from({ length: minutes }, (_, n) => n), ...late];
  await store.put(path, `${numbers.map(lineOf).join('\n')}\n`);
  return async (from: number, to: number) => {
    const span = { from: from * minute, to: to * minute, margin: 5 * minute };
    const found: number[] = [];
    for await (const lines of linesBetween<{ n: number; recorded_at: string }>(store, path, span))
      found.push(...lines.map(({ n }) => n));
    return found;
  };
}

test('the lines of a time span are read from a long object, its first and its last ones too', async () => {
  const between = await openLines(2000, []);
  expect(await between(1200, 1203)).toEqual([1200, 1201, 1202, 1203]);
  expect(await between(0, 1)).toEqual([0, 1]);
  expect(await between(1998, 3000)).toEqual([1998, 1999]);
  expect(await between(3000, 4000)).toEqual([]);
});

test('a line that was added long after its time is read, so that it is not added again', async () => {
  const between = await openLines(2000, [700]);
  expect(await between(699, 701)).toEqual([699, 700, 701, 700]);
});
