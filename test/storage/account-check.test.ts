import { beforeEach, describe, expect, test } from 'vitest';
import { checkGoldenRecords } from '#test/factories/golden-check.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { checkUntilDone, passTime, standingStill } from '#test/translations/golden-files.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({
  env: { STALE_PENDING_SECONDS: '1', SWEEP_INTERVAL_SECONDS: '1' },
  accountTimes: impatient,
});

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
  await mine.connect();
});

const checked = () => checkUntilDone(app);

const linesOf = (id: string) =>
  mine
    .stored()
    .filter((path) => path.includes('manifest'))
    .flatMap((path) => mine.content(path).split('\n'))
    .filter((line) => line.includes(id));
/** The number of requests that appended to a manifest in the container. */
const appends = () =>
  account.lake.requests.filter(
    ({ filesystem, operation, path }) =>
      filesystem === mine.filesystem && operation === 'append' && path.includes('manifest'),
  ).length;
const recordsOf = (id: string) => mine.stored().filter((path) => path.includes(`${id}.json`));

describe('the check of golden records reaches into the account', () => {
  test.each([
    ['was not written', { how: 403 }],
    ['may have been written', { how: 'cut_after' }],
  ] as const)('a line of the manifest that %s is there once', async (_name, { how }) => {
    const end = mine.fail({ how, operation: 'append', path: /manifest/ });
    const job = await mine.job();
    await expect.poll(appends).toBeGreaterThan(0);
    end();
    await checked();
    expect(linesOf(job.id)).toHaveLength(1);
    await checked();
    expect(linesOf(job.id)).toHaveLength(1);
  });

  test('a line that the check has added is not repeated by a process that stood still', async () => {
    const job = await mine.job();
    await expect.poll(() => linesOf(job.id)).toHaveLength(1);
    await checked();
    const publish = await standingStill(app, mine.tenantId, job.id, async () => {
      await checked();
      expect(linesOf(job.id)).toHaveLength(2);
    });
    await publish();
    expect(linesOf(job.id)).toHaveLength(2);
  });

  test('lines stay, and go, beside their records when the golden prefix changes', async () => {
    const listed = await mine.job();
    await expect.poll(() => linesOf(listed.id)).toHaveLength(1);
    const end = mine.fail({ how: 403, operation: 'append', path: /manifest/ });
    const before = appends();
    const unlisted = await mine.job({ source_text: 'without a line' });
    await expect.poll(appends).toBeGreaterThan(before);
    end();
    await mine.connect({ prefixes: { golden: 'later/' } });
    const later = await mine.job({ source_text: 'in the new directory' });
    await checked();
    for (const { id } of [listed, unlisted, later]) expect(linesOf(id)).toHaveLength(1);
    const manifests = mine.stored().filter((path) => path.includes('manifest'));
    const ids = manifests.map((path) =>
      [listed, unlisted, later].filter(({ id }) => mine.content(path).includes(id)),
    );
    expect(ids).toEqual([[listed, unlisted], [later]]);
  });

  test('an account that is bound instead gets no lines of records in the former one', async () => {
    const { id } = await mine.job();
    await expect.poll(() => linesOf(id)).toHaveLength(1);
    const next = await openBound(app, account);
    await mine.connect({ filesystem: next.filesystem });
    await checked();
    expect(next.stored()).toEqual([]);
    expect(linesOf(id)).toHaveLength(1);
  });

  test('a record of a job that was lost is removed, others stay', async () => {
    const [lost, kept] = [await mine.job(), await mine.job({ source_text: 'kept' })];
    await openSuperuser(app.superuserUrl)`delete from translation_jobs where job_id = ${lost.id}`;
    await checked();
    expect([recordsOf(lost.id).length, recordsOf(kept.id).length]).toEqual([0, 1]);
  });

  test('a record that the account refuses to remove is tried again', async () => {
    const lost = await mine.job();
    await openSuperuser(app.superuserUrl)`delete from translation_jobs where job_id = ${lost.id}`;
    const end = mine.fail({ how: 403, operation: 'delete' });
    passTime(2000);
    await poll(async () => {
      await checkGoldenRecords(app.services);
      return account.lake.requests.some(
        ({ filesystem, operation }) => filesystem === mine.filesystem && operation === 'delete',
      );
    });
    await checkGoldenRecords(app.services);
    end();
    await checked();
    expect(recordsOf(lost.id)).toEqual([]);
  });

  test('an account that cannot be used does not hold up the records of others', {
    timeout: 40_000,
  }, async () => {
    const lost = await mine.job();
    await openSuperuser(app.superuserUrl)`delete from translation_jobs where job_id = ${lost.id}`;
    await mine.bind();
    const other = await openBound(app, account);
    await other.connect();
    const end = other.fail({ how: 403, path: /manifest/ });
    const job = await other.job();
    end();
    passTime(2000);
    await poll(async () => {
      await checkGoldenRecords(app.services);
      return other.stored().some((path) => other.content(path).includes(job.id) && path.includes('manifest'));
    });
  });
});
