import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { chainedFilters } from '#test/abuse/chained-filters.ts';

/** Each file would need 8–14 s of CPU time if its filters were not limited. */
const hostile = [
  ...[300, 400, 500].map((megabytes) => chainedFilters({ megabytes })),
  chainedFilters({ filters: ['FlateDecode', 'FlateDecode'], megabytes: 300 }),
  chainedFilters({ filters: ['FlateDecode', 'ASCIIHexDecode'], megabytes: 400 }),
];
const small = readFileSync(new URL('../corpus/pdf/made-form-xobject-english.pdf', import.meta.url));

it('a small PDF does not wait for the 20 hostile ones that two other workspaces have sent before', {
  timeout: 300_000,
}, async () => {
  const fileWork = openFileWork();
  onTestFinished(() => fileWork.close());
  const extract = (tenantId: string, bytes: Uint8Array) =>
    fileWork.run('extract_document', { format: 'pdf', bytes }, { tenantId });
  const ended: unknown[] = [];
  const all = Array.from({ length: 20 }, async (_, n) => {
    const result = await extract(n % 2 === 0 ? 'x' : 'y', hostile[n % hostile.length]!).catch(
      ({ reason }) => ({ refused: reason }),
    );
    ended.push('refused' in result && result.refused);
  });
  await sleep(100);
  const before = ended.length;
  const extracted = await extract('third', small);
  // While the file is read in one slot, the other slot continues.
  expect(ended.length - before).toBeLessThan(15);
  expect('segments' in extracted && extracted.segments.length).toBeGreaterThan(0);
  await Promise.all(all);
  expect(new Set(ended)).toEqual(new Set(['too_large']));
});
