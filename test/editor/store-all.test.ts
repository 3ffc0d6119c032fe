import { afterEach, describe, expect, test, vi } from 'vitest';
import { storeAll, UnsavedEdits } from '#web/app/editor/store-all.ts';

afterEach(() => void vi.useRealTimers());

describe('storing all edits before an action', () => {
  test('resolves if the service has all of them', async () => {
    await storeAll({ flush: async () => [], all: () => new Map() });
  });

  test('names the segments that the service does not have', async () => {
    const error = await storeAll({ flush: async () => [3, 7], all: () => new Map() }).catch((one) => one);
    expect(error).toBeInstanceOf(UnsavedEdits);
    expect(error.positions).toEqual([3, 7]);
  });

  test('ends without a response of the service', async () => {
    vi.useFakeTimers();
    const all = () => new Map([7, 3].map((position) => [position, {} as never]));
    const storing = storeAll({ flush: () => new Promise(() => {}), all }).catch((one) => one);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await storing).positions).toEqual([3, 7]);
  });
});
