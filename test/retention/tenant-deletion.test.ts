import { readdir, readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { tenantTables } from '#server/retention/tenant-tables.ts';
import { checkGoldenRecords } from '#test/factories/golden-check.ts';
import { env, found } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { auditOf, everyRow } from '#test/setup/stored-rows.ts';
import { operateHere, outputOf } from '../admin/command.ts';
import { type Filled, fillWorkspace } from './full-workspace.ts';

const app = useTestApp({ env: { ...env, TM_ASYNC_THRESHOLD: '1' } });
const dayMs = 86_400_000;
const sql = () => openSuperuser(app.superuserUrl);

/** Everything in the database and in platform storage, as texts. */
async function everything(): Promise<string[]> {
  const rows = (await everyRow(sql())).map(({ table, row }) => `${table} ${row}`);
  const folder = joinPath(app.services.settings.DATA_DIR, 'storage');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = joinPath(entry.parentPath, entry.name);
      if (!entry.isFile()) return `${path} `;
      const bytes = await readFile(path);
      return `${path} ${bytes.toString('latin1')}`;
    }),
  );
  return [...rows, ...files];
}

const hits = (texts: readonly string[], words: readonly string[]) =>
  words.filter((word) => texts.some((text) => text.includes(word)));

/** Everything about a tenant, except values that change without a request. */
const ofTenant = async (tenantId: string) =>
  (await everything()).filter((text) => text.includes(tenantId)).sort();

const schedule = (tenantId: string, days = 0) =>
  operateHere(app, ['delete-tenant', tenantId, '--after-days', String(days)]);

/** Gives lists of announcements and manifests of today the names that they would have had three days ago. */
async function threeDaysLater(): Promise<void> {
  const { storage } = app.services;
  const move = async (from: string, to: string) => {
    await storage.put(to, (await storage.read(from, 0, 10_000_000))!);
    await storage.remove(from);
  };
  const day = (ago: number) => new Date(Date.now() - ago * dayMs).toISOString().slice(0, 10);
  await app.settled();
  for (const name of await storage.list(`golden/manifest/${day(0)}`))
    await move(`golden/manifest/${day(0)}/${name}`, `golden/manifest/${day(3)}/${name}`);
  for (const folder of ['golden/announced', 'golden/announced-documents'])
    for (const name of await storage.list(folder)) {
      const [end, ...rest] = name.split('.');
      await move(`${folder}/${name}`, `${folder}/${[Number(end) - 3 * dayMs, ...rest].join('.')}`);
    }
  await sql()`update tenant_deletions set tenant_created_at = tenant_created_at - interval '3 days'`;
}

const deletionOf = async (tenantId: string) =>
  (await outputOf(app, ['deletions'])).find(({ id }) => id === tenantId);

describe('the deletion of a tenant', () => {
  let mine: Filled;
  beforeEach(async () => {
    mine = await fillWorkspace(app);
    await app.settled();
  });

  test('leaves nothing of the tenant in database, queue and storage, and all of another tenant', async () => {
    const other = await fillWorkspace(app);
    const before = await everything();
    expect(hits(before, mine.planted)).toEqual(mine.planted);
    expect(mine.planted.length).toBeGreaterThanOrEqual(30);
    const untouched = await ofTenant(other.tenantId);
    await schedule(mine.tenantId);
    await threeDaysLater();
    await deleteDueTenants(app.services);
    await checkGoldenRecords(app.services);
    const after = await everything();
    expect(hits(after, mine.planted)).toEqual([]);
    const traces = after.filter((text) => text.includes(mine.tenantId)).map((text) => text.split(' ')[0]);
    expect(traces.sort()).toEqual(['public.audit_log', 'public.tenant_deletions']);
    expect(hits(after, other.planted)).toEqual(hits(before, other.planted));
    const now = (await ofTenant(other.tenantId)).filter((text) => !/manifest|announced/.test(text));
    expect(now).toEqual(untouched.filter((text) => !/manifest|announced/.test(text)));
  });

  test('finishes only when the manifests of the last days can be rewritten, and then deletes what came later', async () => {
    const { storage } = app.services;
    await schedule(mine.tenantId);
    await deleteDueTenants(app.services);
    expect(await deletionOf(mine.tenantId)).toMatchObject({ state: 'running', manifest_lines: 0 });
    expect(hits(await everything(), mine.planted)).toEqual([]);
    // A request that was running when the tenant was locked.
    await storage.put(`${mine.tenantId}/golden/late.json`, 'late');
    await sql()`insert into audit_log (tenant_id, event_id, action, actor_kind)
      values (${mine.tenantId}, 'late', 'signed_out', 'anonymous')`;
    await threeDaysLater();
    await deleteDueTenants(app.services);
    expect(await deletionOf(mine.tenantId)).toMatchObject({ state: 'finished', manifest_lines: 5 });
    expect(
      (await everything()).filter((text) => text.includes(mine.tenantId) && text.includes('late')),
    ).toEqual([]);
  });

  test('changes nothing before it is due', async () => {
    await schedule(mine.tenantId, 1);
    const before = await ofTenant(mine.tenantId);
    await deleteDueTenants(app.services);
    expect(await ofTenant(mine.tenantId)).toEqual(before);
  });

  test('changes nothing as a dry run, which counts the rows of each table and the files', async () => {
    const before = await ofTenant(mine.tenantId);
    const [counted] = await outputOf(app, ['delete-tenant', mine.tenantId, '--dry-run']);
    expect(await ofTenant(mine.tenantId)).toEqual(before);
    expect(counted).toMatchObject({ due_at: null, rows: { translation_jobs: 6, document_jobs: 2 } });
    await schedule(mine.tenantId);
    await deleteDueTenants(app.services);
    const { rows, files: deleted } = await deletionOf(mine.tenantId);
    expect(deleted).toBe(counted.files);
    // Signing out deletes the sessions, and scheduling adds an audit event.
    for (const [table, count] of Object.entries(rows))
      if (!['tokens', 'credential_directory', 'audit_log'].includes(table))
        expect(counted.rows).toMatchObject({ [table]: count });
  });

  test('reports numbers, and no content', async () => {
    await schedule(mine.tenantId);
    expect(await deletionOf(mine.tenantId)).toMatchObject({ state: 'scheduled', rows: {} });
    await threeDaysLater();
    const [counted] =
      await sql()`select count(*)::int as users from users where tenant_id = ${mine.tenantId}`;
    await deleteDueTenants(app.services);
    const report = await deletionOf(mine.tenantId);
    expect(report).toMatchObject({
      state: 'finished',
      rows: { users: counted!['users'], translation_jobs: 6, document_jobs: 2 },
      left_in_account: 0,
    });
    expect(report.files).toBeGreaterThan(3);
    expect(report.manifest_lines).toBeGreaterThan(1);
    expect(hits([JSON.stringify(report)], mine.planted)).toEqual([]);
    const events = (await auditOf(app.superuserUrl, { tenantId: '' })).filter(
      ({ action }) => action === 'tenant_deleted',
    );
    expect(events.at(-1)).toMatchObject({ actor: 'server', details: { files: report.files } });
  });
});

