import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { stoppable } from '#test/documents/workspace.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { manifestLinesOf, recordsOf } from '#test/translations/golden-files.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({ accountTimes: impatient });

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
});

const anyRecord = /^golden\/[0-9a-f]{6}\//;
/** A fault that occurs once. The write is retried after three seconds. */
const later = { how: 503, times: 1, headers: { 'retry-after': '3' } };
let texts = 0;

/**
 * Creates `count` jobs of a bound tenant that wait for publication, because they are approved while the binding is
 * unverified.
 * @returns the IDs, oldest first
 */
async function park(count: number, workspace = mine): Promise<string[]> {
  await workspace.connect();
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    texts += 1;
    const { id } = await workspace.job({ source_text: `Text ${texts}`, metadata: { sensitive: true } });
    ids.push(id);
  }
  await workspace.bind();
  for (const id of ids) expect((await workspace.review(id, { action: 'approve' })).status).toBe(409);
  return ids;
}

const statuses = (ids: string[], workspace = mine) =>
  Promise.all(ids.map(async (id) => (await workspace.readJob(id)).status));
const records = () => mine.stored().filter((path) => anyRecord.test(path));
const all = (count: number, status: string) => Array(count).fill(status);
const none = { published: 0, failed: 0, remaining: 0 };

/** The IDs in all lines of the account's manifests, sorted. */
const listed = () =>
  mine
    .stored()
    .filter((path) => path.includes('manifest'))
    .flatMap((path) => mine.content(path).trim().split('\n'))
    .map((line) => JSON.parse(line).job_id as string)
    .toSorted();

