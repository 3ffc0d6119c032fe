import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { invites, resetLinks, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { unseal } from '#server/platform/encryption.ts';
import type { TaskPayloads } from '#server/platform/job-queue.ts';
import { isMailOn, sendBySmtp } from '#server/platform/smtp.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { publicAddress } from '#server/settings.ts';
import { deferMail, endMail, type MailEnd, type MailRow, takeMail } from './mail-rows.ts';
import { ownerOfToken, queueSending, securityEvents } from './outbox.ts';
import { type OptionalMail, readPreferences } from './preferences.ts';
import { unsubscribeToken } from './unsubscribe.ts';
import { type MailFacts, writeMail } from './write-mail.ts';

type SendingServices = Pick<Services, 'database' | 'log' | 'secretsKeys' | 'settings'>;

/** The recipient of a mail, and what the mail contains. */
interface Prepared {
  to: string;
  facts: MailFacts;
  /** The kind that the recipient can switch off. */
  optional?: OptionalMail;
}

/** The reason why a mail is not sent. */
class Useless extends Error {}

/**
 * Sends a mail of the outbox, or queues another attempt. May run twice, and may be interrupted at any point. The mail is
 * dropped if it has become useless: its link no longer works, or the member no longer gets such mails.
 */
export async function sendMail(
  services: SendingServices,
  { tenantId, mailId }: TaskPayloads['send_mail'],
): Promise<void> {
  const { database, settings } = services;
  if (!isMailOn(settings)) return;
  const taken = await database.inTenant(tenantId, async (tx) => {
    const found = await takeMail(tx, tenantId, mailId);
    if (found && 'afterSeconds' in found)
      await queueSending(tx, { tenantId, mailId, kind: found.kind }, found.afterSeconds + 1);
    return found;
  });
  if (!taken || !('mail' in taken)) return;
  const { mail } = taken;
  const end = async (state: MailEnd, reason: string | null = null) => {
    await database.inTenant(tenantId, (tx) => endMail(tx, mail, state, reason));
    countEvent('mails', `${mail.kind} ${state}`);
    if (state === 'failed') report(services, mail, reason, 'a mail could not be sent');
  };
  if (mail.expiresAt.getTime() <= Date.now()) return end('failed', mail.reason ?? 'expired');

  let prepared: Prepared;
  try {
    prepared = await database.inTenant(tenantId, (tx) => prepareMail(tx, services, mail));
  } catch (error) {
    if (error instanceof Useless) return end('dropped', error.message);
    throw error;
  }
  const { to, facts, optional } = prepared;
  const unsubscribeUrl =
    optional && mail.userId !== null
      ? `${publicAddress(settings)}/mail/unsubscribe/${unsubscribeToken(services.secretsKeys, { kind: optional, tenantId, userId: mail.userId })}`
      : null;
  const content = writeMail(facts, {
    language: mail.language,
    address: publicAddress(settings),
    unsubscribeUrl,
  });
  const outcome = await sendBySmtp(settings, {
    ...content,
    id: mailId,
    to,
    date: mail.createdAt,
    language: mail.language,
    unsubscribeUrl,
  });
  if (outcome.ok) return end('sent');
  if (!outcome.retry) return end('failed', outcome.reason);
  await database.inTenant(tenantId, (tx) => deferMail(tx, mail, outcome.reason));
  countEvent('mails', `${mail.kind} deferred`);
  report(services, mail, outcome.reason, 'a mail could not be sent yet; retrying');
}

function report({ log }: SendingServices, mail: MailRow, reason: string | null, message: string): void {
  const { tenantId, mailId, kind, attempts } = mail;
  log.warn({ tenant_id: tenantId, mail_id: mailId, kind, attempts, reason }, message);
}

/** Reads everything that a mail contains. @throws Useless */
async function prepareMail(tx: Tx, services: SendingServices, mail: MailRow): Promise<Prepared> {
  const { tenantId, items, failedItems, subjectId } = mail;
  const [tenant] = await tx
    .select({ name: tenants.name, active: tenants.active })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId));
  if (!tenant?.active) throw new Useless('workspace inactive');
  const workspace = tenant.name;
  if (mail.kind === 'invite') {
    const invite = await findInvite(tx, mail);
    const token = openToken(services, mail);
    return {
      to: invite.address,
      facts: { kind: 'invite', workspace, token, by: invite.createdBy, expiresAt: invite.expiresAt },
    };
  }
  const member = await findMember(tx, mail);
  if (mail.kind === 'reset_link') {
    const token = openToken(services, mail);
    const expiresAt = await findResetLink(tx, mail, token);
    return { to: member.email, facts: { kind: 'reset_link', workspace, token, expiresAt } };
  }
  if (mail.kind === 'security') {
    const event = securityEvents.find((one) => one === subjectId);
    if (!event) throw new Useless('unknown event');
    return { to: member.email, facts: { kind: 'security', workspace, event, at: mail.createdAt } };
  }
  const { kind } = mail;
  if (!(await readPreferences(tx, tenantId, member.userId))[kind]) throw new Useless('switched off');
  const facts: MailFacts =
    kind === 'digest'
      ? { kind, workspace, items }
      : { kind, workspace, items, failedItems, documentId: subjectId };
  return { to: member.email, facts, optional: kind };
}

async function findInvite(tx: Tx, { tenantId, subjectId, address }: MailRow) {
  const [invite] = await tx
    .select({ createdBy: invites.createdBy, expiresAt: invites.expiresAt, email: invites.email })
    .from(invites)
    .where(
      and(
        eq(invites.tenantId, tenantId),
        eq(invites.inviteId, subjectId ?? ''),
        isNull(invites.redeemedAt),
        isNull(invites.withdrawnAt),
        gt(invites.expiresAt, sql`now()`),
      ),
    );
  if (!invite || address === null || invite.email !== address) throw new Useless('invite closed');
  return { ...invite, address };
}

async function findMember(tx: Tx, { tenantId, userId }: MailRow) {
  const [member] = await tx
    .select({ userId: users.userId, email: users.email, active: users.active })
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId ?? '')));
  if (!member?.active) throw new Useless('member inactive');
  return member;
}

/** Returns the expiry of a reset link. A later link may have replaced it. */
async function findResetLink(tx: Tx, { tenantId, userId }: MailRow, token: string): Promise<Date> {
  const [link] = await tx
    .select({ expiresAt: resetLinks.expiresAt })
    .from(resetLinks)
    .where(
      and(
        eq(resetLinks.tenantId, tenantId),
        eq(resetLinks.userId, userId ?? ''),
        eq(resetLinks.linkHash, hashSecret(token.slice(token.indexOf('.') + 1))),
        gt(resetLinks.expiresAt, sql`now()`),
      ),
    );
  if (!link) throw new Useless('link closed');
  return link.expiresAt;
}

function openToken(
  { secretsKeys, log }: SendingServices,
  { tenantId, mailId, sealedToken }: MailRow,
): string {
  if (sealedToken === null) throw new Useless('no token');
  try {
    return unseal(secretsKeys, 'mail', ownerOfToken(tenantId, mailId), sealedToken).toString();
  } catch (error) {
    log.warn(
      { tenant_id: tenantId, mail_id: mailId, error: describeForLog(error) },
      'cannot decrypt the token of a mail',
    );
    throw new Useless('token unreadable');
  }
}
