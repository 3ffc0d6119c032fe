import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { found, join, operatorKey, type Person } from '#test/factories.ts';
import type { ReceivedMail } from '#test/fakes/smtp.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  attempt,
  attemptAll,
  confirmAddresses,
  letPausesPass,
  mailEnv,
  outboxOf,
  useSmtp,
} from './outbox.ts';

const app = useTestApp({
  env: { ...mailEnv, OPERATOR_API_KEY: operatorKey, PASSWORD_RESET_TTL_SECONDS: '900' },
});

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  await confirmAddresses(app, admin);
});

let invited = 0;
const invite = (email = `invited${++invited}@example.org`, by = admin) =>
  app.json('POST', '/api/tenants/invites', { headers: by.bearer, body: { email } });
const issueLink = (who = member) =>
  app.json('POST', `/api/auth/users/${who.userId}/password-reset-link`, { headers: admin.bearer });
const linkOf = (mail: ReceivedMail) => /https:\/\/lingua\.example\.org\/signin#\S+/.exec(mail.text)?.[0];

describe('the mail of an invite', () => {
  test('goes to the invited address, and its link joins the workspace', async () => {
    const smtp = await useSmtp();
    const { status, body } = await invite();
    expect(status).toBe(200);
    const [mail] = await attemptAll(app, smtp, admin.tenantId);
    expect(mail).toMatchObject({ to: body.email, from: 'noreply@mail.example.org' });
    const fields = new URLSearchParams(new URL(linkOf(mail!)!).hash.slice(1));
    expect(fields.get('invite_token')).toBe(body.invite_token);
    expect(mail!.html).toContain(`href="${linkOf(mail!)!.replaceAll('&', '&#38;')}"`);
    expect(mail!.text).toContain(admin.email);
    expect(mail!.text).toContain(admin.tenantName);
    const joined = await app.json('POST', '/api/auth/signup/email', {
      body: {
        tenant_name: 'x',
        email: body.email,
        password: 'a long enough passphrase',
        ...Object.fromEntries(fields),
      },
    });
    expect(joined.status).toBe(200);
  });

  test('has the response that it has without mail', async () => {
    const { body } = await invite();
    expect(Object.keys(body).sort()).toEqual(
      [
        ...['created_at', 'created_by', 'email', 'expires_at', 'invite_id', 'invite_token', 'redeemed_at'],
        ...['redeemed_by', 'role', 'status'],
      ].sort(),
    );
  });

  test('keeps its token sealed until it is sent, and then keeps neither token nor address', async () => {
    const smtp = await useSmtp();
    const { body } = await invite();
    const secret = body.invite_token.split('.')[1];
    const [waiting] = await outboxOf(app, admin.tenantId);
    expect(waiting).toMatchObject({ state: 'pending', address: body.email });
    const [queued] = await openSuperuser(app.superuserUrl)`
      select payload::text from graphile_worker._private_jobs where payload->>'mailId' = ${waiting!.mail_id}`;
    expect(queued!['payload']).not.toContain(secret);
    const sealed = waiting!['sealed_token'] as Buffer;
    expect(sealed.length).toBeGreaterThan(secret.length);
    for (const encoding of ['latin1', 'base64', 'hex'] as const)
      expect(sealed.toString(encoding)).not.toContain(Buffer.from(secret).toString(encoding).slice(4, 30));
    await attemptAll(app, smtp, admin.tenantId);
    const [sent] = await outboxOf(app, admin.tenantId);
    expect(sent).toMatchObject({ state: 'sent', sealed_token: null, address: null, leased_until: null });
  });

  test('is not sent if the invite has been withdrawn or redeemed in the meantime', async () => {
    const smtp = await useSmtp();
    const withdrawn = (await invite()).body;
    await app.json('DELETE', `/api/tenants/invites/${withdrawn.invite_id}`, { headers: admin.bearer });
    const redeemed = (await invite()).body;
    await app.json('POST', '/api/auth/signup/email', {
      body: {
        ...{ tenant_name: 'x', email: redeemed.email, password: 'a long enough passphrase' },
        invite_token: redeemed.invite_token,
      },
    });
    await attemptAll(app, smtp, admin.tenantId);
    expect(smtp.received.map((mail) => mail.headers['subject'])).toEqual(['Confirm your email address']);
    for (const row of (await outboxOf(app, admin.tenantId)).filter(({ kind }) => kind === 'invite'))
      expect(row).toMatchObject({
        state: 'dropped',
        reason: 'invite closed',
        sealed_token: null,
        address: null,
      });
  });

  test('does not exist for an invite without an address, or if creating the invite fails', async () => {
    const anyone = await app.json('POST', '/api/tenants/invites', { headers: admin.bearer, body: {} });
    expect(anyone.status).toBe(200);
    for (let number = 0; number < 19; number++) expect((await invite()).status).toBe(200);
    expect((await invite()).status).toBe(409);
    expect(await outboxOf(app, admin.tenantId)).toHaveLength(19);
  });

  test('an administrator who withdraws and creates invites sends at most 50 in a day, and 3 to one mailbox', async () => {
    const smtp = await useSmtp();
    const sql = openSuperuser(app.superuserUrl);
    const withdrawAll = () => sql`
      update invites set withdrawn_at = now() where tenant_id = ${admin.tenantId}`;
    for (let number = 0; number < 5; number++)
      expect((await invite(`same+${number}@victim.example.org`)).status).toBe(200);
    expect(await attemptAll(app, smtp, admin.tenantId)).toHaveLength(3);
    const limited = (await outboxOf(app, admin.tenantId)).filter(({ reason }) => reason === 'limited');
    expect(limited).toHaveLength(2);
    // Another workspace has the same limit for this mailbox.
    const other = await found(app);
    await confirmAddresses(app, other);
    expect((await invite('same@victim.example.org', other)).status).toBe(200);
    expect(await attemptAll(app, smtp, other.tenantId)).toHaveLength(3);
    for (let number = 0; number < 50; number++) {
      expect((await invite()).status).toBe(200);
      await withdrawAll();
    }
    expect(await outboxOf(app, admin.tenantId)).toHaveLength(50);
  });

  test('of the operator names the operator, and the workspace on one line without links', async () => {
    const smtp = await useSmtp();
    await openSuperuser(app.superuserUrl)`
      update tenants set name = ${'Win http://evil.example/x\r\nBcc: all@example.org \u202E<b>now</b>'} where tenant_id = ${admin.tenantId}`;
    const created = await app.json('POST', `/api/tenants/invites?tenant_id=${admin.tenantId}`, {
      headers: { 'x-api-key': operatorKey },
      body: { email: 'someone@example.org' },
    });
    expect(created.status).toBe(200);
    const [mail] = await attemptAll(app, smtp, admin.tenantId);
    expect(mail!.text).toContain('The operator of LinguaLoop invites you');
    const name = 'Win http evil example x Bcc: all example org <b>now< b>';
    expect(mail!.headers['subject']).toBe(`Invite to the workspace ${name}`);
    expect(mail!.headers['bcc']).toBeUndefined();
    expect(mail!.html).not.toContain('<b>');
    expect(mail!.html).toContain('&#60;b&#62;now');
    expect(smtp.commands.filter((line) => line.startsWith('RCPT'))).toHaveLength(1);
  });
});