describe('a verify publishes parked jobs (B 4.6)', () => {
  test('and says how many, once', async () => {
    const ids = await park(4);
    expect((await mine.replay()).replay).toEqual({ published: 4, failed: 0, remaining: 0 });
    expect(await statuses(ids)).toEqual(all(4, 'published'));
    expect(records()).toHaveLength(4);
    await expect.poll(listed).toEqual(ids.toSorted());
    expect((await mine.replay()).replay).toEqual(none);
    expect(await mine.usage()).toHaveLength(4);
  });

  test('also more of them than are read at a time', { timeout: 60_000 }, async () => {
    const ids = await park(53);
    expect((await mine.replay()).replay).toEqual({ published: 53, failed: 0, remaining: 0 });
    expect(new Set(await statuses(ids))).toEqual(new Set(['published']));
    expect(records()).toHaveLength(53);
  });

  test('those that the account refuses stay parked, and are counted as failed', async () => {
    const ids = await park(4);
    const end = mine.fail({ how: 403, operation: 'create', path: new RegExp(ids[1]!) });
    expect((await mine.replay()).replay).toEqual({ published: 3, failed: 1, remaining: 0 });
    expect(await statuses(ids)).toEqual(['published', 'persistence_failed', 'published', 'published']);
    end();
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    expect(await statuses(ids)).toEqual(all(4, 'published'));
  });

  test('an account that refuses all of them is not asked for each; the sum is exact', async () => {
    const ids = await park(8);
    const end = mine.fail({ how: 403, path: anyRecord });
    const { replay } = await mine.replay();
    expect(replay.published).toBe(0);
    expect(replay.failed).toBeGreaterThan(0);
    expect(replay.failed + replay.remaining).toBe(8);
    expect(await statuses(ids)).toEqual(all(8, 'persistence_failed'));
    end();
    expect((await mine.replay()).replay).toEqual({ published: 8, failed: 0, remaining: 0 });
  });

  test('without a worker they remain, and a worker that comes later publishes them', async () => {
    const ids = await park(3);
    const process = stoppable(app);
    process.stop();
    const { status, body } = await mine.verify().finally(process.restore);
    expect([status, body.replay]).toEqual([200, { published: 0, failed: 0, remaining: 3 }]);
    expect(await statuses(ids)).toEqual(all(3, 'persistence_failed'));
    await withWorkers(app, async () => {
      await poll(async () => (await statuses(ids)).every((status) => status === 'published'));
    });
    expect(records()).toHaveLength(3);
  });

  test('a failed probe publishes nothing', async () => {
    const ids = await park(1);
    mine.fail({ how: 403, path: /\.verify/ });
    const body = await mine.replay();
    expect([body.status, body.replay]).toEqual(['error', undefined]);
    expect(await statuses(ids)).toEqual(['persistence_failed']);
  });

  test('two verifies at once publish each job once, and count it once', async () => {
    const ids = await park(6);
    const answers = await withWorkers(app, () => Promise.all([mine.verify(), mine.verify()]));
    const counts = answers.map(({ body }) => body.replay);
    expect(counts[0].published + counts[1].published).toBe(6);
    for (const { failed, remaining } of counts) expect([failed, remaining]).toEqual([0, 0]);
    expect(await statuses(ids)).toEqual(all(6, 'published'));
    await expect.poll(listed).toEqual(ids.toSorted());
    expect(records()).toHaveLength(6);
  });

  test('a job that was deleted while it was parked is not counted, nor written', async () => {
    const [gone = '', kept = ''] = await park(2);
    expect((await mine.remove(gone, mine.admin)).body).toMatchObject({
      deleted: true,
      golden_records_deleted: 0,
    });
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    expect(records()).toEqual([expect.stringContaining(kept)]);
  });

  test('a job that is deleted while it is written leaves no record', async () => {
    const [gone = '', kept = ''] = await park(2);
    const before = account.lake.requests.length;
    mine.fail({ ...later, path: new RegExp(gone) });
    const body = await mine.replay(async () => {
      const verifying = mine.verify();
      await poll(async () => account.lake.requests.slice(before).some(({ path }) => path.includes(gone)));
      expect((await mine.remove(gone, mine.admin)).status).toBe(200);
      return verifying;
    });
    expect(body.replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    expect(records()).toEqual([expect.stringContaining(kept)]);
    await expect.poll(listed).toEqual([kept]);
  });

  test('an edit meanwhile: what was not published stays parked, and the counts agree', async () => {
    const ids = await park(4);
    const before = account.lake.requests.length;
    mine.fail({ ...later, path: new RegExp(ids[1]!) });
    const { replay } = await mine.replay(async () => {
      const verifying = mine.verify();
      await poll(async () => account.lake.requests.slice(before).some(({ path }) => path.includes(ids[1]!)));
      await mine.bind({ filesystem: 'another' });
      return verifying;
    });
    expect(replay.published + replay.failed + replay.remaining).toBe(4);
    const published = (await statuses(ids)).filter((status) => status === 'published');
    expect(published).toHaveLength(replay.published);
    expect((await mine.replay(() => mine.unbind())).replay.published).toBe(4 - replay.published);
    expect(await statuses(ids)).toEqual(all(4, 'published'));
  });

  test('other tenants’ parked jobs stay as they are', async () => {
    const other = await openBound(app, account);
    const theirs = await park(1, other);
    const ours = await park(1);
    expect((await mine.replay()).replay).toEqual({ published: 1, failed: 0, remaining: 0 });
    expect([await statuses(ours), await statuses(theirs, other)]).toEqual([
      ['published'],
      ['persistence_failed'],
    ]);
  });
});

describe('either exit publishes parked jobs to platform storage', () => {
  test.each([
    ['DELETE', () => mine.unbind()],
    ['PUT of the platform', () => mine.bind({ provider: 'platform' })],
  ])('%s, with the summary', async (_name, leave) => {
    const ids = await park(3);
    const body = await mine.replay(leave);
    expect(body).toMatchObject({
      provider: 'platform',
      status: 'verified',
      replay: { published: 3, failed: 0, remaining: 0 },
    });
    expect(await statuses(ids)).toEqual(all(3, 'published'));
    expect(records()).toEqual([]);
    for (const id of ids) {
      const [record, ...more] = await recordsOf(app, mine, id);
      expect([JSON.parse(record!.text).job_id, more]).toEqual([id, []]);
      await expect.poll(() => manifestLinesOf(app, mine, id)).toHaveLength(1);
    }
  });

  test('a record whose connection was cut after it was written is published once on the platform', async () => {
    await mine.connect();
    const end = mine.fail({ how: 'cut_after', path: anyRecord });
    expect((await mine.submit({ source_text: 'Hello', target_lang: 'fr' })).status).toBe(502);
    end();
    const [{ id }] = await mine.list();
    expect((await mine.replay(() => mine.unbind())).replay.published).toBe(1);
    expect(await recordsOf(app, mine, id)).toHaveLength(1);
    expect((await mine.golden(id)).status).toBe(200);
  });
});

describe('a tenant on platform storage retries with verify (B 3.1)', () => {
  /** Puts a file at the place of the tenant's directory, so that writes fail. @returns a function that repairs it */
  async function breakPlatform() {
    const folder = join(app.services.settings.DATA_DIR, 'storage', mine.tenantId);
    await writeFile(folder, 'no folder');
    const mend = () => rm(folder, { force: true });
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return mend;
  }

  test('the parked jobs are published', async () => {
    await readdir(app.services.settings.DATA_DIR);
    await mine.job({ metadata: { sensitive: true } });
    const mend = await breakPlatform();
    expect(await mine.submit({ source_text: 'Hello', target_lang: 'fr' })).toMatchObject({
      status: 502,
      body: { error_code: 'persistence_failed' },
    });
    const broken = await mine.verify();
    expect(broken).toMatchObject({ status: 200, body: { provider: 'platform', status: 'error' } });
    expect(broken.body.last_error).toEqual(expect.any(String));
    expect(broken.body.last_error).not.toContain(app.services.settings.DATA_DIR);
    expect(broken.body).not.toHaveProperty('replay');
    await mend();
    expect(await mine.replay()).toMatchObject({
      provider: 'platform',
      status: 'verified',
      replay: { published: 1, failed: 0, remaining: 0 },
    });
  });
});
