import { beforeEach, describe, expect, test } from 'vitest';
import { addJob } from '#server/platform/job-queue.ts';
import { applyRetention } from '#server/retention/apply-retention.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { policyOf } from '#server/retention/retention-policy.ts';
import { readSettings } from '#server/settings.ts';
import {
  addDocument,
  approvePair,
  env,
  found,
  invite,
  type Person,
  submit,
  submitHeld,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { recordsOf } from '#test/translations/golden-files.ts';
import { tasks } from '#workers/tasks.ts';
import { operateHere, outputOf } from '../admin/command.ts';

const app = useTestApp({ env: { ...env, RETENTION_DAYS: '{"jobs":30,"documents":20}' } });
const sql = () => openSuperuser(app.superuserUrl);

let mine: Person;
beforeEach(async () => {
  mine = await found(app);
});

/** Makes a row look as if it had not changed for some days. */
const ageJob = (id: string, days: number) =>
  sql()`update translation_jobs set updated_at = now() - make_interval(days => ${days}::int) where job_id = ${id}`;
const ageDocument = (id: string, days: number) =>
  sql()`update document_jobs set updated_at = now() - make_interval(days => ${days}::int) where document_id = ${id}`;

const jobs = async ({ tenantId }: Person) =>
  (await sql()`select job_id from translation_jobs where tenant_id = ${tenantId} order by job_id`).map(
    (row) => row['job_id'],
  );
const documents = async ({ tenantId }: Person) =>
  (await sql()`select document_id from document_jobs where tenant_id = ${tenantId}`).map(
    (row) => row['document_id'],
  );
const countOf = async (table: string, { tenantId }: Person) =>
  (await sql()`select count(*)::int as rows from ${sql()(table)} where tenant_id = ${tenantId}`)[0]!['rows'];
const set = async (...args: string[]) => (await outputOf(app, ['set-retention', mine.tenantId, ...args]))[0];
const run = () => applyRetention(app.services, {});
const hasRecord = async (id: string) => (await recordsOf(app, mine, id)).length > 0;

describe('retention', () => {
  test('deletes finished text jobs that are older, with their records; usage and memory stay', async () => {
    await approvePair(app, mine);
    const [approved] = await jobs(mine);
    const old = await submit(app, mine, { source_text: 'Old' });
    const young = await submit(app, mine, { source_text: 'Young' });
    const open = await submitHeld(app, mine);
    for (const id of [approved, old, open]) await ageJob(id, 31);
    await ageJob(young, 29);
    const [usage, memory] = [await countOf('usage_records', mine), await countOf('memory_segments', mine)];
    expect([usage, memory]).toEqual([4, 1]);
    expect(await hasRecord(old)).toBe(true);
    await run();
    expect(await jobs(mine)).toEqual([young, open].sort());
    expect([await hasRecord(old), await hasRecord(young)]).toEqual([false, true]);
    expect([await countOf('usage_records', mine), await countOf('memory_segments', mine)]).toEqual([
      usage,
      memory,
    ]);
    expect((await app.json('GET', `/api/translations/${old}`, { headers: mine.key })).status).toBe(404);
  });

  test('deletes finished documents that are older, with files and segments', async () => {
    const [old, young] = [await addDocument(app, mine), await addDocument(app, mine)];
    await ageDocument(old, 21);
    await ageDocument(young, 19);
    const artifacts = await countOf('document_artifacts', mine);
    await run();
    expect(await documents(mine)).toEqual([young]);
    expect(await countOf('document_artifacts', mine)).toBe(artifacts / 2);
    const files = await app.services.storage.list(`${mine.tenantId}/documents`);
    expect(files.every((name) => name.startsWith(young))).toBe(true);
    expect(files.length).toBeGreaterThan(0);
  });

  test('of a workspace can be shorter, and never longer', async () => {
    const id = await submit(app, mine);
    await ageJob(id, 10);
    await set('--jobs', '300');
    await run();
    expect(await jobs(mine)).toEqual([id]);
    expect((await set('--jobs', '9')).retention).toContainEqual({
      data: 'jobs',
      deployment_days: 30,
      tenant_days: 9,
    });
    await run();
    expect(await jobs(mine)).toEqual([]);
  });

  test('deletes audit events only of workspaces with that setting', async () => {
    const other = await found(app);
    await sql()`update audit_log set recorded_at = now() - interval '400 days'`;
    await set('--audit', '365');
    await run();
    expect(await countOf('audit_log', mine)).toBe(1);
    expect((await eventsOf(app, mine.tenantId, 'retention_changed')).at(-1)).toMatchObject({
      actor: 'server',
      details: { audit_days: 365, hold: false },
    });
    expect(await countOf('audit_log', other)).toBeGreaterThan(0);
  });

  test('deletes old attempts to sign in that belong to no workspace, and no other event without one', async () => {
    const strangers = async () =>
      (await sql()`select event_id from audit_log where tenant_id = '' order by event_id`).map(
        (row) => row['event_id'],
      );
    await sql()`insert into audit_log (tenant_id, event_id, action, actor_kind, details, recorded_at)
      select '', name, action, 'anonymous', '{}', now() - make_interval(days => age) from (values
        ('old', 'sign_in_failed', 11), ('young', 'sign_in_failed', 9), ('other', 'tenant_deleted', 11)) v (name, action, age)`;
    const { RETENTION_DAYS } = readSettings({ RETENTION_DAYS: '{"audit":10}' });
    await run();
    expect(await strangers()).toEqual(['old', 'other', 'young']);
    await applyRetention({ ...app.services, settings: { ...app.services.settings, RETENTION_DAYS } }, {});
    expect(await strangers()).toEqual(['other', 'young']);
  });

  test('deletes ended invites, and no pending one, only with that setting', async () => {
    const invited = async (state: string, days: number) => {
      const { invite_id } = await invite(app, mine);
      await sql()`update invites set created_at = now() - make_interval(days => ${days + 10}::int),
        expires_at = ${state === 'pending' ? sql()`now() + interval '1 day'` : sql()`now() - make_interval(days => ${days}::int)`},
        redeemed_at = ${state === 'redeemed' ? sql()`now() - make_interval(days => ${days}::int)` : null},
        withdrawn_at = ${state === 'withdrawn' ? sql()`now() - make_interval(days => ${days}::int)` : null}
        where invite_id = ${invite_id}`;
      return invite_id;
    };
    const ended = ['expired', 'redeemed', 'withdrawn'];
    for (const state of ended) await invited(state, 31);
    const kept = [await invited('pending', 400)];
    for (const state of ended) kept.push(await invited(state, 29));
    await run();
    expect(await countOf('invites', mine)).toBe(7);
    await set('--invites', '30', '--hold');
    await run();
    expect(await countOf('invites', mine)).toBe(7);
    await set('--release');
    await run();
    const left = await sql()`select invite_id from invites where tenant_id = ${mine.tenantId}`;
    expect(left.map(({ invite_id }) => invite_id).sort()).toEqual(kept.sort());
  });

  test('deletes background jobs that have failed finally, except those of a workspace with a legal hold', async () => {
    const other = await found(app);
    await sql()`delete from graphile_worker._private_jobs`;
    for (const { tenantId } of [mine, other])
      await app.database.inTenant(tenantId, (tx) =>
        addJob(tx, 'fail_stale_jobs', { tenantId }, { key: `fail_stale_jobs:${tenantId}` }),
      );
    await sql()`update graphile_worker._private_jobs set attempts = max_attempts,
      run_at = now() - interval '8 days', updated_at = now() - interval '8 days'`;
    const { run: prune } = tasks.prune_expired;
    const pruneAfter = (days: number) =>
      prune(
        { ...app.services, settings: readSettings({ RETENTION_DAYS: JSON.stringify({ queue: days }) }) },
        {},
      );
    const left = async () =>
      (await sql()`select payload ->> 'tenantId' as id from graphile_worker._private_jobs`).map(
        ({ id }) => id,
      );
    await pruneAfter(9);
    expect(await left()).toHaveLength(2);
    await set('--hold');
    await pruneAfter(7);
    expect(await left()).toEqual([mine.tenantId]);
    await set('--release');
    await pruneAfter(7);
    expect(await left()).toEqual([]);
  });

  test('is suspended by a legal hold, which also forbids the deletion of the workspace', async () => {
    const id = await submit(app, mine);
    await ageJob(id, 400);
    expect(await set('--hold')).toMatchObject({ hold: true });
    await run();
    expect(await jobs(mine)).toEqual([id]);
    const schedule = () => operateHere(app, ['delete-tenant', mine.tenantId, '--after-days', '0']);
    await expect(schedule()).rejects.toThrow(
      `${mine.tenantId} has a legal hold; end it with set-retention --release`,
    );
    await set('--release');
    await schedule();
    await set('--hold');
    await deleteDueTenants(app.services);
    expect(await jobs(mine)).toEqual([id]);
    await set('--release');
    await run();
    expect(await jobs(mine)).toEqual([]);
  });

  test('of one workspace continues if the storage of another fails', async () => {
    const other = await found(app);
    const [mineFirst] = [mine, other].sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
    const ids = new Map<string, string>();
    for (const person of [mine, other]) {
      const id = await submit(app, person);
      await ageJob(id, 31);
      ids.set(person.tenantId, id);
    }
    const failing = mineFirst!.tenantId;
    const { storage } = app.services;
    const remove = async (path: string) => {
      if (path.startsWith(failing)) throw new Error('the disk fails');
      return storage.remove(path);
    };
    await applyRetention({ ...app.services, storage: { ...storage, remove } }, {});
    const rows =
      await sql()`select tenant_id from translation_jobs where job_id in ${sql()([...ids.values()])}`;
    expect(rows.map((row) => row['tenant_id'])).toEqual([failing]);
    await run();
    expect(await jobs(mineFirst!)).toEqual([]);
  });

  test('opens no transaction for a workspace without old data', async () => {
    const other = await found(app);
    const [old, young] = [await submit(app, mine), await submit(app, other)];
    await ageJob(old, 31);
    await ageJob(young, 29);
    const { database } = app.services;
    const opened = new Set<string>();
    const inTenant: typeof database.inTenant = (tenantId, work) => {
      opened.add(tenantId);
      return database.inTenant(tenantId, work);
    };
    await applyRetention({ ...app.services, database: { ...database, inTenant } }, {});
    expect([opened.has(mine.tenantId), opened.has(other.tenantId)]).toEqual([true, false]);
    expect(await jobs(mine)).toEqual([]);
  });
});

describe('set-retention', () => {
  test.each([
    [['--jobs', '0'], '--jobs must be'],
    [['--audit', 'week'], '--audit must be'],
    [
      ['--usage', '61'],
      '--usage must be at least 62: records of the current and the previous month are always kept',
    ],
    [['--hold', '--release'], '--hold and --release exclude each other'],
  ])('%s is rejected', async (args, message) => {
    await expect(async () => set(...args)).rejects.toThrow(message);
    expect(await countOf('tenant_retention', mine)).toBe(0);
  });

  test('prints the policy of the deployment and of the workspace, and "default" removes a value', async () => {
    await set('--documents', '5');
    const days = (data: string, deployment_days: number | null) => ({
      data,
      deployment_days,
      tenant_days: deployment_days,
    });
    expect(await set('--documents', 'default')).toMatchObject({
      hold: false,
      retention: [
        days('jobs', 30),
        days('documents', 20),
        ...['audit', 'usage', 'invites'].map((data) => days(data, null)),
      ],
    });
  });
});

test('without settings, everything is kept', () => {
  const settings = readSettings({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
  const kept = { jobs: null, documents: null, audit: null, usage: null, invites: null };
  expect(policyOf(settings, null)).toEqual(kept);
  const none = { documentsDays: null, auditDays: null, usageDays: null, invitesDays: null };
  expect(policyOf(settings, { jobsDays: 7, ...none, hold: false })).toEqual({ ...kept, jobs: 7 });
});
