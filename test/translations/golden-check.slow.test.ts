import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { removeGoldenRecords } from '#server/records/golden-deletion.ts';
import { publishParkedJobs } from '#server/texts/parked-jobs.ts';
import { checkGoldenRecords } from '#test/factories/golden-check.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import {
  checkUntilDone,
  manifestLinesNow,
  manifestLinesOf,
  passTime,
  recordFile,
  recordsOf,
  restartSystem,
  standingStill,
} from './golden-files.ts';
import { useWorkspace } from './workspace.ts';

const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
});

const mine = useWorkspace(app);

const storage = () => join(app.services.settings.DATA_DIR, 'storage');

const checked = () => checkUntilDone(app);

describe('golden records that no job refers to', () => {
  test('are removed, if PostgreSQL lost the row of a run in progress', async () => {
    const lost = await mine.job({ source_text: 'a text that somebody owns' });
    const kept = await mine.job({ source_text: 'another' });
    const sql = openSuperuser(app.superuserUrl);
    await sql`delete from translation_jobs where job_id = ${lost.id}`;
    expect(await recordsOf(app, mine, lost.id)).toHaveLength(1);
    expect(await checked()).toBe(1);
    expect(await recordsOf(app, mine, lost.id)).toEqual([]);
    expect(await recordsOf(app, mine, kept.id)).toHaveLength(1);
  });

  test('are removed, if the run that wrote them failed before its job was stored', async () => {
    const job = await mine.job();
    const sql = openSuperuser(app.superuserUrl);
    await sql`update translation_jobs set status = 'failed', golden_uri = null where job_id = ${job.id}`;
    expect(await checked()).toBe(1);
    expect(await recordsOf(app, mine, job.id)).toEqual([]);
  });

  test('stay while their job is pending, and are checked afterwards', async () => {
    const job = await mine.job();
    const sql = openSuperuser(app.superuserUrl);
    await sql`update translation_jobs set status = 'pending', golden_uri = null where job_id = ${job.id}`;
    // Longer than STALE_PENDING_SECONDS, so that the announcement is old enough to be checked.
    passTime(1100);
    expect(await checkGoldenRecords(app.services)).toEqual({ removed: 0, rewritten: 0, listed: 0 });
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    await sql`update translation_jobs set status = 'failed' where job_id = ${job.id}`;
    expect(await checked()).toBe(1);
  });

  test('stay if the job is about to be published again', async () => {
    const job = await mine.job();
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      update translation_jobs set status = 'approved', publish_as = 'published', golden_uri = null,
        updated_at = now() - interval '1 hour' where job_id = ${job.id}`;
    passTime(1100);
    expect(await checkGoldenRecords(app.services)).toEqual({ removed: 0, rewritten: 0, listed: 0 });
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    await publishParkedJobs(app.services, mine.tenantId);
    expect(await checked()).toBe(0);
    expect(await recordsOf(app, mine, job.id)).toHaveLength(1);
    expect((await mine.read(job.id)).status).toBe('published');
  });
});

describe('the record of an earlier attempt', () => {
  /**
   * Changes only the row, as if another run had completed the job: the first run has written its record, and its
   * process has died.
   */
  const runAgain = async (id: string, status: string) => {
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      update translation_jobs set status = ${status}, attempt = 2, golden_uri = null where job_id = ${id}`;
  };

  test('is removed wherever the job is not pending', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const statuses = ['awaiting_review', 'approved', 'persistence_failed', 'rejected'];
    const jobs = await Promise.all(statuses.map((status) => mine.job({ source_text: status })));
    for (const [n, { id }] of jobs.entries()) await runAgain(id, statuses[n]!);
    expect(await checked()).toBe(statuses.length);
    for (const { id } of jobs) expect(await recordsOf(app, mine, id)).toEqual([]);
    await sql`delete from translation_jobs where tenant_id = ${mine.tenantId}`;
  });
});

