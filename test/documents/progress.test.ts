import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openDocuments, recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const progress = async (...document_ids: string[]) => {
  const { status, body } = await mine.query('progress', { document_ids });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

test('a document is followed from the queue to its file', async () => {
  const id = await mine.queue(['One', 'Two', 'Three']);
  const [queued] = (await progress(id)).documents;
  expect(queued).toEqual({
    document_id: id,
    status: 'queued',
    stage: 'ingest',
    translated_segments: 0,
    total_segments: 0,
    percent: 0,
    needs_review_segments: 0,
    confirmed_segments: 0,
    error: null,
    waiting: null,
    updated_at: (await mine.read(id)).updated_at,
  });
  const seen: unknown[] = [];
  engine.reply = async ({ segments }) => {
    seen.push((await progress(id)).documents[0]);
    return segments.map((text) => `fr of ${text}`);
  };
  await mine.run(id);
  expect(seen).toMatchObject([
    { status: 'extracted', stage: 'map_translate', total_segments: 3, percent: 0 },
  ]);
  const [done] = (await progress(id)).documents;
  expect(done).toMatchObject({
    status: 'translated',
    translated_segments: 3,
    total_segments: 3,
    percent: 100,
  });
  expect(done.updated_at > queued.updated_at).toBe(true);
});

test.each([
  [0, 3, 0],
  [1, 3, 33],
  [199, 200, 99],
  // The file has not been rendered yet.
  [3, 3, 99],
])('%i of %i segments are %i percent until the file is there', async (translated, segments, percent) => {
  const id = await mine.queue();
  await mine.change(id, { status: 'extracted', segments, translated_segments: translated });
  expect((await progress(id)).documents).toMatchObject([{ percent }]);
});

test('the latest change is returned, and each document once, in the order of the ids', async () => {
  const ids = [await mine.queue(), await mine.queue(), await mine.queue()];
  const [first, second, third] = ids as [string, string, string];
  await mine.change(second, { updated_at: '2031-01-01T00:00:00.250Z' });
  const { documents, updated_at } = await progress(third, first, third, second);
  expect(documents.map((one: { document_id: string }) => one.document_id)).toEqual([third, first, second]);
  expect(updated_at).toBe('2031-01-01T00:00:00.250Z');
});

test('another workspace’s document is as unknown as one that was deleted', async () => {
  const theirs = await openDocuments(app);
  const [own, foreign, deleted] = [await mine.queue(), await theirs.queue(), await mine.queue()];
  await mine.removeDocument(deleted);
  const { documents, unknown_ids } = await progress(foreign, own, deleted, "' or true --");
  expect(documents).toMatchObject([{ document_id: own }]);
  expect(unknown_ids).toEqual([foreign, deleted, "' or true --"]);
  expect(await progress(foreign)).toEqual({ documents: [], unknown_ids: [foreign], updated_at: null });
});
