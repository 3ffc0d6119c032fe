import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { addDocument, env, type Person, signUpFounder, submit } from '#test/factories.ts';
import { connect, useTestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';
import { refusal, run, start, succeed } from './commands.ts';

const app = useTestApp();
const SECRETS_KEY = Buffer.alloc(32).toString('base64');

let folder: string;
let settings: Record<string, string>;
let founder: Person;
let files: string[];

/** A chain of three files. Between them, rows and objects are added, changed and deleted. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-chain-'));
  const { DATA_DIR } = app.services.settings;
  settings = {
    ...{ DATA_DIR, DATABASE_URL: app.databaseUrl, DATABASE_MIGRATION_URL: app.ownerUrl, SECRETS_KEY },
  };
  files = ['full', 'one', 'two'].map((name) => join(folder, name));
  const [full = '', one = '', two = ''] = files;
  founder = await signUpFounder(app);
  const jobs: string[] = [];
  for (const n of [1, 2, 3]) jobs.push(await submit(app, founder, { source_text: `Text ${n}` }));
  const document = await addDocument(app, founder);
  await succeed('backup', settings, [full]);
  await submit(app, founder, { source_text: 'Text 4' });
  // A pack to which the records of two jobs belong.
  const pack = 'golden/2026-11/w1.jsonl.gz';
  const place = join(DATA_DIR, 'storage', founder.tenantId, pack);
  await mkdir(join(place, '..'), { recursive: true });
  await writeFile(place, 'frame 1, frame 2');
  for (const [at, uri] of [`${pack}/0-7/a.json`, `${pack}/9-7/b.json`].entries())
    await app.database.inPlatform((tx) =>
      tx.execute(sql`update translation_jobs set golden_uri = ${uri} where job_id = ${jobs[at]}`),
    );
  await succeed('backup', settings, ['--since', full, one]);
  await writeFile(place, 'XXXXXXX, frame 2', { flag: 'r+' });
  const deleted = await app.json('DELETE', `/api/documents/${document}`, { headers: founder.bearer });
  expect(deleted.status).toBeLessThan(300);
  const lines = await succeed('backup', settings, ['--since', one, two]);
  expect(lines.at(-1)).toMatch(/ \d+ objects \(\d+ of them new or changed since \S+\/one\), /);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function emptyPlace() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const DATA_DIR = await mkdtemp(join(folder, 'place-'));
  // The restore gives the service's role its rights.
  const service = Object.assign(new URL(app.databaseUrl), { pathname: new URL(database.url).pathname }).href;
  return {
    env: { DATA_DIR, DATABASE_URL: service, DATABASE_MIGRATION_URL: database.ownerUrl, SECRETS_KEY },
    database,
  };
}

/** The digest of the rows of each table. */
async function rowsIn(url: string): Promise<Record<string, string>> {
  const superuser = openSuperuser(url);
  const tables = await superuser<{ name: string }[]>`
    select oid::regclass::text as name from pg_class where relkind = 'r' and relpersistence = 'p'
      and relnamespace::regnamespace::text in ('public', 'graphile_worker')`;
  const rows: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await superuser.unsafe<{ digest: string }[]>(
      `select count(*) || md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as digest from ${name} t`,
    );
    rows[name] = row?.digest ?? '';
  }
  return rows;
}

