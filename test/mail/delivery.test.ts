import { beforeEach, describe, expect, test } from 'vitest';
import { pruneMails, queueOverdueMails } from '#server/identity/mail/mail-rows.ts';
import { sendBySmtp } from '#server/platform/smtp.ts';
import { readSettings } from '#server/settings.ts';
import { found, join, type Person } from '#test/factories.ts';
import type { SmtpFake, SmtpStage } from '#test/fakes/smtp.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { attempt, attemptAll, confirmAddresses, mailEnv, mailServer, outboxOf, useSmtp } from './outbox.ts';

const app = useTestApp({ env: mailEnv });
const sql = () => openSuperuser(app.superuserUrl);

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  await confirmAddresses(app, admin);
  await sql()`delete from mails where tenant_id = ${admin.tenantId}`;
});

const issueLink = () =>
  app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, { headers: admin.bearer });
const only = async () => (await outboxOf(app, admin.tenantId))[0]!;

/** Seconds until the next attempt, by the row and by the queue. */
async function pauses(): Promise<[row: number, queue: number]> {
  const { mail_id } = await only();
  const [row] = await sql()`
    select extract(epoch from next_attempt_at - now())::float8 as row,
      (select extract(epoch from run_at - now())::float8 from graphile_worker.jobs where key = ${`send_mail:${mail_id}`}) as queue
    from mails where mail_id = ${mail_id}`;
  return [row!['row'], row!['queue']];
}

const failing = (stage: SmtpStage, fault: ReturnType<SmtpFake['fault']>) => (at: SmtpStage) =>
  at === stage ? fault : undefined;

describe('temporary failures are retried', () => {
  test.each([
    ['greeting', '421 4.3.2 shutting down', 'CONN'],
    ['greeting', '554 5.7.1 no service for you', '554'],
    ['greeting', 'close', 'ECONNECTION'],
    ['MAIL', '550 5.7.1 sender not allowed', 'MAIL FROM 550 5.7.1'],
    ['RCPT', '451 4.7.1 greylisted', 'RCPT TO 451 4.7.1'],
    ['DATA', 'close', 'ECONNECTION'],
    ['message', '452 4.3.1 disk full', 'DATA 452 4.3.1'],
    ['message', 'close', 'ECONNECTION'],
  ] as const)('%s: %s', async (stage, fault, reason) => {
    const smtp = await useSmtp();
    smtp.fault = failing(stage, fault);
    await issueLink();
    await attemptAll(app, smtp, admin.tenantId);
    const row = await only();
    expect(row).toMatchObject({ state: 'pending', attempts: 1, leased_until: null });
    expect(row.reason).toContain(reason);
    expect(row['sealed_token']).not.toBeNull();
    for (const pause of await pauses()) {
      expect(pause).toBeGreaterThan(55);
      expect(pause).toBeLessThan(80);
    }
    smtp.fault = () => undefined;
    expect(await attemptAll(app, smtp, admin.tenantId)).toHaveLength(1);
    expect(await only()).toMatchObject({ state: 'sent', attempts: 2 });
  });

  test('the pauses double up to an hour', async () => {
    const smtp = await useSmtp();
    smtp.fault = failing('RCPT', '451 later');
    await issueLink();
    await attemptAll(app, smtp, admin.tenantId);
    await attemptAll(app, smtp, admin.tenantId);
    expect((await pauses())[0]).toBeGreaterThan(115);
    await sql()`update mails set attempts = 30 where tenant_id = ${admin.tenantId}`;
    await attemptAll(app, smtp, admin.tenantId);
    const [pause] = await pauses();
    expect(pause).toBeGreaterThan(3590);
    expect(pause).toBeLessThan(4501);
  });

  test('a server that cannot be reached', async () => {
    const smtp = await useSmtp();
    await smtp.close();
    await issueLink();
    await attemptAll(app, { ...smtp, close: async () => {} }, admin.tenantId);
    expect(await only()).toMatchObject({ state: 'pending', reason: 'CONN ESOCKET' });
  });
});

