import { unzipSync } from 'fflate';
import { beforeEach, describe, expect, test } from 'vitest';
import { applyRetention, removeOldUsage } from '#server/retention/apply-retention.ts';
import { readSettings } from '#server/settings.ts';
import { runExport } from '#server/workspace-export/run-export.ts';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, found, operator, type Person, submit } from '#test/factories.ts';
import { addRecords } from '#test/metering/ledger.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { operateHere } from '../admin/command.ts';

const app = useTestApp({ env: { ...env, RETENTION_DAYS: '{"usage":100}' } });
const sql = () => openSuperuser(app.superuserUrl);

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
const dayOf = (date: Date) => date.toISOString().slice(0, 10);
const noon = (days: number) => `${dayOf(daysAgo(days))}T12:00:00.000Z`;

let mine: Person;
/** A submitted text, whose job exists and whose record is old. */
let text: string;
beforeEach(async () => {
  mine = await found(app);
  text = await submit(app, mine, { source_text: 'Old', domain: 'Law' });
  await sql()`update usage_records set recorded_at = ${noon(120)}, billing_period = ${noon(120).slice(0, 7)}
    where job_id = ${text}`;
  await sql()`update usage_totals set day = ${dayOf(daysAgo(120))} where tenant_id = ${mine.tenantId}`;
  await sql()`update translation_jobs set created_at = ${noon(120)} where job_id = ${text}`;
  await addRecords(app, mine.tenantId, [
    { at: noon(150), targetLang: 'de', billableChars: 5, fastPath: 'tm_exact' },
    { at: noon(150), targetLang: 'de', billableChars: 6, fastPath: 'tm_exact' },
    { at: noon(150), targetLang: 'fr', billableChars: 7, kind: 'document', submittedBy: mine.userId },
    { at: noon(101), targetLang: 'fr', billableChars: 8, submittedBy: 'api_key' },
    { at: noon(99), targetLang: 'fr', billableChars: 9 },
    { at: noon(3), targetLang: 'fr', billableChars: 10 },
  ]);
});

const run = () => applyRetention(app.services, {});
const remove = (limit: number, before = daysAgo(100)) =>
  app.database.inTenant(mine.tenantId, (tx) => removeOldUsage(tx, mine.tenantId, { before, limit }));
const rpc = async (path: string, input: Fields) =>
  (await viaRpc(app, { path, type: 'query' }, { input, headers: mine.bearer })).body;
