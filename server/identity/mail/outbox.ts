import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { mailPreferences, mails } from '#db/schema/mail.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { type SecretsKeys, seal } from '#server/platform/encryption.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { Settings } from '#server/settings.ts';
import { hasConfirmedEmail } from './confirmation.ts';
import { defaultLanguageOf, languageOf } from './preferences.ts';

/*
 * The outbox has a row for each mail. All functions of this file insert it in the transaction of the caller, together
 * with the job that sends it. Without MAIL_SERVER they do nothing.
 *
 * The keys of `mails.dedupe_key`:
 * - an invite, a reset link, a link to confirm an address or a change of the sign-in: the ID of the mail
 * - a digest: `digest:<day>:<member>`, so that a member gets one digest a day
 * - documents and decisions: `<kind>:<member>` until a worker sends the mail, so that others are added to it; then the ID
 */

/** The parts of a process that add a mail with a link. The keys are null only if mail is off. */
export interface MailParts {
  settings: Settings;
  secretsKeys: SecretsKeys | null;
}

const daySeconds = 86_400;
/** The time for which the service tries to send a mail, in seconds. */
const maxAgeSeconds = daySeconds;

/** Maximum mails that a workspace (invites) or a member causes in a day. `send-mail.ts` limits the mails to an address. */
const dailyLimits = { invite: 50, reset_link: 5, forgotten: 5, confirmation: 5, security: 10 } as const;

/** Maximum administrators who are told of a change of the workspace. */
const maxAdministrators = 50;

/** Seconds for which documents that end, or decisions, are collected in one mail, and between two such mails to a member. */
const collectSeconds = 60;
const documentsPauseSeconds = 900;

/** The priorities of jobs: links are sent before documents, and both before digests, of which there may be thousands. */
const priorities = {
  invite: 0,
  reset_link: 0,
  confirmation: 0,
  security: 0,
  documents: 5,
  decisions: 5,
  digest: 10,
} as const;

/** Changes of a member's sign-in of which the member is told, and of the workspace of which its administrators are. */
export const securityEvents = [
  'authenticator',
  'recovery_codes',
  'password',
  'provider',
  'second_review',
] as const;

export type SecurityEvent = (typeof securityEvents)[number];

type MailRow = typeof mails.$inferInsert;

/**
 * Adds the mail of an invite, unless the inviter has not confirmed the own address, or the workspace has had too many of
 * them in 24 hours. An invite exists with or without its mail.
 * @param invitedBy the member who has created the invite; null for an operator
 */
export async function queueInviteMail(
  tx: Tx,
  parts: MailParts,
  invite: {
    tenantId: string;
    inviteId: string;
    address: string;
    token: string;
    expiresAt: Date;
    invitedBy: string | null;
  },
): Promise<void> {
  if (!isMailOn(parts.settings)) return;
  const { tenantId, inviteId, address, token, expiresAt, invitedBy } = invite;
  if (!(await mayCauseMail(tx, tenantId, invitedBy))) return countEvent('mails', 'invite unconfirmed');
  if (!(await isWithinLimit(tx, 'invite', tenantId))) return countEvent('mails', 'invite limited');
  const language = await languageOf(tx, parts.settings, tenantId, invitedBy);
  await insertTokenMail(tx, parts, token, expiresAt, {
    ...{ tenantId, kind: 'invite', address, subjectId: inviteId, language },
  });
}

/**
 * Counts the mail of a password reset link. Those that the member asked for are counted apart, because anyone can ask for
 * them.
 * @returns false if mail is off, or the member has had too many of them in 24 hours
 */
export async function countResetMail(
  tx: Tx,
  settings: Settings,
  { userId, isOwn }: { userId: string; isOwn: boolean },
): Promise<boolean> {
  if (!isMailOn(settings)) return false;
  if (await isWithinLimit(tx, isOwn ? 'forgotten' : 'reset_link', userId)) return true;
  countEvent('mails', 'reset_link limited');
  return false;
}

/** The subject of a reset link that the member asked for. */
export const ownLink = 'own';

/** Adds the mail of a password reset link, after `countResetMail`. @param isOwn whether the member asked for it */
export async function queueResetMail(
  tx: Tx,
  parts: MailParts,
  {
    tenantId,
    userId,
    token,
    expiresAt,
    isOwn,
  }: { tenantId: string; userId: string; token: string; expiresAt: Date; isOwn: boolean },
): Promise<void> {
  const language = await languageOf(tx, parts.settings, tenantId, userId);
  const subjectId = isOwn ? ownLink : null;
  await insertTokenMail(tx, parts, token, expiresAt, {
    ...{ tenantId, kind: 'reset_link', userId, subjectId, language },
  });
}

/**
 * Adds the mail about a change of a member's sign-in, which someone else may have made. It contains no
 * secret, and cannot be switched off.
 */
