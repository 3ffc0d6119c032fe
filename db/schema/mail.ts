import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { users } from './identity.ts';
import { tenants } from './tenants.ts';

/**
 * The outbox: mails that are to be sent, and those of the last days. A row is inserted in the transaction that causes
 * the mail, so a mail exists if and only if its cause does. A row contains no subject and no text.
 */
export const mails = pgTable(
  'mails',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    /** Also the first part of the Message-ID, which is therefore the same in each attempt. */
    mailId: identifier('mail_id').notNull(),
    /** At most one mail of a tenant has this key. See `server/identity/mail/outbox.ts`. */
    dedupeKey: identifier('dedupe_key').notNull(),
    kind: text('kind', {
      enum: ['invite', 'reset_link', 'confirmation', 'security', 'digest', 'documents', 'decisions'],
    }).notNull(),
    /** The member to whom the mail is sent. Null for an invite. */
    userId: identifier('user_id'),
    /** The address of an invite, until the mail has ended. A member's address is read when the mail is sent. */
    address: text('address'),
    language: text('language').notNull(),
    /**
     * The invite, the document if it is the only one, what has changed in the sign-in (`securityEvents`), or what was decided:
     * `job` or `document`, and the ID if it is the only one.
     */
    subjectId: identifier('subject_id'),
    /** Items that await review; documents that have ended or items that were decided, and how many have failed or were rejected. */
    items: integer('items').notNull().default(0),
    failedItems: integer('failed_items').notNull().default(0),
    /** Of a digest: items that are assigned to the member, those due within a day, and those that are overdue. */
    assigned: integer('assigned').notNull().default(0),
    dueSoon: integer('due_soon').notNull().default(0),
    overdue: integer('overdue').notNull().default(0),
    /** The sealed token of the link, until the mail has ended. */
    sealedToken: bytes('sealed_token'),
    state: text('state', { enum: ['pending', 'sent', 'dropped', 'failed'] })
      .notNull()
      .default('pending'),
    /** Why the mail was dropped or has failed, or why its last attempt has: a code, without texts and addresses. */
    reason: text('reason'),
    attempts: integer('attempts').notNull().default(0),
    /** Until then, no other worker may send the mail. */
    leasedUntil: moment('leased_until'),
    nextAttemptAt: moment('next_attempt_at').notNull().defaultNow(),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** The time after which the mail is useless, and is not sent. */
    expiresAt: moment('expires_at').notNull(),
    endedAt: moment('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.mailId] }),
    unique('mails_tenant_id_dedupe_key_key').on(t.tenantId, t.dedupeKey),
    index('mails_tenant_id_user_id_idx').on(t.tenantId, t.userId, t.kind, t.endedAt),
    index('mails_pending_idx').on(t.nextAttemptAt).where(sql`state = 'pending'`),
    index('mails_ended_at_idx').on(t.endedAt).where(sql`ended_at is not null`),
  ],
);

/** Which mails a member gets, and their language. A member without a row gets all of them. */
export const mailPreferences = pgTable(
  'mail_preferences',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    digest: boolean('digest').notNull().default(true),
    documents: boolean('documents').notNull().default(true),
    /** The language of the interface that the member last used; null for that of the deployment. */
    language: text('language'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);
