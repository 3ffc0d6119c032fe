import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { openDocuments, recordingEngine } from './workspace.ts';

const app = useTestApp({ env, engine: recordingEngine() });

/** The number of different segments in the document. */
const count = 24_000;

test('an approval feeds all of 24,000 pairs and lists them, and other requests are served', {
  timeout: 120_000,
}, async () => {
  const mine = await openDocuments(app);
  const { id } = await mine.translate(['Hello']);
  // One segment has a correction, and the others are like those of a large document.
  await mine.correct(id, { A1: 'Bonjour' });
  const sql = openSuperuser(app.superuserUrl);
  await sql`
    insert into document_segments (tenant_id, document_id, position, region_id, cell_id, kind, place, source_key, source,
      source_text, target, target_text, score)
    select tenant_id, document_id, n, region_id, 'B' || n, kind, place, sha256(('s' || n)::bytea), source,
      'Sentence number ' || n || ' of a large document', target, 'Phrase numéro ' || n || ' d’un grand document', 92
    from document_segments, generate_series(1, ${count}) n where document_id = ${id} and position = 0`;
  // During the approval, the service must respond to another tenant's requests.
  const other = await openDocuments(app);
  let running = true;
  const answered = (async () => {
    let requests = 0;
    for (; running; requests++) await other.summary();
    return requests;
  })();
  const { status, body } = await mine.approve(id);
  running = false;
  expect(await answered).toBeGreaterThan(10);
  expect([status, body.approval_result]).toEqual([
    200,
    expect.objectContaining({ fed_pairs: count, feed_error: null }),
  ]);
  const { fed_pairs: pairs } = body.job.feed_manifest;
  expect(pairs).toHaveLength(count + 1);
  expect(new Set(pairs.map((one: { source_hash: string }) => one.source_hash)).size).toBe(count + 1);
  const removed = (await mine.removeDocument(id)).body;
  expect(removed).toMatchObject({ tm_pairs_removed: count + 1, segments_removed: count + 1 });
});
