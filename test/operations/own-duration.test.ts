import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ModelTime, measureModelCall, withModelTime } from '#server/platform/telemetry.ts';

test('model calls at the same time count once, and pauses between them do not count', async () => {
  const time = new ModelTime();
  await withModelTime(time, async () => {
    await Promise.all([measureModelCall(() => delay(200)), measureModelCall(() => delay(100))]);
    await delay(200);
    await measureModelCall(async () => {
      await delay(100);
      throw new Error('no model');
    }).catch(() => {});
  });
  expect(time.seconds()).toBeGreaterThan(0.28);
  expect(time.seconds()).toBeLessThan(0.45);
});

test('a call outside of a request runs unmeasured', async () => {
  const time = new ModelTime();
  await measureModelCall(() => delay(10));
  expect(time.seconds()).toBe(0);
});