export async function queueSecurityMail(
  tx: Tx,
  settings: Settings,
  { tenantId, userId, event }: { tenantId: string; userId: string; event: SecurityEvent },
): Promise<void> {
  if (!isMailOn(settings)) return;
  if (!(await isWithinLimit(tx, 'security', userId))) return countEvent('mails', 'security limited');
  const mailId = newId();
  const kind = 'security' as const;
  await tx.insert(mails).values({
    ...{ tenantId, mailId, dedupeKey: mailId, kind, userId, subjectId: event },
    language: await languageOf(tx, settings, tenantId, userId),
    expiresAt: sql`now() + make_interval(secs => ${maxAgeSeconds})`,
  });
  await queueSending(tx, { tenantId, mailId, kind });
}

/** Adds the mail about a change of the workspace for each of its active administrators. */
export async function queueAdministratorMails(
  tx: Tx,
  settings: Settings,
  { tenantId, event }: { tenantId: string; event: SecurityEvent },
): Promise<void> {
  if (!isMailOn(settings)) return;
  const administrators = await tx
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.active, true), eq(users.role, 'global_administrator')))
    .orderBy(users.userId)
    .limit(maxAdministrators);
  for (const { userId } of administrators) await queueSecurityMail(tx, settings, { tenantId, userId, event });
}

/**
 * Adds the mail with which a member confirms the own address, unless the member has had too many of them in 24 hours.
 * @returns whether the mail was added
 */
export async function queueConfirmationMail(
  tx: Tx,
  settings: Settings,
  { tenantId, userId }: { tenantId: string; userId: string },
): Promise<boolean> {
  if (!isMailOn(settings)) return false;
  if (!(await isWithinLimit(tx, 'confirmation', userId))) {
    countEvent('mails', 'confirmation limited');
    return false;
  }
  const mailId = newId();
  const language = await languageOf(tx, settings, tenantId, userId);
  const expiresAt = sql`now() + make_interval(secs => ${maxAgeSeconds})`;
  await tx
    .insert(mails)
    .values({ tenantId, mailId, dedupeKey: mailId, kind: 'confirmation', userId, language, expiresAt });
  await queueSending(tx, { tenantId, mailId, kind: 'confirmation' });
  return true;
}

/**
 * Adds a document that has ended to the mail about documents of the member who submitted it.
 * @param submittedBy the ID of a member; another submitter, such as an API key, gets no mail
 */
export async function queueDocumentMail(
  tx: Tx,
  settings: Settings,
  {
    documentId,
    submittedBy,
    ...ended
  }: { tenantId: string; documentId: string; submittedBy: string | null; hasFailed: boolean },
): Promise<void> {
  if (submittedBy === null) return;
  await collectInMail(tx, settings, {
    ...ended,
    kind: 'documents',
    userId: submittedBy,
    subject: documentId,
  });
}

/**
 * Adds a decision to the mail to the member who submitted the item, unless it is the member's own decision.
 * @param submittedBy as in `queueDocumentMail`
 * @param hasFailed whether the item was rejected
 */
export async function queueDecisionMail(
  tx: Tx,
  settings: Settings,
  {
    kind,
    id,
    submittedBy: userId,
    decidedBy,
    ...decided
  }: {
    tenantId: string;
    kind: 'job' | 'document';
    id: string;
    submittedBy: string | null;
    decidedBy: string | null;
    hasFailed: boolean;
  },
): Promise<void> {
  if (userId === null || userId === decidedBy) return;
  await collectInMail(tx, settings, { ...decided, kind: 'decisions', userId, subject: `${kind} ${id}` });
}

/** Adds an item to the next mail of a kind to a member, if the member gets such mails. */
async function collectInMail(
  tx: Tx,
  settings: Settings,
  {
    tenantId,
    kind,
    userId,
    subject,
    hasFailed,
  }: {
    tenantId: string;
    kind: 'documents' | 'decisions';
    userId: string;
    subject: string;
    hasFailed: boolean;
  },
): Promise<void> {
  if (!isMailOn(settings)) return;
  const mailId = newId();
  const kindOf = (id: SQL) => sql`split_part(${id}, ' ', 1)`;
  const [held, added] = [kindOf(sql`mails.subject_id`), kindOf(sql`excluded.subject_id`)];
  const [row] = await tx.execute<{ mailId: string; delay: number }>(sql`
    insert into mails (tenant_id, mail_id, dedupe_key, kind, user_id, language, subject_id, items, failed_items,
      next_attempt_at, expires_at)
    select u.tenant_id, ${mailId}, ${kind}::text || ':' || u.user_id, ${kind}, u.user_id,
      coalesce(p.language, ${defaultLanguageOf(settings)}), ${subject}, 1, ${hasFailed ? 1 : 0}::int,
      greatest(now() + make_interval(secs => ${collectSeconds}), (
        select max(m.ended_at) + make_interval(secs => ${documentsPauseSeconds}) from mails m
        where m.tenant_id = ${tenantId} and m.user_id = ${userId} and m.kind = ${kind} and m.state = 'sent')),
      now() + make_interval(secs => ${maxAgeSeconds})
    from users u left join mail_preferences p on p.tenant_id = ${tenantId} and p.user_id = u.user_id
    where u.tenant_id = ${tenantId} and u.user_id = ${userId} and u.active and coalesce(p.documents, true)
      and (u.email_confirmed_at is not null or u.provider <> 'email')
    on conflict (tenant_id, dedupe_key) do update set items = mails.items + 1,
      failed_items = mails.failed_items + excluded.failed_items,
      subject_id = case when mails.kind = 'decisions' and ${held} = ${added} then ${held} end
    returning mail_id as "mailId", extract(epoch from next_attempt_at - now())::float8 as delay`);
  if (row?.mailId === mailId) await queueSending(tx, { tenantId, mailId, kind }, row.delay);
}

