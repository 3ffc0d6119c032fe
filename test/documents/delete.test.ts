import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { setsOf } from '#test/translation-memory/sets.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env, engine });

const mine = useDocuments(app, engine);

const files = () => readdir(join(app.services.settings.DATA_DIR, 'storage', mine.tenantId, 'documents'));
const gone = { status: 404, body: { detail: 'document job not found' } };

describe('the deletion of a document (B 4.3)', () => {
  test('removes files, segments and the pairs that the document fed, and counts them', async () => {
    const { id } = await mine.translate(['Hello', 'World', 'Good']);
    await mine.correct(id, { A1: 'Bonjour' });
    await mine.approve(id);
    const { status, body } = await mine.removeDocument(id);
    expect([status, body]).toEqual([
      200,
      {
        deleted: true,
        document_id: id,
        artifacts_removed: 3,
        segments_removed: 3,
        golden_records_deleted: 1,
        tm_pairs_removed: 3,
        learning_rows_removed: 3,
      },
    ]);
    expect(await files()).toEqual([]);
    for (const route of ['', '/segments', '/artifacts', '/download'])
      expect(await app.json('GET', `/api/documents/${id}${route}`, { headers: mine.headers })).toMatchObject(
        gone,
      );
    expect(await mine.removeDocument(id)).toMatchObject(gone);
    expect((await mine.listDocuments()).body).toEqual([]);
    // Usage stays.
    expect(await mine.records()).toEqual([expect.objectContaining({ job_id: id, kind: 'document' })]);
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('fr of Hello');
  });

  test('leaves pairs of other documents and of imports', async () => {
    await setsOf(app, mine.headers).memory([['Hello', 'Allô']]);
    const one = await mine.translate(['World']);
    const two = await mine.translate(['World', 'Hello']);
    await mine.approve(one.id);
    await mine.correct(two.id, { A1: 'Monde', A2: 'Bonjour' });
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('Bonjour');
    expect((await mine.removeDocument(two.id)).body).toMatchObject({ tm_pairs_removed: 2 });
    expect((await mine.job({ source_text: 'World' })).final_translation).toBe('fr of World');
    expect((await mine.job({ source_text: 'Hello' })).final_translation).toBe('Allô');
  });

  test('of a queued job leaves nothing to run', async () => {
    const id = await mine.queue();
    expect((await mine.removeDocument(id)).body).toMatchObject({ artifacts_removed: 1, segments_removed: 0 });
    expect(await mine.run(id)).toBeUndefined();
    expect(engine.asked).toEqual([]);
    expect(await files()).toEqual([]);
  });

  test('a client of a job with wait that is deleted gets 404', async () => {
    engine.reply = async () => {
      const [{ id }] = (await mine.listDocuments()).body;
      await mine.removeDocument(id);
      return ['Bonjour', 'Salut'];
    };
    expect(await mine.send({ wait: 'true' })).toMatchObject(gone);
  });

  test('waits for a running review or approval', async () => {
    const { id } = await mine.translate(['Hello']);
    await openSuperuser(app.superuserUrl)`
      update document_jobs set review_lease_until = now() + interval '700 ms' where document_id = ${id}`;
    const began = Date.now();
    expect((await mine.removeDocument(id)).status).toBe(200);
    expect(Date.now() - began).toBeGreaterThan(600);
  });
});
