import { expect, test } from 'vitest';
import { findPlaceholders } from '#server/language/text-rules/placeholders.ts';

test('patterns that do not end in time run no more for a while, and those of other workspaces do', async () => {
  const slow = ['(?:.{0,280})\\d\\d\\d\\d\\d\\d\\d'];
  const long = 'order 12 of them, '.repeat(40_000);
  const begun = performance.now();
  const [late, other] = await Promise.all([
    findPlaceholders(slow, [long], { tenantId: 'slow' }),
    findPlaceholders(['\\d+'], ['order 12'], { tenantId: 'other' }),
  ]);
  expect([late, other]).toEqual([null, [['12']]]);
  const ended = performance.now();
  expect(await findPlaceholders(slow, ['order 1234567'], { tenantId: 'slow' })).toBeNull();
  expect(performance.now() - ended).toBeLessThan((ended - begun) / 10);
  expect(await findPlaceholders(slow, ['1234567'], { tenantId: 'other' })).toEqual([['1234567']]);
});
