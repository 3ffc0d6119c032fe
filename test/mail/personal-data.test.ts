import { unzipSync } from 'fflate';
import { beforeEach, expect, test } from 'vitest';
import { queueDigestMails } from '#server/identity/mail/outbox.ts';
import { anonymizeMember, scheduleAnonymization } from '#server/retention/anonymize-member.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { runExport } from '#server/workspace-export/run-export.ts';
import { viaRpc } from '#test/contract/call.ts';
import { found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { everyRow } from '#test/setup/stored-rows.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';
import { setPreferences } from './preferences.ts';

const app = useTestApp({ env: mailEnv });
const sql = () => openSuperuser(app.superuserUrl);

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  await confirmAddresses(app, admin);
  await setPreferences(app, member, { documents: false, language: 'fr' });
  await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, { headers: admin.bearer });
  await app.json('POST', '/api/tenants/invites', { headers: admin.bearer, body: { email: member.email } });
  await app.database.inTenant(admin.tenantId, (tx) =>
    queueDigestMails(tx, app.services.settings, {
      tenantId: admin.tenantId,
      day: '2026-07-31',
      items: 1,
      work: [],
    }),
  );
});

test('anonymizing a member deletes the mails to the member and the preferences', async () => {
  const smtp = await useSmtp();
  await scheduleAnonymization(app.database, admin.tenantId, member.email);
  await anonymizeMember(app.services, {
    tenantId: admin.tenantId,
    userId: member.userId,
    part: 0,
    after: '',
  });
  const places = (await everyRow(sql())).filter(({ row }) => row.includes(member.email));
  expect(places.map(({ table }) => table)).toEqual([]);
  expect((await outboxOf(app, admin.tenantId)).map((row) => [row.kind, row['user_id']])).toEqual([
    ['digest', admin.userId],
  ]);
  expect(await sql()`select 1 from mail_preferences where user_id = ${member.userId}`).toHaveLength(0);
  await attemptAll(app, smtp, admin.tenantId);
  expect(smtp.received.map(({ to }) => to)).toEqual([admin.email]);
});

test('the export of a workspace has the mails and preferences, without addresses and tokens', async () => {
  const { id } = (
    await viaRpc(app, { path: 'exports.start', type: 'mutation' }, { input: {}, headers: admin.bearer })
  ).body;
  await runExport(app.services, { tenantId: admin.tenantId, exportId: id });
  const zip = await app.request(`/app/exports/${id}`, { headers: admin.bearer });
  const files = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  const lines = (name: string) =>
    Buffer.from(files[name]!)
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const mails = lines('mail/mails-0001.jsonl');
  expect(mails.map(({ kind }) => kind).sort()).toEqual(['digest', 'digest', 'invite', 'reset_link']);
  expect(Object.keys(mails[0])).not.toEqual(expect.arrayContaining(['sealed_token']));
  expect(JSON.stringify(mails)).not.toContain('@');
  expect(lines('mail/preferences-0001.jsonl')).toEqual([
    { user_id: member.userId, digest: true, documents: false, language: 'fr' },
  ]);
});

test('the deletion of a workspace includes them', async () => {
  await sql()`insert into tenant_deletions (tenant_id, due_at, was_active, tenant_created_at, progress)
    select tenant_id, now() - interval '1 s', true, created_at,
      '{"rows":{},"objects":0,"accountObjects":0,"leftInAccount":0,"queuedJobs":0,"manifestLines":0,"manifestsThrough":null}'::jsonb from tenants where tenant_id = ${admin.tenantId}`;
  await sql()`update tenants set active = false where tenant_id = ${admin.tenantId}`;
  await deleteDueTenants(app.services);
  for (const table of ['mails', 'mail_preferences', 'tenants'])
    expect(
      await sql()`select 1 from ${sql()(table)} where tenant_id = ${admin.tenantId}`,
      table,
    ).toHaveLength(0);
});

test('revoking a member drops the mails to the member', async () => {
  const smtp = await useSmtp();
  await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
  await attemptAll(app, smtp, admin.tenantId);
  expect(smtp.received.map(({ headers }) => headers['subject']).sort()).toEqual([
    '1 item awaits review',
    expect.stringMatching(/^Invite/),
  ]);
});
