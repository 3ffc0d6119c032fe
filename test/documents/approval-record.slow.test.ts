import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkGoldenRecords } from '#test/factories/golden-check.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import {
  breakGoldenStore,
  checkUntilDone,
  goldenFiles,
  manifestLinesOf,
  recordFile,
  recordsOf,
  restartSystem,
} from '#test/translations/golden-files.ts';
import { tasks } from '#workers/tasks.ts';
import { doubtingEngine, useDocuments } from './workspace.ts';

const engine = doubtingEngine();
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
  engine,
});

const mine = useDocuments(app, engine);

const storage = () => join(app.services.settings.DATA_DIR, 'storage');

const checked = () => checkUntilDone(app, 'announced-documents');

describe('the audit record of an approved document (B 8 rule 4)', () => {
  test('has counts and no text of the document, and so has its line in the manifest', async () => {
    const { id } = await mine.translate(['Hello', 'Hello', 'a doubtful one', 'World'], {
      source_lang: 'en',
      target_lang: 'de',
    });
    await mine.correct(id, { A1: 'Guten Tag' });
    expect(await goldenFiles(app, mine)).toEqual(new Map());
    const { body } = await mine.approve(id, { reviewer: 'Rev', notes: 'World is fine' });
    const [record, ...others] = await recordsOf(app, mine, id);
    expect(others).toEqual([]);
    expect(record?.path).toMatch(new RegExp(`^${id.slice(0, 6)}/${id}\\.json$`));
    expect(JSON.parse(record!.text)).toEqual({
      schema_version: '1.0',
      kind: 'document_approval',
      tenant_id: mine.tenantId,
      job_id: id,
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      approved_at: body.job.approved_at,
      approved_by: 'Rev',
      approved_via: { id: expect.any(String), name: 'Workspace key' },
      source_lang: 'en',
      target_lang: 'de',
      source_format: 'xlsx',
      counts: {
        segments: 4,
        translated: 4,
        corrected: 1,
        confirmed: 0,
        needs_review: 1,
        reviews: 1,
        source_chars: 5 + 5 + 14 + 5,
        fed_pairs: 2,
        skipped: { fast_path: 0, needs_review: 1, duplicates: 1, empty: 0 },
        golden_skipped_at_cap: 0,
      },
    });
    const lines = await manifestLinesOf(app, mine, id);
    expect(lines.map(({ line }) => JSON.parse(line))).toEqual([
      {
        kind: 'document_approval',
        tenant_id: mine.tenantId,
        job_id: id,
        golden_uri: `golden/${record!.path}`,
        status: 'approved',
        source_lang: 'en',
        target_lang: 'de',
        recorded_at: JSON.parse(record!.text).recorded_at,
      },
    ]);
    const written = JSON.stringify([record, lines]);
    for (const text of ['Hello', 'World', 'Guten Tag', 'doubtful', 'Book.xlsx', 'fine'])
      expect(written).not.toContain(text);
    // Only operators see the place of the record.
    expect(JSON.stringify(body)).not.toContain('golden/');
  });

  test('is written once, however often and at however many connections it is approved', async () => {
    const { id } = await mine.translate(['Hello']);
    await Promise.all(Array.from({ length: 6 }, () => mine.approve(id)));
    expect(await recordsOf(app, mine, id)).toHaveLength(1);
    expect(await manifestLinesOf(app, mine, id)).toHaveLength(1);
  });

  test('of a document that was changed and approved again replaces that of the first approval', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.approve(id, { reviewer: 'First' });
    await mine.correct(id, { A1: 'Bonjour' });
    await mine.approve(id, { reviewer: 'Second' });
    const [record, ...others] = await recordsOf(app, mine, id);
    expect(others).toEqual([]);
    expect(JSON.parse(record!.text)).toMatchObject({ approved_by: 'Second', counts: { corrected: 1 } });
  });

  test('goes with the document, and the deletion counts it', async () => {
    const [approved, other] = [await mine.translate(['Hello']), await mine.translate(['World'])];
    await mine.approve(approved.id);
    expect((await mine.removeDocument(approved.id)).body).toMatchObject({ golden_records_deleted: 1 });
    expect(await recordsOf(app, mine, approved.id)).toEqual([]);
    expect((await mine.removeDocument(other.id)).body).toMatchObject({ golden_records_deleted: 0 });
  });

  test('a store that cannot be written prevents no approval; the sweep writes the record later', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.job({ source_text: 'another text' });
    const restore = await breakGoldenStore(app, mine);
    const { status, body } = await mine.approve(id);
    expect([status, body.approval_result]).toMatchObject([200, { approved: true, fed_pairs: 1 }]);
    await restore();
    expect(await recordsOf(app, mine, id)).toEqual([]);
    await mine.change(id, { approved_at: new Date(Date.now() - 60_000) });
    await tasks.sweep_stale_jobs.run(app.services, {});
    await withWorkers(app, () => poll(async () => (await recordsOf(app, mine, id)).length === 1));
    expect((await mine.read(id)).updated_at).toBe(body.job.updated_at);
  });

  test('of an approval whose process died after the stamp: the sweep feeds the memory and writes it', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.change(id, { approved_at: new Date(Date.now() - 60_000), approved_by: 'Rev' });
    await tasks.sweep_stale_jobs.run(app.services, {});
    await withWorkers(app, () => poll(async () => (await recordsOf(app, mine, id)).length === 1));
    expect((await mine.read(id)).feed_manifest.fed_pairs).toMatchObject([{ source_text: 'Hello' }]);
    expect(JSON.parse((await recordsOf(app, mine, id))[0]!.text)).toMatchObject({
      approved_by: 'Rev',
      counts: { fed_pairs: 1 },
    });
  });

  test('of an approval whose process died after the write is the same when it is written again', async () => {
    const { id } = await mine.translate(['Hello']);
    await mine.approve(id);
    const before = await recordsOf(app, mine, id);
    await mine.change(id, { golden_uri: null });
    await mine.approve(id);
    expect(await checked()).toBe(0);
    const [after, ...others] = await recordsOf(app, mine, id);
    expect(others).toEqual([]);
    expect(JSON.parse(after!.text)).toEqual(JSON.parse(before[0]!.text));
    expect((await mine.row(id))['golden_uri']).toBe(`golden/${after!.path}`);
  });
});