describe('delete-tenant', () => {
  const statusOf = async (headers: Record<string, string>) =>
    (await app.json('GET', '/api/translations', { headers })).status;

  test('locks the tenant at once, and cancel-deletion restores it', async () => {
    const founder = await found(app);
    const { tenantId } = founder;
    const lines = await schedule(tenantId, 30);
    const { due_at } = await deletionOf(tenantId);
    expect(lines).toContain(`due_at  ${due_at}`);
    expect(Date.parse(due_at) - Date.now()).toBeGreaterThan(29.9 * dayMs);
    expect([await statusOf(founder.key), await statusOf(founder.bearer)]).toEqual([401, 401]);
    await expect(operateHere(app, ['reactivate-tenant', tenantId])).rejects.toThrow(
      `the deletion of ${tenantId} is scheduled for ${due_at}; cancel it with cancel-deletion`,
    );
    await expect(schedule(tenantId)).rejects.toThrow(`is scheduled for ${due_at} already`);
    expect(await outputOf(app, ['cancel-deletion', tenantId])).toMatchObject([{ active: true }]);
    expect([await statusOf(founder.key), await statusOf(founder.bearer)]).toEqual([200, 401]);
    expect(await deletionOf(tenantId)).toBeUndefined();
    const actions = (await auditOf(app.superuserUrl, founder)).map(({ action }) => action);
    expect(actions.slice(-2)).toEqual(['tenant_deletion_scheduled', 'tenant_deletion_canceled']);
  });

  test('leaves a tenant deactivated after a cancellation if it was before', async () => {
    const { tenantId, key } = await found(app);
    await operateHere(app, ['deactivate-tenant', tenantId]);
    await schedule(tenantId);
    expect(await outputOf(app, ['cancel-deletion', tenantId])).toMatchObject([{ active: false }]);
    expect(await statusOf(key)).toBe(401);
  });

  test('is final when it has started', async () => {
    const { tenantId } = await found(app);
    await schedule(tenantId);
    await sql()`update tenant_deletions set started_at = now() where tenant_id = ${tenantId}`;
    await expect(operateHere(app, ['cancel-deletion', tenantId])).rejects.toThrow(
      'has started and cannot be canceled',
    );
    await deleteDueTenants(app.services);
    await expect(operateHere(app, ['cancel-deletion', tenantId])).rejects.toThrow('unknown tenant');
  });

  test.each(['active', 'past_due'])('is rejected while a subscription is %s', async (status) => {
    const { tenantId, key } = await found(app);
    await sql()`update tenants set metadata = metadata || ${sql().json({ pay_subscription_status: status })}
      where tenant_id = ${tenantId}`;
    await expect(schedule(tenantId)).rejects.toThrow(`has a subscription (${status}); cancel it`);
    expect(await statusOf(key)).toBe(200);
  });

  test('of an unknown tenant is rejected as a dry run, too', async () => {
    await expect(operateHere(app, ['delete-tenant', 'nobody', '--dry-run'])).rejects.toThrow(
      'unknown tenant: nobody',
    );
  });
});

describe('the tables of the deletion', () => {
  test('are all tables of the database that have a tenant', async () => {
    const rows = await sql()`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p') and not c.relispartition and a.attname = 'tenant_id' and c.relnamespace = 'public'::regnamespace`;
    const names = rows
      .map(({ name }) => name)
      .filter((name) => !['tenants', 'tenant_deletions'].includes(name));
    expect(tenantTables.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  test('come before the tables to which they refer', () => {
    const names = tenantTables.map(({ name }) => name);
    for (const { name, parents } of tenantTables)
      for (const parent of parents.filter((one) => names.includes(one)))
        expect(names.indexOf(name), `${name} before ${parent}`).toBeLessThan(names.indexOf(parent));
    expect(names.at(-1)).toBe('storage_bindings');
  });
});
