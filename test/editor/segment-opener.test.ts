import { describe, expect, test } from 'vitest';
import { SegmentOpener } from '#web/app/editor/segment-opener.ts';

/**
 * An opener for ten segments, of which the first `loaded` ones are loaded. The test responds to the requests for others.
 */
function opener({ loaded = 10, confirmed = [] as number[], hidden = [] as number[] } = {}) {
  const shown = Array.from({ length: 10 }, (_, position) => position).filter((one) => !hidden.includes(one));
  const asked: { what: string; of: number; answer(value: number | undefined): void; fail(): void }[] = [];
  const ask = (what: string) => (of: number) =>
    new Promise<number | undefined>((resolve, reject) =>
      asked.push({ what, of, answer: resolve, fail: () => reject(new Error('unreachable')) }),
    );
  let reloads = 0;
  const cleared: number[] = [];
  const result = new SegmentOpener(
    {
      isFiltered: hidden.length > 0,
      indexOf: ask('indexOf'),
      positionAt: ask('positionAt'),
      nextOpen: ask('nextOpen'),
      reload: async () => {
        reloads += 1;
      },
      showAll: (position) => {
        cleared.push(position);
        return position;
      },
    },
    (position) => confirmed.includes(position),
  );
  result.range = {
    total: shown.length,
    at: (index) => (index < loaded ? { position: shown[index] as number, confirmed_at: null } : undefined),
    indexOf: (position) => {
      const index = shown.indexOf(position);
      return index >= 0 && index < loaded ? index : undefined;
    },
  };
  return { opener: result, asked, cleared, reloads: () => reloads, at: () => result.state().open?.position };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('the opener of segments', () => {
  test('opens a loaded segment at once, and the next one that is not confirmed', async () => {
    const { opener: one, at } = opener({ confirmed: [3, 4] });
    await one.openAt(2);
    await one.moveToNextOpen();
    expect(at()).toBe(5);
    expect(one.state().next).toBe('none');
  });

  test('never lets a late response override a later action', async () => {
    const { opener: one, asked, at } = opener({ loaded: 5 });
    await one.openAt(4);
    void one.moveToNextOpen();
    void one.openAt(8);
    await one.move(-2);
    for (const request of asked) request.answer(7);
    await settled();
    expect(asked.map(({ what, of }) => [what, of])).toEqual([
      ['nextOpen', 4],
      ['indexOf', 8],
    ]);
    expect(at()).toBe(2);
  });

  test('continues from the open segment after the filter has been removed, even if it is not loaded', async () => {
    const { opener: one, asked, at } = opener({ hidden: [0, 1, 2, 3, 4, 5] });
    await one.openAt(8);
    const all = opener({ loaded: 5 });
    one.range = all.opener.range;
    one.finder = all.opener.finder;
    expect(one.index).toBe(8);
    void one.move(-1);
    expect(all.asked.map(({ what, of }) => [what, of])).toEqual([['positionAt', 7]]);
    all.asked[0]?.answer(7);
    await settled();
    expect(at()).toBe(7);
    expect(asked).toEqual([]);
  });

  test('offers a segment that was found late instead of opening it while the reviewer types', async () => {
    const { opener: one, asked, at } = opener({ loaded: 5 });
    await one.openAt(1);
    void one.openAt(8);
    one.typed();
    asked[0]?.answer(8);
    await settled();
    expect([at(), one.state().late]).toEqual([1, 8]);
    void one.openAt(8);
    asked[1]?.answer(8);
    await settled();
    expect([at(), one.state().late]).toEqual([8, null]);
  });

  test('clears a filter that excludes the segment', async () => {
    const { opener: one, asked, cleared, at } = opener({ hidden: [7] });
    void one.openAt(7);
    asked[0]?.answer(undefined);
    await settled();
    expect([cleared, at()]).toEqual([[7], 7]);
  });

  test('does not clear the filter for an action that a later one has replaced', async () => {
    const { opener: one, asked, cleared } = opener({ hidden: [7] });
    void one.openAt(7);
    await one.openAt(1);
    asked[0]?.answer(undefined);
    await settled();
    expect(cleared).toEqual([]);
  });

  test('loads a list again whose indexes have changed', async () => {
    const { opener: one, asked, reloads } = opener({ hidden: [7] });
    void one.openAt(7);
    asked[0]?.answer(3);
    await settled();
    expect(reloads()).toBe(1);
  });

  test('reports that the next segment is being found until it is loaded', async () => {
    const { opener: one, asked, at } = opener({ loaded: 5 });
    await one.openAt(4);
    void one.moveToNextOpen();
    expect(one.state().next).toBe('finding');
    asked[0]?.answer(6);
    await settled();
    asked[1]?.answer(6);
    await settled();
    expect([at(), one.state().next]).toEqual([6, 'loading']);
    one.arrived();
    expect(one.state().next).toBe('none');
  });

  test('keeps the segment open if the next one cannot be found, and finds it at the next attempt', async () => {
    const { opener: one, asked, at } = opener({ loaded: 5 });
    await one.openAt(4);
    const failed = expect(one.moveToNextOpen()).rejects.toThrow('unreachable');
    asked[0]?.fail();
    await failed;
    expect([at(), one.state().next]).toEqual([4, 'failed']);
    void one.moveToNextOpen();
    asked[1]?.answer(undefined);
    await settled();
    // No segment is left that is not confirmed: the next one follows.
    asked[2]?.answer(5);
    await settled();
    expect([asked[2]?.what, at(), one.state().next]).toEqual(['positionAt', 5, 'none']);
  });

  test('moves to the first and last segment, and to one that is not loaded', async () => {
    const { opener: one, asked, at } = opener({ loaded: 5 });
    await one.openAt(3);
    void one.move(Number.POSITIVE_INFINITY, false);
    expect(asked.map(({ what, of }) => [what, of])).toEqual([['positionAt', 9]]);
    asked[0]?.answer(9);
    await settled();
    expect(one.state().open).toEqual({ position: 9, index: 9, takesFocus: false });
    await one.move(Number.NEGATIVE_INFINITY);
    expect(one.state().open).toEqual({ position: 0, index: 0, takesFocus: true });
    await one.move(-1);
    expect(at()).toBe(0);
  });
});