describe('the mail of a password reset link', () => {
  test('goes only to the member, and its link sets a password', async () => {
    const smtp = await useSmtp();
    for (const ask of [
      issueLink,
      () =>
        viaRpc(
          app,
          { path: 'members.issueResetLink', type: 'mutation' },
          { input: { user_id: member.userId }, headers: admin.bearer },
        ),
    ]) {
      const { status, body } = await ask();
      expect([status, body]).toEqual([
        200,
        { reset_token: null, reset_url: null, expires_at: expect.any(String), sent_to: member.email },
      ]);
    }
    const [mail] = await attemptAll(app, smtp, admin.tenantId);
    expect(mail!.to).toBe(member.email);
    expect(mail!.text).toContain('An administrator has created a link');
    expect(mail!.headers['list-unsubscribe']).toBeUndefined();
    const used = await app.json('POST', '/api/auth/password-reset', {
      body: { reset_token: linkOf(mail!)!.split('=')[1], new_password: 'quite another passphrase' },
    });
    expect(used.status).toBe(200);
  });

  test('the operator key gets the link, too, and an administrator one that no confirmed address gets', async () => {
    const smtp = await useSmtp();
    const path = `/api/auth/users/${member.userId}/password-reset-link`;
    const byKey = await app.json('POST', path, { headers: { 'x-api-key': operatorKey } });
    expect(byKey.body.sent_to).toBe(member.email);
    expect((await attemptAll(app, smtp, admin.tenantId)).map(linkOf)).toEqual([byKey.body.reset_url]);
    // The administrator’s own address does not matter: whose is not confirmed, sees no more.
    const sql = openSuperuser(app.superuserUrl);
    await sql`update users set email_confirmed_at = null where user_id = ${admin.userId}`;
    expect((await issueLink()).body).toMatchObject({ reset_token: null, sent_to: member.email });
    await sql`update users set email_confirmed_at = null where user_id = ${member.userId}`;
    const { body } = await issueLink();
    expect(Object.keys(body).toSorted()).toEqual(['expires_at', 'reset_token', 'reset_url']);
    expect(body.reset_url).toBe(`https://lingua.example.org/signin#reset_token=${body.reset_token}`);
  });

  test('is not sent if another link has replaced it, it was used, or the member was revoked', async () => {
    const smtp = await useSmtp();
    await issueLink();
    await issueLink();
    expect(await attemptAll(app, smtp, admin.tenantId)).toHaveLength(1);
    await issueLink();
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
    await attemptAll(app, smtp, admin.tenantId);
    expect(smtp.received).toHaveLength(1);
    const ends = (await outboxOf(app, admin.tenantId)).map(({ state, reason }) => [state, reason]);
    expect(ends.sort()).toEqual([
      ['dropped', 'link closed'],
      ['dropped', 'member inactive'],
      ['sent', null],
    ]);
  });

  test('a member gets at most 5 in a day; the last link works on, and then it is 429', async () => {
    const smtp = await useSmtp();
    for (let number = 0; number < 7; number++) expect((await issueLink()).status).toBe(200);
    expect(await outboxOf(app, admin.tenantId)).toHaveLength(5);
    const [mail] = await attemptAll(app, smtp, admin.tenantId);
    const reset_token = linkOf(mail!)!.split('=')[1];
    const body = { reset_token, new_password: 'quite another passphrase' };
    expect((await app.json('POST', '/api/auth/password-reset', { body })).status).toBe(200);
    const limited = await issueLink();
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '86400']);
  });

  test('is not sent after its link has expired', async () => {
    const smtp = await useSmtp();
    await issueLink();
    const sql = openSuperuser(app.superuserUrl);
    const [row] = await outboxOf(app, admin.tenantId);
    const [{ seconds } = {}] = await sql`
      select extract(epoch from expires_at - created_at)::float8 as seconds from mails where mail_id = ${row!.mail_id}`;
    expect(Math.abs(seconds - 900)).toBeLessThan(5);
    await sql`update mails set expires_at = now() - interval '1 s' where mail_id = ${row!.mail_id}`;
    await attemptAll(app, smtp, admin.tenantId);
    expect(smtp.connections).toBe(0);
    expect((await outboxOf(app, admin.tenantId))[0]).toMatchObject({
      state: 'failed',
      reason: 'expired',
      sealed_token: null,
    });
  });
});

test('no mail of an inactive workspace is sent', async () => {
  const smtp = await useSmtp();
  await invite();
  await openSuperuser(
    app.superuserUrl,
  )`update tenants set active = false where tenant_id = ${admin.tenantId}`;
  await attemptAll(app, smtp, admin.tenantId);
  expect(smtp.connections).toBe(0);
  expect((await outboxOf(app, admin.tenantId))[0]).toMatchObject({
    state: 'dropped',
    reason: 'workspace inactive',
  });
});

test('two workers with the same mail send it once', async () => {
  const smtp = await useSmtp();
  smtp.delayMs = 30;
  await invite();
  await letPausesPass(app, admin.tenantId);
  const [row] = await outboxOf(app, admin.tenantId);
  await Promise.all([1, 2, 3].map(() => attempt(app, smtp, row!)));
  expect(smtp.received).toHaveLength(1);
  expect((await outboxOf(app, admin.tenantId))[0]).toMatchObject({ state: 'sent', attempts: 1 });
});
