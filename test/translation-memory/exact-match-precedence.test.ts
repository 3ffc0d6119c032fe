import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets, type Sets } from './sets.ts';
import type { Unit } from './tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const put = (name: string, target: string, changedate?: string) =>
  mine.memory([{ source: 'Hello', target, ...(changedate && { changedate }) } satisfies Unit], { name });
const served = async (target: string) => expectServed(await mine.job(), 'tm_exact', target);

/** Approves a target of «Hello» by a reviewer's hand. */
async function approve(target: string): Promise<void> {
  const { id } = await mine.job({ metadata: { sensitive: true } });
  expect((await mine.review(id, { action: 'modify', final_translation: target })).status).toBe(200);
}

describe('B 8 "Exact tier": several stored segments share a source', () => {
  test('golden origin over imported, whatever the dates and the order', async () => {
    await put('before', 'imported before', '20990101T000000Z');
    await approve('approved');
    await served('approved');
    await put('after', 'imported after', '20990101T000000Z');
    await served('approved');
    // The name says nothing about the origin.
    await put('golden', 'imported as golden', '20990101T000000Z');
    await served('approved');
  });

  test('then the newest changedate, whichever set was written last', async () => {
    await put('a', 'newest', '20240601T120000Z');
    await put('b', 'older', '20240601T115959Z');
    await put('c', 'oldest', '19990101T000000Z');
    await served('newest');
    await put('b', 'newer still', '20240601T120001Z');
    await served('newer still');
  });

  test('then the set that was written last', async () => {
    await put('a', 'first');
    await put('b', 'second');
    await served('second');
    await put('a', 'first again');
    await served('first again');
  });

  test('when the winner’s set goes, the next one serves', async () => {
    const set = await put('a', 'newest', '20240601T120000Z');
    await put('b', 'older', '20230601T120000Z');
    await approve('approved');
    await served('approved');
    const golden = (await mine.memories()).find(({ name }: { name: string }) => name.startsWith('golden-'));
    expect((await mine.removeMemory(golden.id)).status).toBe(204);
    await served('newest');
    await mine.removeMemory(set.id);
    await served('older');
  });
});