test('temporary files of interrupted writes are removed after an hour', async () => {
  await mine.job();
  const old = join(storage(), '.incoming', 'broken-off.tmp');
  const young = join(storage(), '.incoming', 'under-way.tmp');
  for (const file of [old, young]) await writeFile(file, '{"half');
  const anHourAgo = new Date(Date.now() - 3_700_000);
  await utimes(old, anHourAgo, anHourAgo);
  await checkGoldenRecords(app.services);
  expect((await readdir(join(storage(), '.incoming'))).includes('under-way.tmp')).toBe(true);
  await expect(stat(old)).rejects.toThrow('ENOENT');
});

test('after an unclean system shutdown, lost and damaged records of published jobs are restored, and their lines', async () => {
  const jobs = [await mine.job({ source_text: 'one' }), await mine.job({ source_text: 'two' })];
  const untouched = await mine.job({ source_text: 'three' });
  const before = await recordsOf(app, mine, untouched.id);
  const [lost] = await recordsOf(app, mine, jobs[0]!.id);
  await app.services.storage.remove(`${mine.tenantId}/golden/${lost!.path}`);
  // A power failure can damage files that were not flushed to the disk in this way.
  await writeFile(await recordFile(app, mine.tenantId, jobs[1]!.id), '\0'.repeat(100));
  const [line] = await manifestLinesOf(app, mine, jobs[0]!.id);
  const manifest = join(storage(), 'golden', line!.path);
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(`${line!.line}\n`, '\0\0\0'));
  const restarted = await restartSystem(app);
  expect((await checkGoldenRecords(restarted)).rewritten).toBe(2);
  for (const { id } of jobs) {
    const [record] = await recordsOf(app, mine, id);
    expect(JSON.parse(record!.text)).toMatchObject({ job_id: id, job: { id, status: 'published' } });
  }
  expect(await recordsOf(app, mine, untouched.id)).toEqual(before);
  expect(await manifestLinesOf(app, mine, jobs[0]!.id)).toHaveLength(1);
  // The records are only compared once.
  expect((await checkGoldenRecords(restarted)).rewritten).toBe(0);
});

test('after an unclean system shutdown, jobs published since then have one line in the manifest', async () => {
  await mine.job();
  const restarted = await restartSystem(app);
  const { database } = app.services;
  let meanwhile: { id: string } | undefined;
  // Publishes a job after the manifests were read, and before the jobs are read.
  const inTenant: typeof database.inTenant = async (...given) => {
    meanwhile ??= await mine.job({ source_text: 'published meanwhile' });
    return database.inTenant(...given);
  };
  await checkGoldenRecords({ ...restarted, database: { ...database, inTenant } });
  expect(await manifestLinesOf(app, mine, meanwhile!.id)).toHaveLength(1);
});

test('after an unclean shutdown days ago, the jobs of each day are compared, and none has a second line', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const jobs = [await mine.job(), await mine.job({ source_text: 'the day before' }), await mine.job()];
  // Otherwise the check would add the lines of the announced records.
  await checked();
  const [lost] = await recordsOf(app, mine, jobs[1]!.id);
  await app.services.storage.remove(`${mine.tenantId}/golden/${lost!.path}`);
  const manifests = join(storage(), 'golden/manifest');
  for (const [days, { id }] of jobs.entries()) {
    // The line of the job is moved to the same day.
    const at = new Date(Date.now() - days * 86_400_000);
    await sql`update translation_jobs set updated_at = ${at.toISOString()} where job_id = ${id}`;
    const [{ path, line }] = (await manifestLinesOf(app, mine, id)) as [{ path: string; line: string }];
    const manifest = join(storage(), 'golden', path);
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(`${line}\n`, ''));
    const moved = JSON.stringify({ ...JSON.parse(line), recorded_at: at.toISOString() });
    await appendFile(join(manifests, `${at.toISOString().slice(0, 10)}.jsonl`), `${moved}\n`);
  }
  const restarted = await restartSystem(app, new Date(Date.now() - 3 * 86_400_000));
  expect((await checkGoldenRecords(restarted)).rewritten).toBe(1);
  for (const { id } of jobs) {
    expect(await recordsOf(app, mine, id)).toHaveLength(1);
    expect(await manifestLinesOf(app, mine, id)).toHaveLength(1);
  }
});

