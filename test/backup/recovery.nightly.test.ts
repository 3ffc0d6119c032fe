import { cp, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDocument, env, type Person, signUpFounder, submit } from '#test/factories.ts';
import { connect } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';
import { runVerify } from '../storage/verify.ts';
import { succeed } from './commands.ts';

/*
 * The recovery drill of docs/backup.md: database and storage were restored to different times. Each side of a drill is a
 * copy, because the other one still needs the original.
 */

/** Texts before the first backup, and between the two backups. */
const texts = 5;

/** Settings with which nothing counts as work in progress a few seconds later. */
const soon = { STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' };

let folder: string;
let founder: Person;
const jobs = { before: [] as string[], after: [] as string[] };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-recovery-'));
  const settings = { ...env, ...soon, LOG_LEVEL: 'silent', DATA_DIR: join(folder, 'original') };
  const service = await startService(settings);
  const app = connect(service.address);
  founder = await signUpFounder(app);
  for (const part of ['before', 'after'] as const) {
    for (let n = 0; n < texts; n++)
      jobs[part].push(await submit(app, founder, { source_text: `${part} ${n}` }));
    const document = await addDocument(app, founder);
    const approval = { headers: founder.bearer, body: {} };
    expect((await app.json('POST', `/api/documents/${document}/approve`, approval)).status).toBe(200);
    await succeed('backup', settings, [join(folder, `${part}.tar.zst`)]);
  }
  await service.stop();
  for (const part of ['before', 'after'])
    await succeed('restore', { ...settings, DATA_DIR: join(folder, part) }, [
      join(folder, `${part}.tar.zst`),
    ]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Combines copies of the database of one time with the storage of the other, four hours later. */
async function combine(database: 'after' | 'before', storage: 'after' | 'before') {
  const [data, files] = [join(folder, `${database}-database`), join(folder, `${storage}-storage`)];
  await cp(join(folder, database), data, { recursive: true });
  await cp(join(folder, storage, 'storage'), files, { recursive: true });
  const old = new Date(Date.now() - 4 * 3_600_000);
  for (const entry of await readdir(files, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), old, old);
  const settings = {
    ...env,
    ...soon,
    LOG_LEVEL: 'silent',
    DATA_DIR: data,
    PLATFORM_STORAGE_URL: pathToFileURL(files).href,
  };
  // Each restore has made a new deployment, with its ID.
  await succeed('admin', settings, ['adopt-storage']);
  const verify = (...args: string[]) => runVerify(settings, args);
  return { files, settings, verify };
}

const kindsOf = (found: readonly string[][]) =>
  Object.fromEntries([...Map.groupBy(found, ([what]) => what)].map(([what, lines]) => [what, lines.length]));

/** Starts the service on the combination, reads these jobs with their records, and translates another text. */
async function expectService(
  settings: Record<string, string>,
  readable: readonly string[],
  gone: readonly string[],
) {
  const service = await startService(settings);
  try {
    const app = connect(service.address);
    for (const id of readable)
      expect((await app.request(`/api/translations/${id}/golden`, { headers: founder.key })).status).toBe(
        200,
      );
    for (const id of gone)
      expect((await app.request(`/api/translations/${id}`, { headers: founder.key })).status).toBe(404);
    const id = await submit(app, founder, { source_text: 'After the recovery' });
    expect((await app.request(`/api/translations/${id}/golden`, { headers: founder.key })).status).toBe(200);
  } finally {
    await service.stop();
  }
}

describe('the recovery drill', () => {
  test('with a database older than the storage: --repair removes what was stored later', async () => {
    const { settings, verify } = await combine('before', 'after');
    const seen = await poll(async () => {
      const found = await verify();
      return !found.counts.some((line) => line.startsWith('in progress')) && found;
    }, 30);
    expect([seen.code, kindsOf(seen.found)]).toEqual([
      1,
      { 'record without a database row': texts + 1, 'file without a database row': 2 },
    ]);
    expect((await verify('--repair')).code).toBe(0);
    expect((await verify()).counts.at(-1)).toBe('differences: 0');
    await expectService(settings, jobs.before, jobs.after);
    expect((await verify()).counts.at(-1)).toBe('differences: 0');
  });

  test('with a storage older than the database: --repair writes the records, and a copy returns the files', async () => {
    const { files, settings, verify } = await combine('after', 'before');
    const seen = await verify();
    expect([seen.code, kindsOf(seen.found)]).toEqual([
      1,
      { 'record missing': texts + 1, 'manifest line missing': texts + 1, 'file missing': 2 },
    ]);
    const repaired = await verify('--repair');
    expect(repaired.code).toBe(1);
    expect(repaired.counts.at(-1)).toBe('differences: 2 (file missing: 2)');
    // Files of documents are only in a copy of the storage.
    const documents = join(founder.tenantId, 'documents');
    await cp(join(folder, 'after/storage', documents), join(files, documents), {
      recursive: true,
      force: false,
    });
    expect((await verify()).counts.at(-1)).toBe('differences: 0');
    await expectService(settings, [...jobs.before, ...jobs.after], []);
  });
});