/** The content of all files that a backup contains. */
async function filesIn(dataDir: string): Promise<Record<string, string>> {
  const storage = join(dataDir, 'storage');
  const contents: Record<string, string> = {};
  for (const entry of await readdir(storage, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(storage.length + 1);
    if (entry.isFile() && !path.startsWith('.') && !/^golden\/(announced|store-id)/.test(path))
      contents[path] = await readFile(join(storage, path), 'latin1');
  }
  return contents;
}

test('a restored chain has the rows and files of the last backup, byte for byte', async () => {
  const { env: place, database } = await emptyPlace();
  await succeed('restore', place, files);
  const rows = await rowsIn(database.superuserUrl);
  // The time of the last backup is recorded after it, the job queue records when it was installed, and a restored
  // deployment is a new one.
  const {
    maintenance_runs: _,
    store_identity: _identity,
    'graphile_worker.migrations': _migrations,
    ...source
  } = await rowsIn(app.superuserUrl);
  expect(Object.keys(source).length).toBeGreaterThan(30);
  expect(rows).toMatchObject(source);
  const restored = await filesIn(place.DATA_DIR);
  const original = await filesIn(settings['DATA_DIR'] as string);
  // No row refers to the records that were replaced by lines of the pack.
  const paths = Object.keys(restored).sort();
  expect(restored).toEqual(Object.fromEntries(paths.map((path) => [path, original[path]])));
  expect(restored[`${founder.tenantId}/golden/2026-11/w1.jsonl.gz`]).toBe('XXXXXXX, frame 2');
  expect(paths.some((path) => path.includes('/documents/'))).toBe(false);
});

test('an interrupted restore of a chain can be repeated', async () => {
  const { env: place } = await emptyPlace();
  const { child, ended } = start('restore', place, files);
  await poll(() => readdir(join(place.DATA_DIR, 'storage/golden')).catch(() => undefined));
  child.kill('SIGKILL');
  expect((await ended).code).toBe(null);
  await succeed('restore', place, files);
});

test('verify-backup reports the chain, records its success, and names a damaged file', async () => {
  const lines = await succeed('verify-backup', settings, [...files, '--record']);
  expect(lines).toEqual([
    expect.stringMatching(/\/full: full backup of .+Z, by version /),
    expect.stringMatching(/\/one: incremental backup of /),
    expect.stringMatching(/\/two: incremental backup of /),
    expect.stringMatching(/^A restore gives \d+ rows of \d+ tables, and \d+ objects with [\d.]+ MB\.$/),
    expect.stringMatching(/^No damage found, in /),
  ]);
  const superuser = openSuperuser(app.superuserUrl);
  expect(await superuser`select from maintenance_runs where name = 'verify_backup'`).toHaveLength(1);

  const [full = '', ...others] = files;
  const damaged = join(folder, 'damaged');
  const content = await readFile(full);
  content[(content.length / 2) | 0] = (content[(content.length / 2) | 0] ?? 0) ^ 1;
  await writeFile(damaged, content);
  const message = await refusal('verify-backup', settings, [damaged, ...others]);
  expect(message).toMatch(/\/damaged is damaged at \S+: /);
  const other = { ...settings, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  expect(await refusal('verify-backup', other, files)).toMatch(/^SECRETS_KEY: is not the key of this backup/);
});

test('kill -9 during an incremental backup leaves the former chain usable, and no file with the final name', async () => {
  const place = await mkdtemp(join(folder, 'killed-'));
  const three = join(place, 'three');
  const last = files.at(-1) as string;
  const superuser = openSuperuser(app.superuserUrl);
  await superuser.begin(async (tx) => {
    await tx`lock table usage_days in access exclusive mode`;
    const { child, ended } = start('backup', settings, ['--since', last, three]);
    await poll(async () => (await readdir(place)).length > 0);
    child.kill('SIGKILL');
    expect((await ended).code).toBe(null);
  });
  expect(await readdir(place)).toEqual([expect.stringMatching(/^three\.unfinished-\d+$/)]);
  await succeed('backup', settings, ['--since', last, three]);
  await succeed('verify-backup', settings, [...files, three]);
});

test('a chain that was made while a service writes is restored without differences', async () => {
  const DATA_DIR = join(folder, 'busy');
  const own = { ...env, LOG_LEVEL: 'silent', DATA_DIR };
  const service = await startService(own);
  onTestFinished(async () => {
    await service.stop('SIGKILL');
    await (await joinEmbeddedPostgres(DATA_DIR)).leave();
  });
  const at = connect(service.address);
  const person = await signUpFounder(at);
  const chain = ['busy-full', 'busy-one', 'busy-two'].map((name) => join(folder, name));
  let n = 0;
  for (const [position, file] of chain.entries()) {
    const since = position > 0 ? ['--since', chain[position - 1] as string] : [];
    const backup = run('backup', own, [...since, file]);
    let isRunning = true;
    void backup.finally(() => {
      isRunning = false;
    });
    while (isRunning) await submit(at, person, { source_text: `Busy ${n++}` });
    expect(await backup).toMatchObject({ code: 0, error: '' });
  }
  const lines = await succeed('verify-backup', own, [...chain, '--restore']);
  expect(lines).toContain('differences: 0');
  expect(lines.at(-1)).toMatch(/^No damage found/);
});