describe('permanent failures', () => {
  test.each([
    ['RCPT', '550 5.1.1 no such user secret@example.org', 'RCPT TO 550 5.1.1'],
    ['message', '554 5.7.1 looks like spam', 'DATA 554 5.7.1'],
  ] as const)(
    '%s: %s ends the mail, with a reason without the server’s text',
    async (stage, fault, reason) => {
      const smtp = await useSmtp();
      smtp.fault = failing(stage, fault);
      await issueLink();
      await attemptAll(app, smtp, admin.tenantId);
      expect(await only()).toMatchObject({ state: 'failed', reason, sealed_token: null, attempts: 1 });
    },
  );

  test('after a day, the last reason stays', async () => {
    const smtp = await useSmtp();
    smtp.fault = failing('RCPT', '451 4.7.1 greylisted');
    await issueLink();
    await attemptAll(app, smtp, admin.tenantId);
    await sql()`update mails set expires_at = now() where tenant_id = ${admin.tenantId}`;
    await attemptAll(app, smtp, admin.tenantId);
    expect(await only()).toMatchObject({ state: 'failed', reason: 'RCPT TO 451 4.7.1', sealed_token: null });
  });
});

test('the response to an accepted mail is lost: the second mail has the same Message-ID and Date', async () => {
  const smtp = await useSmtp();
  smtp.fault = (stage) => (stage === 'message' && smtp.received.length === 0 ? 'lost' : undefined);
  await issueLink();
  await attemptAll(app, smtp, admin.tenantId);
  expect((await only()).state).toBe('pending');
  const mails = await attemptAll(app, smtp, admin.tenantId);
  expect(mails).toHaveLength(2);
  const [first, second] = mails.map(({ headers }) => [headers['message-id'], headers['date']]);
  expect(first).toEqual(second);
  expect(first![0]).toBe(`<${(await only()).mail_id}@mail.example.org>`);
});

test('a mail whose worker died is taken by another one after the lease, not before', async () => {
  const smtp = await useSmtp();
  await issueLink();
  const row = await only();
  await sql()`update mails set attempts = 1, leased_until = now() + interval '100 s' where mail_id = ${row.mail_id}`;
  await attempt(app, smtp, row);
  expect(smtp.connections).toBe(0);
  const [, queue] = await pauses();
  expect(queue).toBeGreaterThan(95);
  await attemptAll(app, smtp, admin.tenantId);
  expect(smtp.received).toHaveLength(1);
});

test('the sweep queues a mail whose queue job was lost', async () => {
  await issueLink();
  const { mail_id } = await only();
  const jobs = () => sql()`select 1 from graphile_worker.jobs where key = ${`send_mail:${mail_id}`}`;
  await sql()`delete from graphile_worker._private_jobs where key = ${`send_mail:${mail_id}`}`;
  await queueOverdueMails(app.database);
  expect(await jobs()).toHaveLength(0);
  await sql()`update mails set next_attempt_at = now() - interval '11 min' where mail_id = ${mail_id}`;
  await queueOverdueMails(app.database);
  expect(await jobs()).toHaveLength(1);
});

test('expired mails end and lose their token; rows are deleted after 7 days, but not during a legal hold', async () => {
  const smtp = await useSmtp();
  const held = await found(app);
  await issueLink();
  await app.json('POST', `/api/auth/users/${held.userId}/password-reset-link`, { headers: held.bearer });
  const tenants = [admin.tenantId, held.tenantId];
  await sql()`update mails set expires_at = now() - interval '1 h' where tenant_id = any(${tenants})`;
  await app.database.inPlatform((tx) => pruneMails(tx, [held.tenantId]));
  for (const tenantId of tenants)
    expect(await outboxOf(app, tenantId)).toMatchObject([
      { state: 'failed', reason: 'expired', sealed_token: null },
    ]);
  await sql()`update mails set ended_at = now() - interval '8 days' where tenant_id = any(${tenants})`;
  await app.database.inPlatform((tx) => pruneMails(tx, [held.tenantId]));
  expect(await outboxOf(app, admin.tenantId)).toHaveLength(0);
  expect(await outboxOf(app, held.tenantId)).toHaveLength(1);
  expect(smtp.connections).toBe(0);
});

