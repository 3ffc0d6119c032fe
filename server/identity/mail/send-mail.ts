import { createHash } from 'node:crypto';
import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { invites, resetLinks, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { unseal } from '#server/platform/encryption.ts';
import type { TaskPayloads } from '#server/platform/job-queue.ts';
import { isMailOn, sendBySmtp } from '#server/platform/smtp.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { publicAddress } from '#server/settings.ts';
import { confirmationToken, emailProof, isConfirmed } from './confirmation.ts';
import { deferMail, endMail, type MailEnd, type MailRow, takeMail } from './mail-rows.ts';
import { ownerOfToken, ownLink, queueSending, securityEvents } from './outbox.ts';
import { type OptionalMail, readPreferences, unsubscribeToken } from './preferences.ts';
import { type MailFacts, writeMail } from './write-mail.ts';

type SendingServices = Pick<Services, 'database' | 'log' | 'secretsKeys' | 'settings'>;

/** The only mails to an address that is not confirmed. */
const sentUnconfirmed: readonly MailRow['kind'][] = ['invite', 'reset_link', 'confirmation'];

/**
 * Maximum mails to one address in a day, from all workspaces. Accounts that have confirmed the address have their own
 * count, so that others cannot use it up. Invites are fewer, so that they leave some for the address's own accounts.
 */
const dailyLimits = { confirmed: 50, unconfirmed: 5, invite: 3 } as const;
const daySeconds = 86_400;

/** The recipient of a mail, and what the mail contains. */
interface Prepared {
  to: string;
  /** Whether the account of the recipient has confirmed the address. */
  isConfirmed: boolean;
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
    if (mail.attempts === 1 && !(await database.inPlatform((tx) => isWithinLimits(tx, mail.kind, prepared))))
      throw new Useless('limited');
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

async function isWithinLimits(
  tx: Tx,
  kind: MailRow['kind'],
  { to, isConfirmed }: Prepared,
): Promise<boolean> {
  // `name+anything@` is the same mailbox as `name@` at many providers.
  const mailbox = to.toLowerCase().replace(/\+[^@]*(?=@)/, '');
  const subject = createHash('sha256').update(mailbox).digest('hex');
  const limits = [
    isConfirmed ? 'confirmed' : 'unconfirmed',
    ...(kind === 'invite' ? ['invite' as const] : []),
  ] as const;
  for (const limit of limits) {
    const { attempts } = await countAttempt(tx, `mail_to_${limit}`, subject, daySeconds);
    if (attempts > dailyLimits[limit]) return false;
  }
  return true;
}

/** Reads everything that a mail contains. @throws Useless */
async function prepareMail(tx: Tx, services: SendingServices, mail: MailRow): Promise<Prepared> {
  const { tenantId, items, failedItems, subjectId, assigned, dueSoon, overdue } = mail;
  const [tenant] = await tx
    .select({ name: tenants.name, active: tenants.active })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId));
  if (!tenant?.active) throw new Useless('workspace inactive');
  const workspace = tenant.name;
  if (mail.kind === 'invite') {
    const invite = await findInvite(tx, mail);
    const token = openToken(services, mail);
    const { address, createdBy: by, expiresAt } = invite;
    const proof = emailProof(services.secretsKeys, { tenantId, subject: subjectId ?? '', email: address });
    return {
      to: address,
      isConfirmed: false,
      facts: { kind: 'invite', workspace, token, proof, by, expiresAt },
    };
  }
  const member = await findMember(tx, mail);
  const recipient = { to: member.email, isConfirmed: member.isConfirmed };
  if (!member.isConfirmed && !sentUnconfirmed.includes(mail.kind)) throw new Useless('address not confirmed');
  if (mail.kind === 'confirmation') {
    if (member.isConfirmed) throw new Useless('address confirmed');
    const token = confirmationToken(services.secretsKeys, { tenantId, ...member });
    return { ...recipient, facts: { kind: 'confirmation', workspace, token } };
  }
  if (mail.kind === 'reset_link') {
    const token = openToken(services, mail);
    const expiresAt = await findResetLink(tx, mail, token);
    return {
      ...recipient,
      facts: { kind: 'reset_link', workspace, token, expiresAt, isOwn: subjectId === ownLink },
    };
  }
  if (mail.kind === 'security') {
    const event = securityEvents.find((one) => one === subjectId);
    if (!event) throw new Useless('unknown event');
    return { ...recipient, facts: { kind: 'security', workspace, event, at: mail.createdAt } };
  }
  const { kind } = mail;
  const optional = kind === 'digest' ? kind : 'documents';
  if (!(await readPreferences(tx, tenantId, member.userId))[optional]) throw new Useless('switched off');
  const facts: MailFacts =
    kind === 'digest'
      ? { kind, workspace, items, assigned, dueSoon, overdue }
      : kind === 'documents'
        ? { kind, workspace, items, failedItems, documentId: subjectId }
        : { kind, workspace, items, rejected: failedItems, subject: subjectId };
  return { ...recipient, facts, optional };
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
    .select({ userId: users.userId, email: users.email, active: users.active, isConfirmed })
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
