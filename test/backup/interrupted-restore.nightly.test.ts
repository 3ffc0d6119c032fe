import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { signUpFounder, submit } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { startAccount } from '../storage/data-lake-account.ts';
import { refusal, run, start, succeed } from './commands.ts';

const app = useTestApp();
/** The key of the application. */
const SECRETS_KEY = Buffer.alloc(32).toString('base64');

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-interrupted-'));
  file = join(folder, 'whole');
  await submit(app, await signUpFounder(app));
  const { DATA_DIR } = app.services.settings;
  const roles = { DATABASE_URL: app.databaseUrl, DATABASE_MIGRATION_URL: app.ownerUrl };
  await succeed('backup', { DATA_DIR, ...roles, SECRETS_KEY }, [file]);
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

test('a service does not start on an unfinished restore', async () => {
  const DATA_DIR = await mkdtemp(join(folder, 'unfinished-'));
  await mkdir(join(DATA_DIR, 'restore.unfinished'));
  await expect(joinEmbeddedPostgres(DATA_DIR)).rejects.toThrow(/run "npm run restore" again/);
  expect(await readdir(DATA_DIR)).toEqual(['restore.unfinished']);
});

test('a restore that is killed can be run again, and leaves a database without a row until it is complete', async () => {
  const { env, database } = await emptyPlace();
  const { child, ended } = start('restore', env, [file]);
  const storage = join(env.DATA_DIR, 'storage');
  await poll(() => stat(join(storage, 'golden/restore.unfinished')).catch(() => undefined));
  await writeFile(join(storage, 'golden/of-the-interrupted-one'), '');
  child.kill('SIGKILL');
  expect((await ended).code).toBe(null);
  const sql = openSuperuser(database.superuserUrl);
  expect(await sql`select from pg_class where relname = 'translation_jobs'`).toHaveLength(0);
  const elsewhere = await emptyPlace();
  expect(await refusal('restore', { ...elsewhere.env, DATA_DIR: env.DATA_DIR }, [file])).toMatch(
    /^DATA_DIR: the storage is not empty/,
  );
  await succeed('restore', env, [file]);
  expect(await readdir(join(storage, 'golden'))).not.toContain('restore.unfinished');
  expect(await readdir(join(storage, 'golden'))).not.toContain('of-the-interrupted-one');
});

test('a restore whose storage fails at the very end is complete, and npm run migrate removes its mark', async () => {
  const account = await startAccount();
  onTestFinished(account.lake.close);
  const DATA_DIR = await mkdtemp(join(folder, 'lake-'));
  const env = {
    ...{ DATA_DIR, SECRETS_KEY, STORAGE_ENDPOINT_OVERRIDE: account.lake.url },
    PLATFORM_STORAGE_URL: `${account.address.accountUrl}/files?${account.sas}`,
  };
  const mark = 'golden/restore.unfinished';
  // The first deletion of this file clears the empty storage and must succeed.
  account.lake.fail({ how: 403, operation: 'delete', path: /restore\.unfinished/, after: 1 });
  expect(await refusal('restore', env, [file])).toMatch(
    /^everything is restored, but .* PLATFORM_STORAGE_URL .*: run npm run migrate, which removes it$/,
  );
  expect(await readdir(DATA_DIR)).toContain('postgres');
  expect(account.text(mark)).toBeDefined();
  const warned = await run('migrate', env, []);
  expect([warned.code, warned.error]).toEqual([
    0,
    expect.stringContaining('the object that marks an unfinished restore'),
  ]);
  account.lake.heal();
  const [line] = await succeed('migrate', env, []);
  expect(line).toContain(`The schema is up to date in the database of ${DATA_DIR}`);
  expect(account.text(mark)).toBeUndefined();
  expect(account.lake.files('contoso', 'files').size).toBeGreaterThan(0);
});
