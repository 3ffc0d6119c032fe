import { beforeEach, describe, expect, test } from 'vitest';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { listDeletions, scheduleDeletion } from '#server/retention/tenant-deletions.ts';
import { destinationOf } from '#server/storage/destination.ts';
import { recordingEngine } from '#test/documents/workspace.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Bound, impatient, openBound, useAccountApp } from '../storage/bound-workspace.ts';

const { account, app } = await useAccountApp({ engine: recordingEngine(), accountTimes: impatient });

let mine: Bound;
let objects: number;
beforeEach(async () => {
  mine = await openBound(app, account);
  await mine.connect();
  await mine.job();
  await mine.job({ source_text: 'Other' });
  await mine.translate();
  // Two text records and their manifest, the source and the translated file.
  expect(mine.stored()).toHaveLength(5);
  objects = mine.stored().filter((path) => !path.includes('manifest')).length;
  await scheduleDeletion(app.database, mine.tenantId, 0);
});

const run = async () => {
  await deleteDueTenants(app.services);
  return (await listDeletions(app.database)).find(({ tenantId }) => tenantId === mine.tenantId)!;
};
const startedDaysAgo = (days: number) =>
  openSuperuser(app.superuserUrl)`update tenant_deletions
    set started_at = now() - make_interval(days => ${days}::int) where tenant_id = ${mine.tenantId}`;

describe('the deletion of a tenant with its own account', () => {
  test('removes what the service has stored there, with the manifests, and nothing else', async () => {
    const destination = await destinationOf(app.services, mine.tenantId);
    if (destination.provider === 'datalake') await destination.store.put('documents/report.pdf', 'not ours');
    const { finishedAt, progress } = await run();
    expect(mine.stored()).toEqual(['documents/report.pdf']);
    expect(finishedAt).not.toBeNull();
    expect(progress).toMatchObject({ accountObjects: objects, leftInAccount: 0, manifestLines: 2 });
  });

  test('is continued while the account fails, and keeps the rows that refer to its objects', async () => {
    mine.fail({ how: 403, operation: 'delete' });
    expect(await run()).toMatchObject({
      finishedAt: null,
      progress: { accountObjects: 0, leftInAccount: 0 },
    });
    expect(mine.stored()).toHaveLength(5);
    account.lake.heal();
    const { finishedAt, progress } = await run();
    expect(finishedAt).not.toBeNull();
    expect(progress).toMatchObject({ accountObjects: objects, leftInAccount: 0 });
    expect(mine.stored()).toEqual([]);
  });

  test('leaves the objects there after the account has failed for three days, and reports them', async () => {
    mine.fail({ how: 403, operation: 'delete' });
    await startedDaysAgo(4);
    const { finishedAt, progress } = await run();
    expect(finishedAt).not.toBeNull();
    expect(progress).toMatchObject({ accountObjects: 0, leftInAccount: objects });
    account.lake.heal();
  });

  test('leaves and reports the objects of an account that it cannot open', async () => {
    await openSuperuser(app.superuserUrl)`update storage_bindings set status = 'unverified'
      where tenant_id = ${mine.tenantId}`;
    const { finishedAt, progress } = await run();
    expect(finishedAt).not.toBeNull();
    expect(progress).toMatchObject({ accountObjects: 0, leftInAccount: objects });
    expect(mine.stored()).toHaveLength(5);
  });
});
