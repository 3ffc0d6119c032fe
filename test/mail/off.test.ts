import { expect, test } from 'vitest';
import { maxConnections } from '#server/platform/database-connections.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { readSettings } from '#server/settings.ts';
import { runDocument } from '#server/translation/documents/run-document.ts';
import { queueDigests } from '#server/translation/review/digests.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { documentForm, env, found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { startSchedule } from '#workers/schedule.ts';
import { mailEnv } from './outbox.ts';

const app = useTestApp({ env: { ...env, SWEEP_INTERVAL_SECONDS: '1' } });
const sql = () => openSuperuser(app.superuserUrl);

test('without SMTP_URL: no row, no task, no count, no procedure and no page', async () => {
  const admin = await found(app);
  const member = await join(app, admin);
  await app.json('POST', '/api/tenants/invites', { headers: admin.bearer, body: { email: 'a@example.org' } });
  await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, { headers: admin.bearer });
  const body = new FormData();
  for (const [name, value] of Object.entries(documentForm({ source_document: workbookFile(['x']) })))
    if (value !== undefined) body.append(name, value as Blob);
  const sent = await app.request('/api/documents/translate', {
    method: 'POST',
    headers: member.bearer,
    body,
  });
  await runDocument(app.services, admin.tenantId, ((await sent.json()) as { id: string }).id);
  await sql()`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
    values (${admin.tenantId}, 'j', 'awaiting_review', '{}', '{}')`;
  await queueDigests(app.services, {}, Date.parse('2026-07-31T07:00:00Z'));
  const [rows] = await sql()`select (select count(*)::int from mails) as mails,
    (select count(*)::int from mail_preferences) as preferences,
    (select count(*)::int from rate_windows where bucket like 'mail%') as counts,
    (select count(*)::int from graphile_worker.jobs where task_identifier in ('send_mail', 'queue_digests')) as jobs`;
  expect(rows).toEqual({ mails: 0, preferences: 0, counts: 0, jobs: 0 });
  const off = { status: 503, body: { error: { json: { message: 'email is not enabled' } } } };
  expect(await app.json('GET', '/trpc/mail.preferences', { headers: member.bearer })).toMatchObject(off);
  const change = { headers: member.bearer, body: { json: { digest: false } } };
  expect(await app.json('POST', '/trpc/mail.setPreferences', change)).toMatchObject(off);
  expect((await app.request('/mail/unsubscribe/x')).status).toBe(404);
  await withWorkers(app, async () => {
    const [pools] =
      await sql()`select count(*)::int as mail from graphile_worker._private_tasks where identifier = 'send_mail'`;
    expect(pools).toEqual({ mail: 0 });
  });
});

test('without SMTP_URL, the schedule has no digests and a process needs no further connections', () => {
  const added: string[] = [];
  const originalSetTimeout = globalThis.setTimeout;
  const every: number[] = [];
  globalThis.setTimeout = ((_work: () => void, milliseconds: number) => {
    every.push(milliseconds);
    return originalSetTimeout(() => {}, 0);
  }) as never;
  try {
    const { settings, database, log } = app.services;
    startSchedule({ settings, database, log }).stop();
    const without = every.splice(0).length;
    startSchedule({ settings: { ...settings, SMTP_URL: 'smtp://x' }, database, log }).stop();
    expect(every).toHaveLength(without + 1);
  } finally {
    globalThis.setTimeout = originalSetTimeout;
  }
  expect(added).toEqual([]);
  const plain = readSettings({});
  const parts = { api: true, workers: true };
  expect(maxConnections({ ...plain, SMTP_URL: 'smtp://x' }, parts) - maxConnections(plain, parts)).toBe(3);
});

test.each([
  [
    'MAIL_FROM',
    { SMTP_URL: 'smtp://x', BASE_URL: 'https://a.example' },
    'MAIL_FROM: is required with SMTP_URL',
  ],
  [
    'BASE_URL',
    { SMTP_URL: 'smtp://x', MAIL_FROM: 'a@b.example' },
    'BASE_URL: is required with SMTP_URL, because mails contain links to it',
  ],
])('SMTP_URL without %s does not start', (_name, given, message) => {
  expect(() => refuseContradictions(readSettings(given), { api: false })).toThrow(message);
});

test.each([
  [{ SMTP_URL: 'http://x' }, 'SMTP_URL: must be a URL that starts with smtp:// or smtps://'],
  [{ SMTP_URL: 'smtp://' }, 'SMTP_URL: must have a host, and neither a path nor a query'],
  [{ SMTP_URL: 'smtp://x/?tls=no' }, 'SMTP_URL: must have a host, and neither a path nor a query'],
  [{ SMTP_URL: 'smtp://a%zz@x' }, 'SMTP_URL: must percent-encode special characters'],
  [{ MAIL_FROM: 'nobody' }, 'MAIL_FROM: must be an address like'],
  [{ MAIL_FROM: 'A <a@b.example>\r\nBcc: c@d.example' }, 'MAIL_FROM: must be an address like'],
  [{ MAIL_FROM: 'a@b.example, c@d.example' }, 'MAIL_FROM: must be an address like'],
  [{ MAIL_LANGUAGE: 'xx' }, 'MAIL_LANGUAGE: must be one of en, fr, de, es, pt, ar, ja'],
  [{ MAIL_DIGEST_HOUR: '24' }, 'MAIL_DIGEST_HOUR: must be at most 23'],
])('%j is rejected', (given, message) => {
  expect(() => readSettings(given)).toThrow(message);
});

test('valid settings are accepted', () => {
  for (const MAIL_FROM of ['a@b.example', 'LinguaLoop <noreply@b.example>', 'Übersetzung Büro <a@b.example>'])
    expect(readSettings({ ...mailEnv, MAIL_FROM }).MAIL_FROM).toBe(MAIL_FROM);
  for (const SMTP_URL of ['smtp://x', 'smtps://u:p%40@x:465', 'smtp://[::1]:25/'])
    expect(readSettings({ ...mailEnv, SMTP_URL }).SMTP_URL).toBe(SMTP_URL);
});
