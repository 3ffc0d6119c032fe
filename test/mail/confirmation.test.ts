import { beforeEach, describe, expect, test } from 'vitest';
import { queueDigestMails } from '#server/identity/mail/outbox.ts';
import { signIn } from '#test/auth/sign-in.ts';
import { found, freshEmail, join, type Person, password } from '#test/factories.ts';
import type { ReceivedMail } from '#test/fakes/smtp.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { attemptAll, confirmAddresses, mailEnv, outboxOf, useSmtp } from './outbox.ts';

const app = useTestApp({ env: mailEnv });
const sql = () => openSuperuser(app.superuserUrl);

const pathOf = (mail: ReceivedMail) =>
  /https:\/\/lingua\.example\.org(\/mail\/confirm\/\S+)/.exec(mail.text)![1]!;
const post = (path: string) =>
  app.request(path, { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
const isConfirmed = async ({ bearer }: Person) =>
  (await app.json('GET', '/api/auth/me', { headers: bearer })).body.user.email_confirmed;
const invite = (by: Person, email = freshEmail()) =>
  app.json('POST', '/api/tenants/invites', { headers: by.bearer, body: { email } });
const kindsOf = async ({ tenantId }: Person) => (await outboxOf(app, tenantId)).map(({ kind }) => kind);

let founder: Person;
beforeEach(async () => {
  founder = await found(app);
});

describe('the address of a new account', () => {
  test('is confirmed by the button behind the link of a mail, and not by opening the link', async () => {
    const smtp = await useSmtp();
    const [mail] = await attemptAll(app, smtp, founder.tenantId);
    expect(mail!.to).toBe(founder.email);
    const path = pathOf(mail!);
    const page = await app.request(path, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
    expect(await page.text()).toContain('<form method="post">');
    expect(await isConfirmed(founder)).toBe(false);
    expect((await post(path)).status).toBe(200);
    expect(await isConfirmed(founder)).toBe(true);
    // The second press changes nothing, and is not a second event.
    expect((await post(path)).status).toBe(200);
    const events = await sql()`
      select target from audit_log where tenant_id = ${founder.tenantId} and action = 'email_confirmed'`;
    expect(events.map(({ target }) => target)).toEqual([founder.userId]);
  });

  test('gets no name of a workspace from someone who entered it', async () => {
    const smtp = await useSmtp();
    const forged = await found(app, { tenant_name: 'BigCorp Payroll' });
    const [mail] = await attemptAll(app, smtp, forged.tenantId);
    expect(mail!.headers['subject'] + mail!.text + mail!.html).not.toContain('BigCorp');
  });

  test('is not confirmed with the proof of another account, address or workspace', async () => {
    const smtp = await useSmtp();
    const other = await join(app, founder);
    const stranger = await found(app);
    await attemptAll(app, smtp, founder.tenantId);
    const own = pathOf(smtp.received.find(({ to }) => to === founder.email)!);
    const proof = own.split('.').at(-1)!;
    for (const token of [
      `${founder.tenantId}.${other.userId}.${proof}`,
      `${stranger.tenantId}.${stranger.userId}.${proof}`,
      `*.${founder.userId}.${proof}`,
      `${founder.tenantId}.${founder.userId}.${proof.slice(1)}`,
      `${founder.tenantId}.${founder.userId}.`,
      `${founder.tenantId}.${founder.userId}`,
      'x',
    ])
      expect((await post(`/mail/confirm/${token}`)).status, token).toBe(404);
    await sql()`update users set email = ${freshEmail()} where user_id = ${founder.userId}`;
    expect((await post(own)).status).toBe(404);
    for (const person of [founder, other, stranger]) expect(await isConfirmed(person)).toBe(false);
  });

  test('is confirmed by joining with the link of the invite’s mail, and not by joining with the token alone', async () => {
    const smtp = await useSmtp();
    await confirmAddresses(app, founder);
    const joinWith = (fields: object) =>
      app.json('POST', '/api/auth/signup/email', { body: { tenant_name: 'x', password, ...fields } });
    for (const hasProof of [true, false]) {
      const { body } = await invite(founder);
      const mail = (await attemptAll(app, smtp, founder.tenantId)).find(({ to }) => to === body.email)!;
      const link = new URL(/https:\/\/lingua\.example\.org\/signin#\S+/.exec(mail.text)![0]);
      const proof = new URLSearchParams(link.hash.slice(1)).get('email_proof');
      const joined = await joinWith({
        ...{ email: body.email, invite_token: body.invite_token },
        email_proof: hasProof ? proof : 'AAAA',
      });
      expect(joined.status).toBe(200);
      const headers = { authorization: `Bearer ${joined.body.token.access_token}` };
      const me = await app.json('GET', '/api/auth/me', { headers });
      expect(me.body.user.email_confirmed).toBe(hasProof);
      const asked = (await outboxOf(app, founder.tenantId)).filter(({ kind }) => kind === 'confirmation');
      expect(asked).toHaveLength(hasProof ? 0 : 1);
    }
  });
});

describe('until the address is confirmed', () => {
  test('the account gets no digest, also not one that was queued before', async () => {
    const smtp = await useSmtp();
    const digest = (day: string) =>
      app.database.inTenant(founder.tenantId, (tx) =>
        queueDigestMails(tx, app.services.settings, { tenantId: founder.tenantId, day, items: 3, work: [] }),
      );
    expect(await digest('2026-07-31')).toBe(0);
    await sql()`update users set email_confirmed_at = now() where user_id = ${founder.userId}`;
    expect(await digest('2026-07-31')).toBe(1);
    await sql()`update users set email_confirmed_at = null where user_id = ${founder.userId}`;
    const mails = await attemptAll(app, smtp, founder.tenantId);
    expect(mails.map(({ headers }) => headers['subject'])).toEqual(['Confirm your email address']);
  });

  test('no invite and no reset link is sent in its name; the responses are the same', async () => {
    const member = await join(app, founder);
    const created = await invite(founder);
    expect([created.status, typeof created.body.invite_token]).toEqual([200, 'string']);
    const link = await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, {
      headers: founder.bearer,
    });
    expect([link.status, typeof link.body.reset_url]).toEqual([200, 'string']);
    expect(new Set(await kindsOf(founder))).toEqual(new Set(['confirmation']));
    await confirmAddresses(app, founder);
    await invite(founder);
    expect(await kindsOf(founder)).toEqual(['invite']);
  });

  test('the member can ask for the link again, five times a day', async () => {
    const ask = async () =>
      (await app.json('POST', '/trpc/mail.sendConfirmation', { headers: founder.bearer, body: { json: {} } }))
        .body;
    for (const queued of [true, true, true, true, false])
      expect((await ask()).result.data.json).toEqual({ queued });
    await confirmAddresses(app, founder);
    expect((await ask()).error.json.message).toContain('your email address is confirmed');
  });
});

test('twelve sign-ups with the address of a stranger send five mails', async () => {
  const smtp = await useSmtp();
  const email = freshEmail();
  for (let number = 0; number < 12; number++) {
    // Parts after a plus sign lead to the same mailbox.
    const forged = await found(app, { email: number % 2 ? email : email.replace('@', `+${number}@`) });
    await attemptAll(app, smtp, forged.tenantId);
  }
  expect(smtp.received).toHaveLength(5);
});

describe('eleven accounts that strangers created with an address', () => {
  const signInTo = (email: string, fields: Record<string, string> = {}) =>
    signIn(app, { email, password }, fields);

  test('do not count if the owner of the address signs in to a confirmed account', async () => {
    const email = freshEmail();
    for (let number = 0; number < 11; number++)
      await found(app, { email, password: 'a stranger’s passphrase' });
    const own = await found(app, { email, password });
    expect((await signInTo(email)).body.detail).toMatch(/^workspace_id_required:/);
    expect((await signInTo(email, { tenant_id: own.tenantId })).status).toBe(200);
    const capped = () =>
      sql()`select 1 from audit_log where action = 'login_candidates_capped' and target = ${email}`;
    const before = (await capped()).length;
    await confirmAddresses(app, own);
    const { status, body } = await signInTo(email);
    expect([status, body.user?.tenant_id]).toEqual([200, own.tenantId]);
    expect(await capped()).toHaveLength(before);
  });
});
