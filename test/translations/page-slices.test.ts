import { expect, test } from 'vitest';
import { readSettings } from '#server/settings.ts';
import { requestPages } from '#server/texts/intake/file.ts';
import { translationRequest } from '#server/texts/schema.ts';

const settings = readSettings({ MAX_BATCH_ITEMS: '50', MAX_PAGE_CHARS: '500' });
const document = { name: 'a.txt', content_type: null, size_bytes: 1 };
const request = (source_text: string) =>
  translationRequest.parse({ source_text, source_lang: 'zh-Hans', target_lang: 'fr' });

/** The number of times that the event loop ran other work during `work`. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let iterations = 0;
  let going = true;
  const count = () => {
    if (!going) return;
    iterations += 1;
    setImmediate(count);
  };
  setImmediate(count);
  await work.finally(() => {
    going = false;
  });
  return iterations;
}

test('a long text is cut into pages in slices, between which other requests run', async () => {
  const cutting = requestPages(request('漢'.repeat(50 * 500)), document, settings);
  expect(await turnsDuring(cutting)).toBeGreaterThanOrEqual(9);
  expect(await cutting).toHaveLength(50);
});

test('a text of more pages than a batch may have is rejected by its length, or when one page too many is cut', async () => {
  const refused = { code: 'payload_too_large', message: 'batch exceeds MAX_BATCH_ITEMS' };
  // Only the length is checked and nothing is split, so no other work runs before this is rejected.
  const byLength = requestPages(request('漢'.repeat(50 * 500 * 2 + 1)), document, settings);
  expect(await turnsDuring(byLength.catch(() => {}))).toBe(0);
  await expect(byLength).rejects.toMatchObject(refused);
  const half = requestPages(request('漢'.repeat(50 * 500 * 2)), document, settings);
  expect(await turnsDuring(half.catch(() => {}))).toBeLessThan(15);
  await expect(half).rejects.toMatchObject(refused);
});