const read = async (path: string, headers: Record<string, string> = mine.bearer) => {
  const { status, body } = await app.json('GET', path, { headers });
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const recordDays = async () =>
  (
    await sql()`select recorded_at from usage_records where tenant_id = ${mine.tenantId} order by recorded_at`
  ).map(({ recorded_at }) => dayOf(recorded_at));
const days = (...ages: number[]) => ages.map((age) => dayOf(daysAgo(age)));

/** Every report of usage, without single records. */
async function reports() {
  const range = { from: dayOf(daysAgo(200)), to: dayOf(new Date()) };
  const query = `from=${range.from}&to=${range.to}`;
  const periods = [...new Set([150, 120, 101, 99, 3].map((age) => noon(age).slice(0, 7)))];
  const fields = ['target_lang', 'source_lang', 'kind', 'served_from', 'submitted_by'];
  return {
    daily: await read(`/api/tenants/usage/daily?${query}`),
    dailyOfOperator: await read(`/api/tenants/usage/daily?${query}&tenant_id=${mine.tenantId}`, operator),
    dailyOfAll: await read(`/api/tenants/usage/daily?${query}`, operator),
    summaries: await Promise.all(
      periods.map(async (period) => {
        const { records: _, ...rest } = await read(`/api/tenants/${mine.tenantId}/billing?period=${period}`);
        return rest;
      }),
    ),
    breakdowns: await Promise.all(fields.map((by) => rpc('usage.breakdown', { ...range, by }))),
    domains: await rpc('reviews.byDomain', range),
  };
}

describe('retention of usage records', () => {
  test('removes records of older days, and every report has the same figures as before', async () => {
    const before = await reports();
    expect(before.breakdowns[0].groups).toHaveLength(2);
    expect(before.domains.groups.map(({ name }: Fields) => name)).toContain('law');
    await run();
    expect(await recordDays()).toEqual(days(99, 3));
    expect(await reports()).toEqual(before);
    await run();
    expect(await reports()).toEqual(before);
  });

  test('leaves no more than a row per day and group', async () => {
    await run();
    const rows = await sql()`
      select day::text, kind, target_lang, served_from, submitted_by, domain, jobs::int, billable_chars::int
      from usage_day_groups where tenant_id = ${mine.tenantId} and day = ${dayOf(daysAgo(150))}
      order by billable_chars`;
    expect([...rows]).toEqual([
      expect.objectContaining({ kind: 'document', target_lang: 'fr', submitted_by: mine.userId, jobs: 1 }),
      expect.objectContaining({ served_from: 'tm_exact', target_lang: 'de', jobs: 2, billable_chars: 11 }),
    ]);
  });

  test('of two processes at the same time, in single steps, counts each record once', async () => {
    const before = await reports();
    for (let round = 0; round < 4; round++) await Promise.all([remove(1), remove(2), remove(1)]);
    expect(await remove(1)).toBe(0);
    expect(await recordDays()).toEqual(days(99, 3));
    expect(await reports()).toEqual(before);
  });

  test('that is interrupted changes nothing', async () => {
    const before = await reports();
    const interrupted = app.database.inTenant(mine.tenantId, async (tx) => {
      expect(await removeOldUsage(tx, mine.tenantId, { before: daysAgo(100), limit: 3 })).toBe(3);
      throw new Error('the process dies');
    });
    await expect(interrupted).rejects.toThrow('the process dies');
    expect(await recordDays()).toHaveLength(7);
    expect(await reports()).toEqual(before);
  });

  test('adds a record that comes late to a day that was removed', async () => {
    await run();
    await addRecords(app, mine.tenantId, [{ at: noon(150), targetLang: 'de', billableChars: 100 }]);
    const before = await reports();
    await run();
    expect(await recordDays()).toEqual(days(99, 3));
    expect(await reports()).toEqual(before);
  });

  test('never removes a part of a day', async () => {
    const at = new Date(`${dayOf(daysAgo(100))}T00:00:00.000Z`);
    await addRecords(app, mine.tenantId, [{ at: at.toISOString() }]);
    await remove(100, new Date(at.getTime() + dayMs - 1));
    expect(await recordDays()).toEqual(days(100, 99, 3));
  });

  test('removes single records from the summary and the export of a period, which keep the right sums', async () => {
    await run();
    const period = noon(150).slice(0, 7);
    const summary = await read(`/api/tenants/${mine.tenantId}/billing?period=${period}`);
    expect(summary.records.filter(({ recorded_at }: Fields) => recorded_at === noon(150))).toEqual([]);
    expect(summary.billable_chars).toBeGreaterThanOrEqual(18);
    const csv = await app.request(
      `/api/tenants/${mine.tenantId}/billing/export?format=csv&period=${period}`,
      {
        headers: mine.bearer,
      },
    );
    expect(csv.status).toBe(200);
    expect(await csv.text()).not.toContain(noon(150));
  });

  test('leaves the totals of removed records in the export of the workspace', async () => {
    await run();
    const { id } = (
      await viaRpc(app, { path: 'exports.start', type: 'mutation' }, { input: {}, headers: mine.bearer })
    ).body;
    await runExport(app.services, { tenantId: mine.tenantId, exportId: id });
    const zip = await app.request(`/app/exports/${id}`, { headers: mine.bearer });
    const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
    const linesOf = (name: string) =>
      Buffer.from(files[name]!)
        .toString()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(linesOf('usage/usage-0001.jsonl')).toHaveLength(2);
    const totals = linesOf('usage/days-0001.jsonl');
    expect(totals.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(5);
    expect(totals[0]).toMatchObject({ day: dayOf(daysAgo(150)), kind: 'document', billable_chars: 7 });
  });

  test('stops during a legal hold, and other workspaces are not affected', async () => {
    const other = await found(app);
    await addRecords(app, other.tenantId, [{ at: noon(101) }]);
    await operateHere(app, ['set-retention', mine.tenantId, '--hold']);
    await run();
    expect(await recordDays()).toHaveLength(7);
    const [{ count }] = (await sql()`
      select count(*)::int from usage_records where tenant_id = ${other.tenantId}`) as [{ count: number }];
    expect(count).toBe(0);
    await operateHere(app, ['set-retention', mine.tenantId, '--release']);
    await run();
    expect(await recordDays()).toEqual(days(99, 3));
  });

  test('of a workspace can be shorter than in the deployment', async () => {
    await operateHere(app, ['set-retention', mine.tenantId, '--usage', '62']);
    await run();
    expect(await recordDays()).toEqual(days(3));
  });
});

test('the current and the previous billing period cannot be removed', () => {
  const secrets = { SECRETS_KEY: Buffer.alloc(32).toString('base64') };
  expect(() => readSettings({ ...secrets, RETENTION_DAYS: '{"usage":61}' })).toThrow(
    'RETENTION_DAYS: must be JSON like {"jobs":90,"usage":400}; usage: must be at least 62: records of the current and the previous month are always kept',
  );
  expect(readSettings({ ...secrets, RETENTION_DAYS: '{"usage":62}' }).RETENTION_DAYS.usage).toBe(62);
  for (const now of ['2026-08-31T23:59:59Z', '2027-01-31T23:59:59Z', '2026-03-01T00:00:00Z']) {
    const previous = new Date(now);
    previous.setUTCDate(1);
    previous.setUTCMonth(previous.getUTCMonth() - 1);
    const keptSince = dayOf(new Date(Date.parse(now) - 62 * dayMs));
    expect(keptSince <= dayOf(previous)).toBe(true);
  }
});
