import { createHash } from 'node:crypto';
import { readdir, readFile, stat, symlink } from 'node:fs/promises';
import { dirname, join as joinPath } from 'node:path';
import { unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { runExport } from '#server/workspace-export/run-export.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, join, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { testFolder } from '#test/setup/launch.ts';
import { operateHere, outputOf } from '../admin/command.ts';
import { addEveryForm, added } from './every-form.ts';
import { type Filled, fillWorkspace } from './full-workspace.ts';
import { exported, importAll, importable, stateOf } from './workspace-copy.ts';

const app = useTestApp({ env: { ...env, TM_ASYNC_THRESHOLD: '1' } });
const sql = () => openSuperuser(app.superuserUrl);

type Headers = Record<string, string>;
const call = (path: string, type: 'mutation' | 'query', headers: Headers) =>
  viaRpc(app, { path, type }, { input: {}, headers });
const start = (headers: Headers) => call('exports.start', 'mutation', headers);
const list = async (headers: Headers) => (await call('exports.list', 'query', headers)).body.exports;
const download = (id: string, headers: Headers) => app.request(`/app/exports/${id}`, { headers });

/** Starts an export, lets it finish, and returns its files as texts. */
async function exportAll({ tenantId, founder }: Pick<Filled, 'founder' | 'tenantId'>) {
  const { id } = (await start(founder.bearer)).body;
  await runExport(app.services, { tenantId, exportId: id });
  const response = await download(id, founder.bearer);
  expect(response.status).toBe(200);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const unzipped = unzipSync(bytes);
  const files = new Map(Object.entries(unzipped).map(([name, file]) => [name, Buffer.from(file).toString()]));
  return { id, response, bytes, unzipped, files };
}

const lines = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('the export of a workspace', () => {
  let mine: Filled;
  let other: Filled;
  let made: Awaited<ReturnType<typeof exportAll>>;
  beforeEach(async () => {
    if (made) return;
    mine = await fillWorkspace(app);
    other = await fillWorkspace(app);
    made = await exportAll(mine);
  });

  test('has each text of the workspace, and none of another workspace', () => {
    const all = [...made.files].map(([name, text]) => `${name} ${text}`).join('\n');
    const missing = mine.planted.filter((text) => !all.includes(text));
    // The name of a set whose import is not finished: it is not part of the memory yet.
    expect(missing.map((text) => text.replace(/[0-9a-f]{32}.*/, ''))).toEqual(['memory']);
    expect(mine.planted.length).toBeGreaterThanOrEqual(30);
    expect(other.planted.filter((text) => all.includes(text))).toEqual([]);
    expect(all).not.toContain(other.tenantId);
  });

  test('has jobs, reviews, memory, glossaries, documents, usage and audit as files', () => {
    const names = [...made.files.keys()].map((name) =>
      name
        .replace(/files\/[0-9a-f]{32}/, 'files/ID')
        .replace(/(memory|glossaries)\/.*-(?=\d{4}\.tmx)/, '$1/NAME-')
        .replace(/glossaries\/.*(?=\.(tbx|csv))/, 'glossaries/NAME'),
    );
    expect([...new Set(names)]).toEqual([
      'workspace.json',
      'jobs/jobs-0001.jsonl',
      'reviews/decisions-0001.jsonl',
      'reviews/comments-0001.jsonl',
      'reviews/days-0001.jsonl',
      'reviews/segment-events-0001.jsonl',
      'documents/documents-0001.jsonl',
      'documents/segments-0001.jsonl',
      'documents/files/ID/source-1.xlsx',
      'documents/files/ID/translated-1.xlsx',
      'documents/files/ID/translated-2.xlsx',
      'memory/NAME-0001.tmx',
      'memory/sets-0001.jsonl',
      'glossaries/NAME.tbx',
      'glossaries/NAME.csv',
      'glossaries/sets-0001.jsonl',
      'style-guides/style-guides-0001.jsonl',
      'segmentation/rules-0001.jsonl',
      'usage/usage-0001.jsonl',
      'audit/audit-0001.jsonl',
      'export.json',
    ]);
  });

  test('has each job as the API returns it', async () => {
    const jobs = lines(made.files.get('jobs/jobs-0001.jsonl'));
    const [{ count }] =
      (await sql()`select count(*)::int from translation_jobs where tenant_id = ${mine.tenantId}`) as [
        { count: number },
      ];
    expect(jobs).toHaveLength(count);
    for (const job of jobs) {
      const path = `/api/translations/${job.id}`;
      expect(job).toEqual((await app.json('GET', path, { headers: mine.founder.bearer })).body);
    }
  });

  test('has each file of a document with its bytes', async () => {
    const rows = await sql()`select sha256 from document_artifacts
      where tenant_id = ${mine.tenantId} and state <> 'superseded'`;
    const exported = Object.entries(made.unzipped)
      .filter(([name]) => name.startsWith('documents/files/'))
      .map(([, bytes]) => createHash('sha256').update(bytes).digest('hex'));
    expect(exported.sort()).toEqual(rows.map(({ sha256 }) => sha256).sort());
  });

  test('counts its rows, and states the size that the download has', async () => {
    const summary = JSON.parse(made.files.get('export.json')!);
    expect(summary.counts).toMatchObject({
      'jobs/jobs': lines(made.files.get('jobs/jobs-0001.jsonl')).length,
      'audit/audit': lines(made.files.get('audit/audit-0001.jsonl')).length,
      glossaries: 2,
    });
    const [shown] = await list(mine.founder.bearer);
    expect(shown).toMatchObject({ id: made.id, size_bytes: made.bytes.length, files: made.files.size });
    expect(made.response.headers.get('content-length')).toBe(String(made.bytes.length));
    expect(made.response.headers.get('content-type')).toBe('application/zip');
  });

  test('has no secret, and nothing that only operators see', async () => {
    const all = [...made.files.values()].join('\n');
    for (const word of ['argon2', 'password_hash', 'totp', 'secret_hash', 'candidate_models', 'input_tokens'])
      expect(all).not.toContain(word);
  });

  test('is recorded in the audit log, and so is each download', async () => {
    const events = await sql()`select action from audit_log where target = ${made.id} order by event_id`;
    const ofExport = events.map(({ action }) => action);
    expect(ofExport).toEqual(['tenant_export_requested', 'tenant_export_downloaded']);
  });

  test('is downloaded by administrators of the workspace only', async () => {
    const member = await join(app, mine.founder);
    expect((await download(made.id, member.bearer)).status).toBe(403);
    expect((await download(made.id, other.founder.bearer)).status).toBe(404);
    expect((await download(made.id, {})).status).toBe(401);
    expect((await download('unknown', mine.founder.bearer)).status).toBe(404);
  });

  test('accepts the session cookie, so that a browser can save the file', async () => {
    const token = mine.founder.bearer['authorization']!.split(' ')[1];
    expect((await download(made.id, { cookie: `ll_session=${token}` })).status).toBe(200);
  });

  test('runs once at a time, and cannot be downloaded before its end', async () => {
    const { founder, tenantId } = await fillWorkspace(app);
    const { id } = (await start(founder.bearer)).body;
    const again = await start(founder.bearer);
    expect(again.status).toBe(409);
    expect(JSON.stringify(again.body)).toContain(`export ${id} is still running`);
    expect((await download(id, founder.bearer)).status).toBe(409);
    expect(await list(founder.bearer)).toMatchObject([{ finished_at: null, size_bytes: null }]);
    await runExport(app.services, { tenantId, exportId: id });
    expect((await start(founder.bearer)).status).toBe(200);
  });

  test('is continued by the next run after a failure, and has each row once', async () => {
    const { founder, tenantId } = await fillWorkspace(app);
    const { id } = (await start(founder.bearer)).body;
    const { storage } = app.services;
    const failing = { ...storage, put: () => Promise.reject(new Error('no space left on device')) };
    await expect(
      runExport({ ...app.services, storage: failing }, { tenantId, exportId: id }),
    ).rejects.toThrow('no space left');
    // Two runs at the same time, as after a worker that was believed dead.
    await Promise.all([1, 2].map(() => runExport(app.services, { tenantId, exportId: id })));
    const zip = new Uint8Array(await (await download(id, founder.bearer)).arrayBuffer());
    const jobs = lines(Buffer.from(unzipSync(zip)['jobs/jobs-0001.jsonl']!).toString());
    expect(new Set(jobs.map((job) => job.id)).size).toBe(jobs.length);
  });

  test('names a file that is missing or damaged, and has all others', async () => {
    const { founder, tenantId } = await fillWorkspace(app);
    const [row] = await sql()`update document_artifacts set sha256 = 'other'
      where tenant_id = ${tenantId} and kind = 'source' returning document_id`;
    const { files } = await exportAll({ founder, tenantId } as Filled);
    const name = `documents/files/${row!['document_id']}/source-1.xlsx`;
    expect(files.has(name)).toBe(false);
    expect(files.get(`${name}.missing.txt`)).toBe('stored artifact failed its checksum\n');
  });

  test('is deleted after seven days', async () => {
    const { founder, tenantId } = await fillWorkspace(app);
    const { id } = await exportAll({ founder, tenantId } as Filled);
    const folder = joinPath(app.services.settings.DATA_DIR, 'storage', tenantId, 'exports');
    expect(await readdir(folder)).toEqual([id]);
    await runExport(app.services, { tenantId, exportId: id });
    expect(await readdir(folder)).toEqual([id]);
    await sql()`update tenant_exports set expires_at = now() where export_id = ${id}`;
    expect((await download(id, founder.bearer)).status).toBe(404);
    await runExport(app.services, { tenantId, exportId: id });
    expect(await readdir(folder)).toEqual([]);
    expect(await list(founder.bearer)).toEqual([]);
  });

  test('can be made and saved by commands on the server', async () => {
    const { tenantId } = await fillWorkspace(app);
    const [{ export_id: id }] = await outputOf(app, ['export-tenant', tenantId]);
    await runExport(app.services, { tenantId, exportId: id });
    const [listed] = await outputOf(app, ['exports', tenantId]);
    const file = joinPath(await testFolder(), 'export.zip');
    await operateHere(app, ['save-export', tenantId, id, file]);
    const bytes = await readFile(file);
    expect([await readdir(dirname(file)), (await stat(file)).mode & 0o777]).toEqual([['export.zip'], 0o600]);
    // A link such as /dev/stdout must not be replaced.
    const link = `${file}.link`;
    await symlink(file, link);
    const refused = operateHere(app, ['save-export', tenantId, id, link]);
    await expect(refused).rejects.toThrow('export.zip.link is not a file');
    expect(listed).toMatchObject({ id, size_bytes: bytes.length });
    expect(Object.keys(unzipSync(bytes))).toContain('export.json');
  });
});

describe('export round trip', () => {
  /*
   * What an export has of sets, terms, translation memories and rules can be imported: the workspace that imports it has the
   * same state. Members, and the approved translations of former jobs, cannot be imported: the latter become a memory.
   */

  const app = useTestApp({ env });

  test('sets, terms, memories and rules of an export are the same after their import', async () => {
    const [mine, other] = [await signUpFounder(app), await signUpFounder(app)];
    await addEveryForm(app, mine);
    await importAll(app, other, await exported(app, mine));
    const before = await stateOf(openSuperuser(app.superuserUrl), mine);
    expect(before.terms).toHaveLength(added.terms);
    expect(before.segments).toHaveLength(added.units);
    expect(before.segments.filter((row) => row['before'] !== null)).toHaveLength(2);
    expect(await stateOf(openSuperuser(app.superuserUrl), other)).toEqual(importable(before));
  });
});