/** The items whose next review is by a member: all, those due within a day, and those that are overdue. */
export interface WorkOfMember {
  userId: string;
  assigned: number;
  dueSoon: number;
  overdue: number;
}

/**
 * Adds a digest for each active member of a tenant who gets one, unless the member has had that of the day.
 * @param day `YYYY-MM-DD`
 * @returns the number of added mails
 */
export async function queueDigestMails(
  tx: Tx,
  settings: Settings,
  {
    tenantId,
    day,
    items,
    work,
  }: { tenantId: string; day: string; items: number; work: readonly WorkOfMember[] },
): Promise<number> {
  const [row] = await tx.execute<{ added: number }>(sql`
    with added as (
      insert into mails (tenant_id, mail_id, dedupe_key, kind, user_id, language, items, assigned, due_soon,
        overdue, expires_at)
      select u.tenant_id, replace(gen_random_uuid()::text, '-', ''), concat('digest:', ${day}::text, ':', u.user_id),
        'digest', u.user_id, coalesce(p.language, ${defaultLanguageOf(settings)}), ${items}::int,
        coalesce(w.assigned, 0), coalesce(w."dueSoon", 0), coalesce(w.overdue, 0), now() + make_interval(hours => 12)
      from users u left join mail_preferences p on p.tenant_id = ${tenantId} and p.user_id = u.user_id
      left join json_to_recordset(${JSON.stringify(work)}::json)
        as w("userId" text, assigned int, "dueSoon" int, overdue int) on w."userId" = u.user_id
      where u.tenant_id = ${tenantId} and u.active and coalesce(p.digest, true)
        and (u.email_confirmed_at is not null or u.provider <> 'email')
      on conflict (tenant_id, dedupe_key) do nothing
      returning tenant_id, mail_id)
    select count(*)::int as added from added, lateral graphile_worker.add_job('send_mail',
      json_build_object('tenantId', tenant_id, 'mailId', mail_id), job_key => 'send_mail:' || mail_id,
      flags => array['tenant:' || tenant_id],
      job_key_mode => 'preserve_run_at', priority => ${priorities.digest}::int)`);
  return row?.added ?? 0;
}

/** Adds the job that sends a mail. */
export async function queueSending(
  tx: Tx,
  { tenantId, mailId, kind }: { tenantId: string; mailId: string; kind: keyof typeof priorities },
  afterSeconds = 0,
): Promise<void> {
  const key = `send_mail:${mailId}`;
  await addJob(tx, 'send_mail', { tenantId, mailId }, { key, afterSeconds, priority: priorities[kind] });
}

/** Deletes a member's row of preferences and all mails to the member. For anonymization. */
export async function deleteMailsTo(
  tx: Tx,
  tenantId: string,
  userId: string,
  address: string,
): Promise<void> {
  await tx.execute(sql`
    delete from mails where tenant_id = ${tenantId} and (user_id = ${userId} or address = ${address})`);
  await tx
    .delete(mailPreferences)
    .where(and(eq(mailPreferences.tenantId, tenantId), eq(mailPreferences.userId, userId)));
}

/** The owner of the sealed token of a mail, for the encryption. */
export const ownerOfToken = (tenantId: string, mailId: string) => `${tenantId} ${mailId}`;

async function insertTokenMail(
  tx: Tx,
  { secretsKeys }: MailParts,
  token: string,
  linkExpiresAt: Date,
  row: Omit<MailRow, 'mailId' | 'dedupeKey' | 'expiresAt'>,
): Promise<void> {
  if (secretsKeys === null) throw new Error('a mail with a link needs the secrets key');
  const { tenantId, kind } = row;
  const mailId = newId();
  await tx.insert(mails).values({
    ...row,
    mailId,
    dedupeKey: mailId,
    sealedToken: seal(secretsKeys, 'mail', ownerOfToken(tenantId, mailId), Buffer.from(token)),
    expiresAt: sql`least(${linkExpiresAt.toISOString()}::timestamptz, now() + make_interval(secs => ${maxAgeSeconds}))`,
  });
  await queueSending(tx, { tenantId, mailId, kind });
}

/** Whether mails may be sent in the name of a member; an operator's may. */
export async function mayCauseMail(tx: Tx, tenantId: string, userId: string | null): Promise<boolean> {
  return userId === null || hasConfirmedEmail(tx, tenantId, userId);
}

async function isWithinLimit(tx: Tx, limit: keyof typeof dailyLimits, subject: string): Promise<boolean> {
  const { attempts } = await countAttempt(tx, `mail_${limit}`, subject, daySeconds);
  return attempts <= dailyLimits[limit];
}
