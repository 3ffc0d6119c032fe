import { onTestFinished } from 'vitest';
import { sendMail } from '#server/identity/mail/send-mail.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { type ReceivedMail, type SmtpFake, startSmtp } from '#test/fakes/smtp.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

/** The setting of a mail server, with other fields. */
export function mailServer(fields: Record<string, unknown>): string {
  const usual = { url: 'smtp://127.0.0.1:1', from: 'LinguaLoop <noreply@mail.example.org>' };
  return JSON.stringify({ ...usual, ...fields });
}

/** The settings of a deployment that sends mails. The server is that of each test. */
export const mailEnv = {
  AUTH_RATE_LIMIT_ENABLED: 'false',
  MAIL_SERVER: mailServer({}),
  BASE_URL: 'https://lingua.example.org',
};

/** A row of the outbox. */
export interface OutboxRow {
  [column: string]: unknown;
  tenant_id: string;
  mail_id: string;
  kind: string;
  state: string;
  reason: string | null;
  attempts: number;
}

/** Starts a mail server for the test, and closes it at its end. */
export async function useSmtp(options?: Parameters<typeof startSmtp>[0]): Promise<SmtpFake> {
  const smtp = await startSmtp(options);
  onTestFinished(() => smtp.close());
  return smtp;
}

/** Confirms the addresses of all members of a tenant, and removes the mails that ask for it. */
export async function confirmAddresses(app: TestApp, { tenantId }: { tenantId: string }): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`update users set email_confirmed_at = now() where tenant_id = ${tenantId}`;
  await sql`delete from mails where tenant_id = ${tenantId}`;
}

/** The rows of a tenant, oldest first. */
export function outboxOf(app: TestApp, tenantId: string): Promise<OutboxRow[]> {
  return openSuperuser(app.superuserUrl)`
    select * from mails where tenant_id = ${tenantId} order by created_at, mail_id` as never;
}

/** Lets the time of all pauses and leases of a tenant pass. */
export async function letPausesPass(app: TestApp, tenantId: string): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    update mails set next_attempt_at = now() - interval '1 s', leased_until = null
    where tenant_id = ${tenantId} and state = 'pending'`;
}

/** Takes the mail's job from the queue and runs it, as a worker does. */
export async function attempt(app: TestApp, smtp: Pick<SmtpFake, 'url'>, row: OutboxRow): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    delete from graphile_worker._private_jobs where key = ${`send_mail:${row.mail_id}`}`;
  const { MAIL_SERVER } = readSettings({ MAIL_SERVER: mailServer({ url: smtp.url }) });
  const settings: Settings = { ...app.services.settings, MAIL_SERVER };
  await sendMail({ ...app.services, settings }, { tenantId: row.tenant_id, mailId: row.mail_id });
}

/** Attempts to send each pending mail of a tenant once. @returns the mails that the server has accepted so far */
export async function attemptAll(app: TestApp, smtp: SmtpFake, tenantId: string): Promise<ReceivedMail[]> {
  await letPausesPass(app, tenantId);
  for (const row of await outboxOf(app, tenantId)) if (row.state === 'pending') await attempt(app, smtp, row);
  return smtp.received;
}
