import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { chainedFilters } from '#test/abuse/chained-filters.ts';

/** Each takes 8 to 14 s of CPU time where its filters are not bounded. */
const hostile = [
  ...[300, 400, 500].map((megabytes) => chainedFilters({ megabytes })),
  chainedFilters({ filters: ['FlateDecode', 'FlateDecode'], megabytes: 300 }),
  chainedFilters({ filters: ['FlateDecode', 'ASCIIHexDecode'], megabytes: 400 }),
];
const small = readFileSync(new URL('../corpus/pdf/made-form-xobject-english.pdf', import.meta.url));

it('a small PDF takes less than 8 s while two other workspaces have sent 15 hostile ones each', {
  timeout: 300_000,
}, async () => {
  const fileWork = openFileWork();
  onTestFinished(() => fileWork.close());
  const extract = (tenantId: string, bytes: Uint8Array) =>
    fileWork.run('extract_document', { format: 'pdf', bytes }, { tenantId });
  const ended: unknown[] = [];
  const all = Array.from({ length: 30 }, async (_, n) => {
    const result = await extract(n % 2 === 0 ? 'x' : 'y', hostile[n % hostile.length]!).catch(
      ({ reason }) => ({ refused: reason }),
    );
    ended.push('refused' in result && result.refused);
  });
  await sleep(100);
  const begun = performance.now();
  const extracted = await extract('third', small);
  expect(performance.now() - begun).toBeLessThan(8000);
  expect('segments' in extracted && extracted.segments.length).toBeGreaterThan(0);
  await Promise.all(all);
  // One that finds the queue full may be sent again.
  expect(new Set(ended.filter((refused) => refused !== 'busy'))).toEqual(new Set(['too_large']));
});
