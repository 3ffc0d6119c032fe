import { beforeEach, describe, expect, test } from 'vitest';
import { digestDay, queueDigests } from '#server/review/digests.ts';
import { found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { attemptAll, confirmAddresses, mailEnv, mailServer, outboxOf, useSmtp } from './outbox.ts';
import { setPreferences } from './preferences.ts';

const app = useTestApp({ env: { ...mailEnv, MAIL_SERVER: mailServer({ digest_hour: 6 }) } });
const sql = () => openSuperuser(app.superuserUrl);
const morning = Date.parse('2026-07-31T06:20:00Z');
const digest = (now = morning) => queueDigests(app.services, {}, now);

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  await confirmAddresses(app, admin);
});

/** Adds texts and documents in these states to the workspace. */
async function addItems(texts: string[], documents: { status: string; approved?: boolean }[] = []) {
  const tenant = admin.tenantId;
  for (const [n, status] of texts.entries())
    await sql()`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
      select ${tenant}, ${`j${n}`}, ${status}, '{"source_text":"Secret","target_lang":"fr"}'::jsonb, '{}'::jsonb`;
  for (const [n, { status, approved }] of documents.entries())
    await sql()`insert into document_jobs (tenant_id, document_id, status, request, source_file_name, source_format, approved_at)
      values (${tenant}, ${`d${n}`}, ${status}, '{}', 'secret.pdf', 'pdf', ${approved ? new Date() : null})`;
}

test('each member gets the number of items that await review, with a link to the inbox', async () => {
  const smtp = await useSmtp();
  await addItems(
    ['awaiting_review', 'refined', 'published', 'rejected'],
    [
      { status: 'translated' },
      { status: 'translated', approved: true },
      { status: 'failed' },
      { status: 'queued' },
    ],
  );
  await digest();
  const mails = await attemptAll(app, smtp, admin.tenantId);
  expect(mails.map(({ to }) => to).sort()).toEqual([admin.email, member.email].sort());
  for (const mail of mails) {
    expect(mail.headers['subject']).toBe('3 items await review');
    expect(mail.text).toContain(`3 items await review in the workspace ${admin.tenantName}.`);
    expect(mail.text).toContain('https://lingua.example.org/app\n');
    expect(mail.text + mail.html).not.toMatch(/secret/i);
  }
});

test('a member learns how many items are assigned, due within a day, and overdue', async () => {
  const smtp = await useSmtp();
  await addItems(['awaiting_review', 'awaiting_review', 'awaiting_review']);
  const due = ["now() + interval '9 days'", "now() + interval '9 hours'", "now() - interval '1 hour'"];
  for (const [n, time] of due.entries())
    await sql().unsafe(
      `update review_assignments set assignee = $3, due_at = ${time} where tenant_id = $1 and item_id = $2`,
      [admin.tenantId, `j${n}`, member.userId],
    );
  await digest();
  const mails = await attemptAll(app, smtp, admin.tenantId);
  const textTo = ({ email }: { email: string }) => mails.find(({ to }) => to === email)?.text;
  const own = ['3 items are assigned to you.', '1 item is due within a day.', '1 item is overdue.'];
  for (const line of own) expect(textTo(member)).toContain(line);
  expect(textTo(admin)).not.toContain('assigned');
});

test('without items, no mail is sent', async () => {
  await addItems(['published'], [{ status: 'translated', approved: true }]);
  await digest();
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(0);
});

test('a member has one digest a day, whatever runs at the same time or again', async () => {
  const smtp = await useSmtp();
  await addItems(['awaiting_review']);
  await Promise.all([digest(), digest(), digest()]);
  await digest(morning + 3 * 3_600_000);
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(2);
  await attemptAll(app, smtp, admin.tenantId);
  // Rows of sent mails stay for some days, so a run after that adds none.
  await digest(morning + 3 * 3_600_000);
  expect(await attemptAll(app, smtp, admin.tenantId)).toHaveLength(2);
  await digest(morning + 24 * 3_600_000);
  expect(await attemptAll(app, smtp, admin.tenantId)).toHaveLength(4);
});

test('revoked members and those who have switched it off get none, nor does an inactive workspace', async () => {
  const revoked = await join(app, admin);
  await confirmAddresses(app, admin);
  await app.json('DELETE', `/api/auth/users/${revoked.userId}`, { headers: admin.bearer });
  await setPreferences(app, member, { digest: false });
  await addItems(['awaiting_review']);
  await digest();
  expect((await outboxOf(app, admin.tenantId)).map((row) => row['user_id'])).toEqual([admin.userId]);
  await sql()`update tenants set active = false where tenant_id = ${admin.tenantId}`;
  await digest(morning + 24 * 3_600_000);
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(1);
});

test('a run that has used its time continues later with the next workspaces', async () => {
  await addItems(['awaiting_review']);
  await queueDigests(app.services, { after: admin.tenantId }, morning);
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(0);
});

test('a digest counts up to 10,000 items', async () => {
  const smtp = await useSmtp();
  await sql().begin(async (tx) => {
    // A trigger's plan that was made for an empty table would read all new rows for each of them.
    await tx`set local session_replication_role = replica`;
    await tx`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
      select ${admin.tenantId}, 'j' || n, 'awaiting_review', '{}'::jsonb, '{}'::jsonb from generate_series(1, 10001) n`;
  });
  await digest();
  const [mail] = await attemptAll(app, smtp, admin.tenantId);
  expect(mail!.headers['subject']).toBe('10,000+ items await review');
});

describe('the day of a digest', () => {
  test.each([
    ['2026-07-31T05:59:59Z', 6, null],
    ['2026-07-31T06:00:00Z', 6, '2026-07-31'],
    ['2026-07-31T11:59:59Z', 6, '2026-07-31'],
    ['2026-07-31T12:00:00Z', 6, null],
    ['2026-07-31T23:30:00Z', 23, '2026-07-31'],
    ['2026-08-01T04:30:00Z', 23, '2026-07-31'],
    ['2026-08-01T00:00:00Z', 0, '2026-08-01'],
  ] as const)('at %s with the hour %d: %s', (time, hour, day) => {
    expect(digestDay(Date.parse(time), hour)).toBe(day);
  });
});
