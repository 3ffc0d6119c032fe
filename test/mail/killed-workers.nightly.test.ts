import type postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { queueDigestMails } from '#server/identity/mail/outbox.ts';
import { found, type Person } from '#test/factories.ts';
import type { SmtpStage } from '#test/fakes/smtp.ts';
import { killableBeside, testKills } from '#test/faults/kills.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { confirmAddresses, mailEnv, mailServer, outboxOf, useSmtp } from './outbox.ts';

const app = useTestApp({ env: mailEnv });

const members = 160;
const invites = 19;
const stages: readonly SmtpStage[] = ['greeting', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'message'];

/** Processes that use an SMTP server. */
async function open() {
  const smtp = await useSmtp();
  const killable = killableBeside(app, { ...mailEnv, MAIL_SERVER: mailServer({ url: smtp.url }) });
  onTestFinished(killable.end);
  return { ...killable, smtp, admin: await fillOutbox(killable.sql) };
}

/** Creates a workspace with many mails: digests and invites. */
async function fillOutbox(sql: postgres.Sql): Promise<Person> {
  const admin = await found(app);
  const { tenantId } = admin;
  await sql`insert into users (tenant_id, user_id, email, provider, role)
    select ${tenantId}, 'u' || n, 'u' || n || '@example.org', 'email', 'agent_id_developer' from generate_series(1, ${members - 1}::int) n`;
  await confirmAddresses(app, admin);
  await app.database.inTenant(tenantId, (tx) =>
    queueDigestMails(tx, app.services.settings, { tenantId, day: '2026-07-31', items: 3, work: [] }),
  );
  for (let number = 0; number < invites; number++) {
    const body = { email: `invited-${tenantId}-${number}@example.org` };
    await app.json('POST', '/api/tenants/invites', { headers: admin.bearer, body });
  }
  return admin;
}

const pending = async ({ tenantId }: Person) =>
  (await outboxOf(app, tenantId)).filter(({ state }) => state === 'pending').length;

const kills = 20;

testKills({
  title:
    'workers are killed in each stage of a mail: each mail arrives, again only if its worker died with it',
  timeout: 240_000,
  kills,
  open,
  async reach({ start, smtp }, kill) {
    const worker = await start('worker');
    const stage = stages[kill % stages.length];
    // The first mails of a worker are sent completely, so that all kills together do not only hit the same mails.
    let seen = 0;
    await new Promise<void>((resolve) => {
      smtp.fault = (at) => {
        if (at === stage && ++seen === 5) {
          process.kill(worker.pid, 'SIGKILL');
          resolve();
        }
        return undefined;
      };
    });
    smtp.fault = () => undefined;
    return worker;
  },
  async after({ replaceDead, sql, admin: { tenantId } }) {
    await replaceDead();
    // The leases of a dead process end with time.
    await sql`update mails set leased_until = null where tenant_id = ${tenantId} and state = 'pending'`;
  },
  async holds({ start, smtp, admin }) {
    expect(await pending(admin)).toBeGreaterThan(0);
    await start('worker');
    await expect.poll(() => pending(admin), { timeout: 60_000, interval: 100 }).toBe(0);

    const rows = await outboxOf(app, admin.tenantId);
    expect(rows).toHaveLength(members + invites);
    const byId = Map.groupBy(smtp.received, ({ headers }) => headers['message-id'] ?? '');
    expect(byId.size).toBe(members + invites);
    let duplicates = 0;
    for (const row of rows) {
      expect(row).toMatchObject({ state: 'sent', sealed_token: null });
      const copies = byId.get(`<${row.mail_id}@mail.example.org>`) ?? [];
      expect(copies.length).toBeGreaterThanOrEqual(1);
      expect(copies.length - 1).toBeLessThanOrEqual(row.attempts - 1);
      for (const copy of copies) expect([copy.to, copy.text]).toEqual([copies[0]!.to, copies[0]!.text]);
      duplicates += copies.length - 1;
    }
    // The server has accepted a mail of each worker that was killed at its end.
    expect(duplicates).toBeGreaterThanOrEqual(1);
    expect(duplicates).toBeLessThanOrEqual(2 * kills);
  },
});

test('two processes send each mail once', { timeout: 120_000 }, async () => {
  const { smtp, admin, start } = await open();
  smtp.delayMs = 5;
  await Promise.all([start('worker'), start('worker')]);
  await expect.poll(() => pending(admin), { timeout: 60_000, interval: 100 }).toBe(0);
  expect(smtp.received).toHaveLength(members + invites);
  expect(new Set(smtp.received.map(({ to }) => to)).size).toBe(members + invites);
});

test('a worker that stops finishes the mails that it is sending', { timeout: 60_000 }, async () => {
  const { smtp, admin, start } = await open();
  smtp.delayMs = 100;
  const worker = await start('worker');
  await poll(async () => smtp.received.length >= 2);
  expect(await worker.stop('SIGTERM')).toBe(0);
  const sent = (await outboxOf(app, admin.tenantId)).filter(({ state }) => state === 'sent').length;
  expect(smtp.received).toHaveLength(sent);
  expect(sent).toBeLessThan(members + invites);
});
