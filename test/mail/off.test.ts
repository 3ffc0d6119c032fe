import { expect, test } from 'vitest';
import { runDocument } from '#server/documents/run-document.ts';
import { maxConnections } from '#server/platform/database-connections.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { queueDigests } from '#server/review/digests.ts';
import { readSettings } from '#server/settings.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { documentForm, env, found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { startSchedule } from '#workers/run.ts';
import { mailEnv, mailServer } from './outbox.ts';

const app = useTestApp({ env: { ...env, SWEEP_INTERVAL_SECONDS: '1' } });
const sql = () => openSuperuser(app.superuserUrl);

test('without MAIL_SERVER: no row, no task, no count, no procedure and no page', async () => {
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

test('without MAIL_SERVER, the schedule has no digests and a process needs no further connections', () => {
  const { MAIL_SERVER } = readSettings(mailEnv);
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
    startSchedule({ settings: { ...settings, MAIL_SERVER }, database, log }).stop();
    expect(every).toHaveLength(without + 1);
  } finally {
    globalThis.setTimeout = originalSetTimeout;
  }
  const plain = readSettings({});
  const parts = { api: true, workers: true };
  expect(maxConnections({ ...plain, MAIL_SERVER }, parts) - maxConnections(plain, parts)).toBe(3);
});

test('mails require BASE_URL, because they contain links to it', () => {
  const { BASE_URL: _, ...given } = mailEnv;
  expect(() => refuseContradictions(readSettings(given), { api: false })).toThrow(
    'BASE_URL: is required with MAIL_SERVER, because mails contain links to it',
  );
});

test.each([
  [{ url: 'http://x' }, 'url: must be a URL that starts with smtp:// or smtps://'],
  [{ url: 'smtp://' }, 'url: must have a host, and neither a path nor a query'],
  [{ url: 'smtp://x/?tls=no' }, 'url: must have a host, and neither a path nor a query'],
  [{ url: 'smtp://a%zz@x' }, 'url: must percent-encode special characters'],
  [{ from: undefined }, 'from: is required'],
  [{ from: 'A <a@b.example>\r\nBcc: c@d.example' }, 'from: must be an address like'],
  [{ from: 'a@b.example, c@d.example' }, 'from: must be an address like'],
  [{ language: 'xx' }, 'language: must be one of en, fr, de, es, pt, ar, ja'],
  [{ digest_hour: 24 }, 'digest_hour: must be at most 23'],
])('MAIL_SERVER with %j is rejected', (given, message) => {
  expect(() => readSettings({ MAIL_SERVER: mailServer(given) })).toThrow(
    `MAIL_SERVER: must be JSON like {"url":"smtps://user:password@mail.example.org:465","from":"noreply@example.org"}; ${message}`,
  );
});

test('valid settings are accepted', () => {
  for (const from of ['a@b.example', 'LinguaLoop <noreply@b.example>', 'Übersetzung Büro <a@b.example>'])
    expect(readSettings({ MAIL_SERVER: mailServer({ from }) }).MAIL_SERVER?.from).toBe(from);
  for (const url of ['smtp://x', 'smtps://u:p%40@x:465', 'smtp://[::1]:25/'])
    expect(readSettings({ MAIL_SERVER: mailServer({ url }) }).MAIL_SERVER?.url).toBe(url);
});