describe('the connection', () => {
  const mail = {
    ...{ id: 'x', to: 'someone@example.org', subject: 'S', text: 'T', html: '<p>T</p>' },
    ...{ date: new Date(), language: 'en', unsubscribeUrl: null },
  };
  const settingsOf = (url: string) => readSettings({ MAIL_SERVER: mailServer({ url }) });

  test('signs in with the credentials of the URL, percent-decoded', async () => {
    const smtp = await useSmtp({ extensions: ['AUTH PLAIN'] });
    const url = `smtp://us%40er:p%3Ass%2F@127.0.0.1:${smtp.port}`;
    expect(await sendBySmtp(settingsOf(url), mail)).toEqual({ ok: true });
    const [, credentials] = /^AUTH PLAIN (\S+)/.exec(smtp.commands[1] ?? '') ?? [];
    expect(Buffer.from(credentials ?? '', 'base64').toString()).toBe('\0us@er\0p:ss/');
  });

  test('wrong credentials are retried, because the operator may correct them', async () => {
    const smtp = await useSmtp({ extensions: ['AUTH PLAIN'] });
    smtp.fault = failing('AUTH', '535 5.7.8 wrong');
    const outcome = await sendBySmtp(settingsOf(`smtp://a:b@127.0.0.1:${smtp.port}`), mail);
    expect(outcome).toEqual({ ok: false, retry: true, reason: 'AUTH PLAIN 535 5.7.8' });
  });

  test('sends credentials to another machine only over TLS', async () => {
    const smtp = await useSmtp({ extensions: ['AUTH PLAIN'] });
    // This address reaches the server, but does not count as this machine.
    const outcome = await sendBySmtp(settingsOf(`smtp://user:hunter2@[::ffff:127.0.0.1]:${smtp.port}`), mail);
    expect(outcome).toMatchObject({ ok: false, retry: true });
    expect(smtp.connections).toBe(1);
    expect(smtp.commands.some((line) => line.startsWith('AUTH'))).toBe(false);
    expect(smtp.received).toHaveLength(0);
  });

  test('reaches an address with an international domain, and one with an international name if the server can', async () => {
    const smtp = await useSmtp();
    await sendBySmtp(settingsOf(smtp.url), { ...mail, to: 'user@bücher.example' });
    await sendBySmtp(settingsOf(smtp.url), { ...mail, to: 'jürgen@example.org' });
    expect(smtp.received.map(({ to, parameters }) => [to, parameters.includes('SMTPUTF8')])).toEqual([
      ['user@xn--bcher-kva.example', false],
      ['jürgen@example.org', true],
    ]);
  });

  test.each<Partial<typeof mail>>([
    ...['a@example.org, b@example.org', 'a@example.org\r\nRCPT TO:<b@example.org>', 'x'].map((to) => ({
      to,
    })),
    ...['eve\n@victim.example', 'eve@example.org\nvictim.example', 'eve@example.org\0'].map((to) => ({ to })),
    ...['Eve <eve@example.org>', '@a.example:eve@example.org', 'e@a.example@b.example'].map((to) => ({ to })),
    { subject: 'S\r\nBcc: b@example.org' },
    { subject: 'S\nBcc: b@example.org' },
    { language: 'en\r\nBcc: b@example.org' },
    { id: 'x>\r\nBcc: b@example.org' },
  ])('refuses an address that is no single address, and a line break in a header: %j', async (injected) => {
    const smtp = await useSmtp();
    const outcome = await sendBySmtp(settingsOf(smtp.url), { ...mail, ...injected });
    expect(outcome).toEqual({ ok: false, retry: false, reason: 'malformed' });
    expect(smtp.connections).toBe(0);
  });

  test('a silent server ends the attempt', async () => {
    const smtp = await useSmtp();
    smtp.fault = failing('RCPT', 'silence');
    const begun = performance.now();
    const outcome = await sendBySmtp(settingsOf(smtp.url), mail, 1000);
    expect(outcome).toMatchObject({ ok: false, retry: true });
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