describe('the check of golden records', () => {
  test('keeps those of documents, and removes one whose document PostgreSQL has lost', async () => {
    const [lost, kept] = [await mine.translate(['Hello']), await mine.translate(['World'])];
    for (const { id } of [lost, kept]) await mine.approve(id);
    // The process of this document died after it wrote the record, and before it stored the row.
    await mine.change(kept.id, { golden_uri: null });
    await openSuperuser(app.superuserUrl)`delete from document_jobs where document_id = ${lost.id}`;
    let removed = 0;
    await poll(async () => {
      removed += (await checkGoldenRecords(app.services)).removed;
      return removed === 1;
    });
    expect(await recordsOf(app, mine, lost.id)).toEqual([]);
    expect(await recordsOf(app, mine, kept.id)).toHaveLength(1);
    await mine.approve(kept.id);
    expect(await checked()).toBe(0);
    expect(await recordsOf(app, mine, kept.id)).toHaveLength(1);
  });

  test('writes lost and damaged ones again after an unclean shutdown of the system, and their lines', async () => {
    const jobs = [await mine.translate(['one']), await mine.translate(['two'])];
    for (const { id } of jobs) await mine.approve(id);
    const [lost, damaged] = await Promise.all(
      jobs.map(async ({ id }) => (await recordsOf(app, mine, id))[0]!),
    );
    const fileOf = ({ path }: { path: string }) => `${mine.tenantId}/golden/${path}`;
    await app.services.storage.remove(fileOf(lost!));
    await writeFile(await recordFile(app, mine.tenantId, jobs[1]!.id), '\0'.repeat(100));
    const [line] = await manifestLinesOf(app, mine, jobs[0]!.id);
    const manifest = join(storage(), 'golden', line!.path);
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(`${line!.line}\n`, ''));
    expect((await checkGoldenRecords(await restartSystem(app))).rewritten).toBe(2);
    for (const [index, { id }] of jobs.entries()) {
      const [record] = await recordsOf(app, mine, id);
      expect(JSON.parse(record!.text)).toEqual(JSON.parse([lost, damaged][index]!.text));
      expect(await manifestLinesOf(app, mine, id)).toHaveLength(1);
    }
  });
});
