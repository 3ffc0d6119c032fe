import { expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useReviewers } from '../translations/workplace/reviewers.ts';

const app = useTestApp({ env });
const mine = useReviewers(app);

/**
 * Translates a document of `count` segments, confirms them at once, undoes and repeats that. Returns the milliseconds of
 * each step.
 */
async function changeAll(count: number) {
  const cells = Array.from({ length: count }, (_, index) => `Sentence ${index + 1}`);
  const began = performance.now();
  const document_id = await addDocument(app, mine.founder, { source_document: workbookFile(cells) });
  const translated = performance.now() - began;
  const timed = async (path: string, input: object) => {
    const started = performance.now();
    const body = await mine.call(path, { document_id, ...input });
    return { body, milliseconds: performance.now() - started };
  };
  const confirmed = async () =>
    (
      await mine.sql()`
        select count(*)::int from document_segments where document_id = ${document_id} and confirmed_at is not null`
    )[0]?.['count'];
  const confirm = await timed('documents.confirmAll', { statuses: ['todo', 'draft'] });
  const change = { change_id: confirm.body.change_id };
  expect(await confirmed()).toBe(count);
  const undo = await timed('documents.undo', change);
  expect(undo.body.positions).toHaveLength(count);
  expect(await confirmed()).toBe(0);
  const redo = await timed('documents.redo', change);
  expect(await confirmed()).toBe(count);
  return [translated, ...[confirm, undo, redo].map(({ milliseconds }) => milliseconds)];
}

// If each segment were compared with each other, eight times as many would take 64 times as long.
test('translating, confirming, undoing and redoing 8,000 segments takes less than 20 times as long as 1,000', {
  timeout: 180_000,
}, async () => {
  // The first document also starts the worker's threads.
  await changeAll(1);
  const few = await changeAll(1000);
  const many = await changeAll(8000);
  for (const [step, milliseconds] of many.entries())
    expect(milliseconds / (few[step] as number)).toBeLessThan(20);
});