test('records that version 1.0.0 kept in packs become objects, and the packs with their texts are removed', async () => {
  const sql = openSuperuser(app.superuserUrl);
  const [kept, other] = [await mine.job({ source_text: 'one' }), await mine.job({ source_text: 'two' })];
  const [before] = await recordsOf(app, mine, kept.id);
  const pack = 'golden/2026-11/w1.jsonl.gz';
  const file = join(storage(), mine.tenantId, pack);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'a pack with the texts of a customer');
  const twoHoursAgo = new Date(Date.now() - 7_200_000);
  await utimes(file, twoHoursAgo, twoHoursAgo);
  for (const { id } of [kept, other]) {
    await rm(await recordFile(app, mine.tenantId, id));
    await sql`update translation_jobs set golden_uri = ${`${pack}/0-35/${id}.json`} where job_id = ${id}`;
  }
  await checkGoldenRecords(await restartSystem(app));
  const [record] = await recordsOf(app, mine, kept.id);
  expect(record!.path).toBe(before!.path);
  expect((await mine.read(kept.id)).request.metadata.golden_uri).toBe(`golden/${before!.path}`);
  expect(await recordsOf(app, mine, other.id)).toHaveLength(1);
  await expect(stat(file)).rejects.toThrow('ENOENT');
  expect(await manifestLinesOf(app, mine, kept.id)).toHaveLength(1);
});

describe('a record has one line in the manifest', () => {
  const linesOf = async (id: string) => (await manifestLinesOf(app, mine, id)).map(({ line }) => line);

  test('if its process stood still before the line until the check had added it', async () => {
    const job = await mine.job();
    await checked();
    const publish = await standingStill(app, mine.tenantId, job.id, async () => {
      await checked();
      expect(await linesOf(job.id)).toHaveLength(2);
    });
    await publish();
    // One line of each publication.
    expect(await linesOf(job.id)).toHaveLength(2);
  });

  const checks = {
    'completes the manifests': () => app.services,
    'compares all records after an unclean system shutdown': () => restartSystem(app),
  };

  test.each(Object.entries(checks))('if its process adds it while the check %s', async (_, open) => {
    const job = await mine.job();
    const [{ path, line }] = (await poll(async () => {
      const lines = await manifestLinesOf(app, mine, job.id);
      return lines.length > 0 && lines;
    })) as [{ path: string; line: string }];
    const manifest = join(storage(), 'golden', path);
    await writeFile(manifest, (await readFile(manifest, 'utf8')).replace(`${line}\n`, ''));
    const services = await open();
    const { database } = services;
    // The check reads rows after the manifest.
    const inTenant: typeof database.inTenant = async (...given) => {
      if ((await manifestLinesNow(app, mine, job.id)).length === 0) await appendFile(manifest, `${line}\n`);
      return database.inTenant(...given);
    };
    passTime(2000);
    await poll(async () => {
      await checkGoldenRecords({ ...services, database: { ...database, inTenant } });
      return (await readdir(join(storage(), 'golden/announced'))).length === 0;
    });
    expect(await linesOf(job.id)).toEqual([line]);
  });
});

test('the second look for a deleted job’s records is retried while the store is out of reach', async () => {
  const job = await mine.job();
  const { storage: store } = app.services;
  const away = {
    ...app.services,
    storage: {
      ...store,
      remove: async () => {
        throw new Error('the store is out of reach');
      },
    },
  };
  const goldenUri = (await mine.read(job.id)).request.metadata.golden_uri;
  const removed = { tenantId: mine.tenantId, jobId: job.id, goldenUri };
  await expect(removeGoldenRecords(away, removed)).rejects.toThrow('out of reach');
  expect(await removeGoldenRecords(app.services, removed)).toBe(1);
});
