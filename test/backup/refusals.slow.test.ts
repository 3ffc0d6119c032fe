import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { withSnapshot } from '#db/copy/snapshot.ts';
import { readHeader, readParts } from '#server/commands/backup/archive-reader.ts';
import { ArchiveWriter } from '#server/commands/backup/archive-writer.ts';
import { authenticate } from '#server/commands/backup/authentication.ts';
import { openChain } from '#server/commands/backup/chain.ts';
import { type Manifest, names } from '#server/commands/backup/format.ts';
import { refuseForged, verifyBackup } from '#server/commands/backup/restore-backup.ts';
import { type Source, takeBackup } from '#server/commands/backup/take.ts';
import { Refusal } from '#server/commands/refusal.ts';
import { createFormerDatabase, readFormer, writeFormerStore } from '#test/db/former/former-database.ts';
import { signUpFounder, submit, withAuthenticator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { cutAt, type Entries, entriesOf, packed } from './archives.ts';
import { refusal, start, succeed } from './commands.ts';

const app = useTestApp();
const keyOf = (byte: number) => Buffer.alloc(32, byte);
/** The key of the application. */
const SECRETS_KEY = keyOf(0).toString('base64');

let folder: string;
let file: string;
let settings: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-refusals-'));
  file = join(folder, 'whole');
  const founder = await withAuthenticator(app, await signUpFounder(app));
  await submit(app, founder, { source_text: 'A text that is looked for' });
  const { DATA_DIR } = app.services.settings;
  settings = {
    ...{ DATA_DIR, DATABASE_URL: app.databaseUrl, DATABASE_MIGRATION_URL: app.ownerUrl, SECRETS_KEY },
  };
  await succeed('backup', settings, [file]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Creates an empty database and data directory for another service. Returns them with a function that reads what a
 * rejected restore leaves.
 */
async function emptyPlace() {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const DATA_DIR = await mkdtemp(join(folder, 'place-'));
  // The restore gives the service's role its rights.
  const service = Object.assign(new URL(app.databaseUrl), { pathname: new URL(database.url).pathname }).href;
  const env = {
    DATA_DIR,
    DATABASE_URL: service,
    DATABASE_MIGRATION_URL: database.ownerUrl,
    SECRETS_KEY,
  };
  const remains = async () => {
    const rows = await openSuperuser(database.superuserUrl)<{ name: string }[]>`
      select relname as name from pg_class join pg_namespace n on n.oid = relnamespace
      where nspname !~ '^(pg_|information_schema)' and relkind in ('r', 'S')`;
    return [...rows.map(({ name }) => name), ...(await readdir(DATA_DIR))];
  };
  return { env, database, remains };
}

/** The message with which the command rejects a file. The restore must leave nothing. */
async function refused(given: string, more: Record<string, string> = {}): Promise<string> {
  const { env, remains } = await emptyPlace();
  const words = await refusal('restore', { ...env, ...more }, [given]);
  expect(await remains()).toEqual([]);
  return words;
}

/** The message of a check that the command makes before it writes anything. Runs in this process. */
async function unread(given: string): Promise<string> {
  const { signal } = new AbortController();
  try {
    const backup = await verifyBackup(await openChain([given]), signal);
    refuseForged(backup, { current: keyOf(0), previous: null });
  } catch (error) {
    expect(error).toBeInstanceOf(Refusal);
    return (error as Error).message;
  }
  throw new Error('it was not refused');
}

const newPlace = async () => join(await mkdtemp(join(folder, 'file-')), 'backup');

async function written(content: Uint8Array): Promise<string> {
  const place = await newPlace();
  await writeFile(place, content);
  return place;
}

/** Writes the entries of the backup to a new file after a change. */
async function changed(change: (entries: Entries) => Entries): Promise<string> {
  return written(await packed(change(await entriesOf(file))));
}

/**
 * Writes the backup to a new file with other content in one part. The digests are adapted, and a key authenticates the
 * file.
 */
async function rewritten(
  part: string,
  change: (text: string) => string,
  key: Buffer,
  included?: string,
): Promise<string> {
  const place = await newPlace();
  const archive = await ArchiveWriter.open(place);
  let manifest: Manifest | undefined;
  const parts = readParts(file, (found) => {
    manifest = found;
  });
  for await (const { name, content } of parts) {
    if (name.startsWith('list/')) await archive.beginTail();
    await archive.add(name, name === part ? change(content.toString('utf8')) : content);
    if (name === names.header && included !== undefined) await archive.add(names.key, included);
  }
  const { rows, objects, missing } = manifest as Manifest;
  await archive.finish((indexes) =>
    authenticate({ current: key, previous: null }, { indexes: [...indexes], rows, objects, missing }),
  );
  return place;
}

/** The objects that a load removes and creates again, as PostgreSQL describes them. */
async function objectsOf(superuserUrl: string): Promise<string[]> {
  const rows = await openSuperuser(superuserUrl)<{ object: string }[]>`
    with own as (select c.* from pg_class c where relnamespace::regnamespace::text in ('public', 'graphile_worker'))
    select format('%s: security %s, forced %s', oid::regclass, relrowsecurity, relforcerowsecurity) as object
      from own where relkind = 'r'
    union all select format('%s: policy %s %s', polrelid::regclass, polname, pg_get_expr(polqual, polrelid))
      from pg_policy join own on own.oid = polrelid
    union all select format('%s, enabled %s', pg_get_triggerdef(t.oid), tgenabled)
      from pg_trigger t join own on own.oid = tgrelid where not tgisinternal
    union all select format('%s, valid %s', pg_get_indexdef(indexrelid), indisvalid) from pg_index join own on own.oid = indrelid
    union all select format('%s: %s %s, valid %s', conrelid::regclass, conname, pg_get_constraintdef(k.oid), convalidated)
      from pg_constraint k join own on own.oid = conrelid
    order by 1`;
  return rows.map(({ object }) => object);
}

const jobs = 'database/public.translation_jobs/000001.copy';

test('rejects any other file, and a backup that is cut short anywhere, with the damaged part', async () => {
  const content = await readFile(file);
  for (const share of [0.2, 0.6, 0.97])
    expect(await unread(await written(content.subarray(0, content.length * share)))).toMatch(
      /is damaged at \S+: |is not a backup of this service/,
    );
  expect(await unread(await written(Buffer.from('hello')))).toContain('is not a backup of this service');
  expect(await unread(join(folder, 'nothing'))).toMatch(/cannot be read \(ENOENT/);
  // The archive ends within the rows of the jobs, and is compressed again.
  const cut = await cutAt(file, 'A text that is looked for');
  expect(await unread(await written(cut))).toContain(`is damaged at ${jobs}`);
});

test('rejects a file in which a byte has changed, with the part', async () => {
  const other = await changed((entries) => {
    const { data } = entries.find(({ header }) => header.name === jobs) as Entries[number];
    const rows = Buffer.from((data as Uint8Array).buffer, data?.byteOffset, data?.byteLength);
    rows.write('a', rows.indexOf('A text that is looked for'));
    return entries;
  });
  const words = await refused(other);
  expect(words).toContain(`is damaged at ${jobs}: its size or checksum differs from the index`);
  expect(words).toMatch(/; nothing was restored$/);
});

test('rejects a file with a part less or more, with the part', async () => {
  const without = await changed((entries) => entries.filter(({ header }) => header.name !== jobs));
  expect(await unread(without)).toContain(`is damaged at ${jobs}: it is missing`);
  const more = await changed(([first, ...rest]) => [
    first as (typeof rest)[number],
    { header: { name: 'objects/x/y', size: 1, type: 'file' }, data: new Uint8Array(1) },
    ...rest,
  ]);
  expect(await unread(more)).toContain('is damaged at ');
  const open = await changed((entries) => entries.slice(0, -1));
  expect(await unread(open)).toContain(
    'is damaged at manifest.json: it is missing because the file is incomplete',
  );
});

test('rejects a file that was changed together with its digests, but without the key', async () => {
  const forge = (text: string) => text.replace('A text that', 'X text that');
  expect(await unread(await rewritten(jobs, forge, keyOf(9)))).toContain(
    'the backup was not made with this SECRETS_KEY',
  );
});

test('rejects a file of a later version of the tables or of the format', async () => {
  const later = (text: string) =>
    text.replace(/"migration":(\d+)/, (_, at) => `"migration":${Number(at) + 1}`);
  expect(await refused(await rewritten('backup.json', later, keyOf(0)))).toMatch(/is from a later version/);
  const format = (text: string) => text.replace('"format":2', '"format":3');
  expect(await unread(await rewritten('backup.json', format, keyOf(0)))).toMatch(
    /has format 3, but this version .* reads format 2/,
  );
});

test('rejects another key than that of the backup, unless the operator declares the right one lost', async () => {
  const [id] = (await readHeader(file)).secrets_key.ids;
  const other = { SECRETS_KEY: keyOf(1).toString('base64') };
  expect(await refused(file, other)).toMatch(
    new RegExp(`^SECRETS_KEY: is not the key of this backup; set the key with the id ${id}`),
  );
  const { env } = await emptyPlace();
  await succeed('restore', { ...env, ...other, SECRETS_KEY_PREVIOUS: SECRETS_KEY }, [file]);
  const { env: lost } = await emptyPlace();
  await succeed('restore', { ...lost, ...other, ALLOW_UNREADABLE_SECRETS: 'true' }, [file]);
});

test('takes no backup with another key than that of the stored secrets, and creates no key', async () => {
  const place = join(folder, 'by-another-key');
  const other = { ...settings, SECRETS_KEY: keyOf(1).toString('base64') };
  expect(await refusal('backup', other, [place])).toMatch(
    /^SECRETS_KEY: cannot decrypt any of the stored secrets/,
  );
  const DATA_DIR = await mkdtemp(join(folder, 'without-a-key-'));
  await mkdir(join(DATA_DIR, 'postgres'));
  expect(await refusal('backup', { DATA_DIR }, [place])).toMatch(/^SECRETS_KEY: is not set, and there is no/);
  expect(await readdir(DATA_DIR)).toEqual(['postgres']);
  expect(await readdir(folder)).not.toContain('by-another-key');
});

test('rejects a file whose key is announced and missing, or another one', async () => {
  const DATA_DIR = await mkdtemp(join(folder, 'embedded-'));
  const says = (text: string) => text.replace('"included":false', '"included":true');
  const without = await rewritten('backup.json', says, keyOf(0));
  expect(await refusal('restore', { DATA_DIR }, [without])).toContain('is damaged at secrets.key');
  const other = await rewritten('backup.json', says, keyOf(0), keyOf(9).toString('base64'));
  expect(await refusal('restore', { DATA_DIR }, [other])).toContain('is damaged at secrets.key');
  expect(await readdir(DATA_DIR)).toEqual([]);
});

test('a restored database has the policies, triggers, indexes and keys of a migrated one, and is not restored over', async () => {
  const { env, database } = await emptyPlace();
  await succeed('restore', env, [file]);
  const expected = await objectsOf(app.superuserUrl);
  expect(expected.length).toBeGreaterThan(300);
  expect(await objectsOf(database.superuserUrl)).toEqual(expected);
  const DATA_DIR = await mkdtemp(join(folder, 'other-'));
  expect(await refusal('restore', { ...env, DATA_DIR }, [file])).toMatch(/^the database is not empty/);
});

test('a backup of an earlier version is restored with its rows, and with the tables of this one', async () => {
  const version = await readFormer('version-0');
  const former = await createFormerDatabase(version, await mkdtemp(join(folder, 'migrations-')));
  const old = { DATABASE_URL: former.url, SECRETS_KEY: version.secretsKey };
  const place = join(folder, 'of-an-earlier-version');
  const DATA_DIR = await mkdtemp(join(folder, 'former-'));
  await writeFormerStore(version, DATA_DIR);
  await succeed('backup', { ...old, DATA_DIR }, [place]);
  const { env, database } = await emptyPlace();
  await succeed('restore', { ...env, SECRETS_KEY: version.secretsKey }, [place]);
  expect(await objectsOf(database.superuserUrl)).toEqual(await objectsOf(app.superuserUrl));
  const jobsIn = (url: string) =>
    openSuperuser(url)`select tenant_id, job_id, status from translation_jobs order by 1, 2`;
  const jobsBefore = await jobsIn(former.superuserUrl);
  expect(jobsBefore.length).toBeGreaterThan(0);
  expect(await jobsIn(database.superuserUrl)).toEqual(jobsBefore);
});

test('nothing is restored over what is there: a table, an object, a file of DATA_DIR', async () => {
  const { env, database } = await emptyPlace();
  await openSuperuser(database.superuserUrl).unsafe('create table mine as select 1 as one');
  expect(await refusal('restore', env, [file])).toMatch(/^the database is not empty \(it has public.mine\)/);

  const used = await emptyPlace();
  await mkdir(join(used.env.DATA_DIR, 'storage/tenant'), { recursive: true });
  await writeFile(join(used.env.DATA_DIR, 'storage/tenant/object'), '');
  expect(await refusal('restore', used.env, [file])).toMatch(/^DATA_DIR: the storage is not empty/);

  const DATA_DIR = await mkdtemp(join(folder, 'used-'));
  await writeFile(join(DATA_DIR, 'mine'), '');
  expect(await refusal('restore', { DATA_DIR, SECRETS_KEY }, [file])).toMatch(/is not empty \(it has mine\)/);
  expect(await readdir(DATA_DIR)).toEqual(['mine']);
});

test('a backup needs one name, and overwrites no file', async () => {
  const before = await readFile(file);
  expect(await refusal('backup', settings, [file])).toBe(`${file} already exists; choose another name`);
  expect(await readFile(file)).toEqual(before);
  expect(await refusal('backup', settings, [])).toMatch(/^expected one file/);
});

test('Ctrl-C leaves no file of a backup, even while it waits for a table', async () => {
  const place = await mkdtemp(join(folder, 'stopped-'));
  const superuser = openSuperuser(app.superuserUrl);
  await superuser.begin(async (tx) => {
    await tx`lock table usage_days in access exclusive mode`;
    const { child, ended } = start('backup', settings, [join(place, 'backup')]);
    // Only connections of this database count, because other tests use the same server.
    await poll(
      async () =>
        (
          await tx`select from pg_locks join pg_database d on d.oid = database
          where not granted and datname = current_database()`
        ).length > 0,
    );
    expect(await readdir(place)).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toEqual({
      code: 1,
      lines: [],
      error: 'lingualoop: stopped before the end; nothing was kept\n',
    });
  });
  expect(await readdir(place)).toEqual([]);
});

test('a stop at the end of a backup leaves the whole file or none', async () => {
  const place = await mkdtemp(join(folder, 'at-the-end-'));
  const stop = new AbortController();
  const { storage } = app.services;
  let isAtEnd = false;
  const source: Source = {
    ...{ url: app.ownerUrl, keyFile: undefined, service: '1' },
    storage: {
      ...storage,
      listFolders(path) {
        isAtEnd = true;
        return storage.listFolders(path);
      },
    },
    keys: {
      get current() {
        if (isAtEnd) stop.abort();
        return keyOf(0);
      },
      previous: null,
    },
  };
  await takeBackup(source, join(place, 'backup'), stop.signal);
  expect(stop.signal.aborted).toBe(true);
  expect(await readdir(place)).toEqual(['backup']);
  await verifyBackup(await openChain([join(place, 'backup')]), new AbortController().signal);
});

test('a file that is gone is named, and all else is backed up and restored', async () => {
  const { storage } = app.services;
  const [tenant] = (await storage.listFolders()).filter((name) => name !== 'golden');
  let record = '';
  for await (const path of storage.walk(`${tenant}/golden`)) record = path;
  await storage.remove(record);
  const place = join(folder, 'without-a-record');
  const lines = await succeed('backup', settings, [place]);
  expect(lines.slice(0, 2)).toEqual([
    `Missing in the storage: ${record}`,
    expect.stringMatching(/^1 objects to which database rows refer are missing in the storage/),
  ]);
  const { env, database } = await emptyPlace();
  await succeed('restore', env, [place]);
  expect(await openSuperuser(database.superuserUrl)`select from translation_jobs`).toHaveLength(1);
});

test('what ends a backup in the middle of a table is what it says, such as a full disk', async () => {
  // The table is larger than the buffers of a connection.
  const table = { schema: 'pg_catalog', name: 'pg_description', columns: ['description', 'objoid'] };
  const backup = withSnapshot(app.ownerUrl, 'lingualoop backup', async (snapshot) => {
    for await (const _piece of snapshot.copyOut(table)) throw new Error('the disk is full');
  });
  await expect(backup).rejects.toThrow('the disk is full');
});
