import { beforeEach, expect, test } from 'vitest';
import { unsubscribeToken } from '#server/identity/mail/preferences.ts';
import { queueDigests } from '#server/review/digests.ts';
import { found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { attemptAll, confirmAddresses, mailEnv, useSmtp } from './outbox.ts';
import { readPreferences, setPreferences } from './preferences.ts';

const app = useTestApp({ env: mailEnv });
const formType = 'application/x-www-form-urlencoded';

let member: Person;
beforeEach(async () => {
  member = await join(app, await found(app));
  await confirmAddresses(app, member);
});

const tokenOf = ({ tenantId, userId } = member, kind: 'digest' | 'documents' = 'digest') =>
  unsubscribeToken(app.services.secretsKeys, { kind, tenantId, userId });
const pathOf = (token = tokenOf()) => `/mail/unsubscribe/${token}`;
const post = (path: string, init: RequestInit = {}) =>
  app.request(path, {
    ...{ method: 'POST', headers: { 'content-type': formType }, body: 'List-Unsubscribe=One-Click' },
    ...init,
  });

test('each digest has the headers of RFC 8058, whose URL switches digests off with one request', async () => {
  const smtp = await useSmtp();
  const sql = openSuperuser(app.superuserUrl);
  await sql`insert into translation_jobs (tenant_id, job_id, status, request, agent_run)
    values (${member.tenantId}, 'j', 'awaiting_review', '{}', '{}')`;
  await queueDigests(app.services, {}, Date.parse('2026-07-31T07:00:00Z'));
  const mails = await attemptAll(app, smtp, member.tenantId);
  const mail = mails.find(({ to }) => to === member.email)!;
  expect(mail.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
  const url =
    /^<(https:\/\/lingua\.example\.org\/\S+)>$/.exec(mail.headers['list-unsubscribe'] ?? '')?.[1] ?? '';
  expect(mail.text).toContain(url);
  expect(mail.html).toContain(`href="${url}"`);
  const response = await post(new URL(url).pathname);
  expect(response.status).toBe(200);
  expect(await readPreferences(app, member)).toEqual({ digest: false, documents: true });
  await queueDigests(app.services, {}, Date.parse('2026-08-01T07:00:00Z'));
  await attemptAll(app, smtp, member.tenantId);
  expect(smtp.received.filter(({ to }) => to === member.email)).toHaveLength(1);
});

test('opening the link changes nothing, and shows a button', async () => {
  const response = await app.request(pathOf(), { headers: { accept: 'text/html', 'accept-language': 'de' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-robots-tag')).toBe('noindex');
  const page = await response.text();
  expect(page).toContain('<form method="post">');
  expect(page).toContain('Diese E-Mails abschalten');
  expect(page).not.toContain(member.email);
  expect(await readPreferences(app, member)).toEqual({ digest: true, documents: true });
});

test('a form of either type, a repeated request and a foreign page switch off only the kind of the link', async () => {
  await post(pathOf(tokenOf(member, 'documents')), {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  }).then(({ status }) => expect(status).toBe(200));
  expect(await readPreferences(app, member)).toEqual({ digest: true, documents: false });
  const headers = {
    'content-type': formType,
    origin: 'https://webmail.example',
    'sec-fetch-site': 'cross-site',
  };
  expect((await post(pathOf(), { headers })).status).toBe(200);
  expect((await post(pathOf(), { headers })).status).toBe(200);
  expect(await readPreferences(app, member)).toEqual({ digest: false, documents: false });
  expect(await setPreferences(app, member, { digest: true })).toEqual({ digest: true, documents: false });
});

test('a changed token gets 404 and changes nothing', async () => {
  const other = await join(app, await found(app));
  const [kind, tenant, user, hash] = tokenOf().split('.') as [string, string, string, string];
  const forged = [
    [kind, tenant, other.userId, hash],
    [kind, other.tenantId, user, hash],
    ['documents', tenant, user, hash],
    ['invite', tenant, user, hash],
    [kind, tenant, user, ''],
    [kind, tenant, user, `${hash}.x`],
    [kind, tenant, user, `${hash.slice(0, -2)}AA`],
    [kind, '*', user, hash],
  ].map((parts) => parts.join('.'));
  for (const token of [...forged, 'x', '%00', 'a'.repeat(5000)]) {
    expect((await post(pathOf(token))).status, token.slice(0, 80)).toBe(404);
    expect((await app.request(pathOf(token))).status, token.slice(0, 80)).toBe(404);
  }
  expect(await readPreferences(app, member)).toEqual({ digest: true, documents: true });
});

test('the link of a former member has no effect', async () => {
  const token = unsubscribeToken(app.services.secretsKeys, {
    ...{ kind: 'digest', tenantId: member.tenantId, userId: 'no-such-member' },
  });
  expect((await post(pathOf(token))).status).toBe(200);
});

test('a link from before the key was replaced works', async () => {
  const { current } = app.services.secretsKeys;
  const former = { current: Buffer.alloc(32, 9), previous: null };
  const token = unsubscribeToken(former, {
    kind: 'digest',
    tenantId: member.tenantId,
    userId: member.userId,
  });
  expect((await post(pathOf(token))).status).toBe(404);
  Object.assign(app.services.secretsKeys, { current, previous: former.current });
  expect((await post(pathOf(token))).status).toBe(200);
  Object.assign(app.services.secretsKeys, { previous: null });
});

test('the path is not in the OpenAPI document', async () => {
  const { body } = await app.json('GET', '/openapi.json');
  expect(Object.keys(body.paths).length).toBeGreaterThan(30);
  expect(JSON.stringify(body)).not.toContain('unsubscribe');
});
