import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { verify } from '#test/auth/mfa.ts';
import { challengeOf, env, type Person, queueDocument, signUpFounder, submit } from '#test/factories.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';
import { totpCode } from '#test/setup/totp.ts';
import { runVerify } from '../storage/verify.ts';
import { start, succeed } from './commands.ts';
import { answersOf, type Populated, populate } from './populated-service.ts';

/** The service of which a backup is made, and its responses at that time. */
interface Original {
  settings: Record<string, string>;
  populated: Populated;
  answers: Record<string, unknown>;
  /** A workspace in which jobs were submitted during the backup. */
  busy: { founder: Person; before: string[]; jobs: Map<string, unknown>; queued: string };
  file: string;
  printed: string[];
}

let folder: string;
let original: Original;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lingualoop-backup-'));
  original = await makeBackup({ ...env, LOG_LEVEL: 'silent', DATA_DIR: join(folder, 'original') });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Makes a backup of a service with the embedded database, which generates the key for stored secrets itself. */
async function makeBackup(settings: Record<string, string>): Promise<Original> {
  const complete = await startService(settings);
  const populated = await populate(connect(complete.address));
  const founder = await signUpFounder(connect(complete.address));
  expect(await complete.stop()).toBe(0);

  // Without workers, so that queued work stays queued.
  const service = await startService(settings, 'server/main.ts', ['--api-only']);
  const app = connect(service.address);
  const queued = await queueDocument(app, founder);
  const before = [await submit(app, founder), await submit(app, founder)];
  const file = join(folder, 'backup');
  const backup = succeed('backup', settings, [file]);
  let isRunning = true;
  void backup.finally(() => {
    isRunning = false;
  });
  const submitted = [...before];
  while (isRunning) submitted.push(await submit(app, founder, { source_text: `Text ${submitted.length}` }));
  const printed = await backup;
  const jobs = new Map<string, unknown>();
  for (const id of submitted)
    jobs.set(id, (await app.json('GET', `/api/translations/${id}`, { headers: founder.bearer })).body);
  const answers = await answersOf(app, populated);
  const { body } = await app.json('GET', `/api/documents/${queued}`, { headers: founder.bearer });
  expect(body.status).toBe('queued');
  expect(await service.stop()).toBe(0);
  return { settings, populated, answers, busy: { founder, before, jobs, queued }, file, printed };
}

/** Kills a restore while it fills the new database. The remains must not prevent the next restore. */
async function killRestore(settings: Record<string, string>, file: string): Promise<void> {
  const { child, ended } = start('restore', settings, [file]);
  const unfinished = join(settings['DATA_DIR'] as string, 'restore.unfinished/data/secrets.key');
  await poll(() => stat(unfinished).catch(() => undefined));
  child.kill('SIGKILL');
  expect((await ended).code).toBe(null);
}

describe.each(['an empty DATA_DIR', 'an empty database of another server'])('restored into %s', (place) => {
  let settings: Record<string, string>;
  let database: TestDatabase | undefined;
  let service: Awaited<ReturnType<typeof startService>>;
  let app: ReturnType<typeof connect>;

  beforeAll(async () => {
    const DATA_DIR = join(folder, place.replaceAll(' ', '-'));
    settings = { ...original.settings, DATA_DIR };
    if (place.includes('database')) {
      database = await createTestDatabase({ empty: true });
      settings['DATABASE_URL'] = database.url;
      settings['DATABASE_MIGRATION_URL'] = database.ownerUrl;
      settings['SECRETS_KEY'] = (await readFile(join(folder, 'original/secrets.key'), 'utf8')).trim();
    } else {
      await mkdir(join(DATA_DIR, 'lost+found'), { recursive: true });
      await mkdir(join(DATA_DIR, 'pages'));
      await writeFile(join(DATA_DIR, 'pages/about.md'), '# A page of our own');
      await killRestore(settings, original.file);
    }
    const [line] = await succeed('restore', settings, [original.file]);
    expect(line).toMatch(/^Restored the backup of .+Z: \d+ rows, \d+ objects, in [\d.]+ s$/);
    // A restored database never takes the storage of the original, not even at its first start.
    if (database) {
      const DATA_DIR = original.settings['DATA_DIR'] as string;
      await expect(startService({ ...settings, DATA_DIR })).rejects.toThrow(
        /does not belong to this database/,
      );
    }
    service = await startService(settings);
    app = connect(service.address);
  });

  afterAll(async () => {
    await service?.stop('SIGKILL');
    if (database) await database.drop();
    else await (await joinEmbeddedPostgres(settings['DATA_DIR'] as string)).leave();
  });

  test('the service gives the answers that it gave', async () => {
    const answers = await answersOf(app, original.populated);
    expect(Object.keys(answers).length).toBeGreaterThan(60);
    expect(answers).toEqual(original.answers);
  });

  test.runIf(place === 'an empty DATA_DIR')('the public pages that are there already stay', async () => {
    const page = await readFile(join(folder, 'an-empty-DATA_DIR/pages/about.md'), 'utf8');
    expect(page).toBe('# A page of our own');
  });

  test('what was submitted during the backup is there as a whole or not at all, and nothing of before is missing', async () => {
    const { founder, before, jobs } = original.busy;
    const found: string[] = [];
    let atWork = 0;
    for (const [id, body] of jobs) {
      const answer = await app.json('GET', `/api/translations/${id}`, { headers: founder.bearer });
      if (answer.status === 404) continue;
      // Jobs were submitted one after the other, so at most one of them could be running during the backup.
      if (answer.body.status === 'pending') atWork += 1;
      else expect(answer.body).toEqual(body);
      found.push(id);
    }
    expect(atWork).toBeLessThan(2);
    expect(found).toEqual(expect.arrayContaining(before));
  });

  test('a member signs in with the authenticator of before', async () => {
    const { founder } = original.populated;
    const answer = await verify(app, await challengeOf(app, founder), totpCode(founder.secret, 1));
    expect(answer.status).toBe(200);
  });

  test('queued work is done, and new work is taken', async () => {
    const { founder, queued } = original.busy;
    const document = () => app.json('GET', `/api/documents/${queued}`, { headers: founder.bearer });
    await poll(async () => (await document()).body.status === 'translated');
    await submit(app, founder, { source_text: 'New' });
    await submit(app, original.populated.founder, { source_text: 'New' });
  });

  test('storage and database agree', async () => {
    const { code, found } = await runVerify(settings, []);
    expect({ code, found }).toEqual({ code: 0, found: [] });
  });
});

test('only its owner can read the file, and what it prints says whether the key is in it', async () => {
  expect((await stat(original.file)).mode & 0o777).toBe(0o600);
  expect(original.printed).toEqual([
    'The backup contains the key that decrypts stored secrets: keep the file as secret as DATA_DIR.',
    expect.stringMatching(/: \d+ rows of \d+ tables, \d+ objects, [\d.]+ MB, in [\d.]+ s$/),
  ]);
});
