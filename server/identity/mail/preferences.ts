import { timingSafeEqual } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { isTenantId, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { mailPreferences } from '#db/schema/mail.ts';
import type { Services } from '#server/context.ts';
import { keyedHashes, type SecretsKeys } from '#server/platform/encryption.ts';
import { mailLanguages } from '#server/settings/kinds.ts';
import type { Settings } from '#server/settings.ts';

export type MailLanguage = (typeof mailLanguages)[number];

/** The mails that a member can switch off. */
const optionalMails = ['digest', 'documents'] as const;
export type OptionalMail = (typeof optionalMails)[number];

type MailPreferences = Record<OptionalMail, boolean>;

/** A change of the preferences. What is undefined stays. */
interface Change {
  digest?: boolean | undefined;
  documents?: boolean | undefined;
  language?: MailLanguage | undefined;
}

/** Returns the language of mails to members whose language is unknown. */
export const defaultLanguageOf = ({ MAIL_SERVER }: Pick<Settings, 'MAIL_SERVER'>): MailLanguage =>
  MAIL_SERVER?.language ?? 'en';

/** Returns the language of a mail; that of the deployment if the member's is unknown. */
export async function languageOf(
  tx: Tx,
  settings: Settings,
  tenantId: string,
  userId: string | null,
): Promise<MailLanguage> {
  if (userId === null) return defaultLanguageOf(settings);
  const [row] = await tx
    .select({ language: mailPreferences.language })
    .from(mailPreferences)
    .where(isOf(tenantId, userId));
  return mailLanguages.find((language) => language === row?.language) ?? defaultLanguageOf(settings);
}

export async function readPreferences(tx: Tx, tenantId: string, userId: string): Promise<MailPreferences> {
  const { digest, documents } = mailPreferences;
  const [row] = await tx.select({ digest, documents }).from(mailPreferences).where(isOf(tenantId, userId));
  return row ?? { digest: true, documents: true };
}

/** Stores a change. If it changes nothing, the row is not written again. */
export async function storePreferences(
  tx: Tx,
  { tenantId, userId }: { tenantId: string; userId: string },
  changes: Change,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return;
  const { digest, documents, language } = mailPreferences;
  await tx
    .insert(mailPreferences)
    .values({ tenantId, userId, ...changes })
    .onConflictDoUpdate({
      target: [mailPreferences.tenantId, mailPreferences.userId],
      set: changes,
      setWhere: sql`(${digest}, ${documents}, ${language}) is distinct from (
        ${changes.digest ?? digest}, ${changes.documents ?? documents}, ${changes.language ?? language})`,
    });
}

function isOf(tenantId: string, userId: string) {
  return and(eq(mailPreferences.tenantId, tenantId), eq(mailPreferences.userId, userId));
}

/** A member, and a kind of mail that the member can switch off with a link in each such mail. */
export interface Subscription {
  kind: OptionalMail;
  tenantId: string;
  userId: string;
}

/**
 * Returns the token of an unsubscribe link: the subscription, and a keyed hash of it. It does not expire, because
 * old mails have it too, and it allows nothing else. It is valid until the key has been replaced twice.
 */
export function unsubscribeToken(keys: SecretsKeys, subscription: Subscription): string {
  const [hash] = keyedHashes(keys, 'unsubscribe', textOf(subscription));
  return `${textOf(subscription)}.${hash.toString('base64url')}`;
}

/** Returns the subscription of a token; undefined if the token is not valid. */
export function readUnsubscribeToken(keys: SecretsKeys, token: string): Subscription | undefined {
  const [kind, tenantId = '', userId = '', hash = '', ...more] = token.split('.');
  const known = optionalMails.find((one) => one === kind);
  if (!known || more.length > 0 || !isTenantId(tenantId) || !/^[\w-]{1,64}$/.test(userId)) return undefined;
  const subscription = { kind: known, tenantId, userId };
  const given = Buffer.from(hash, 'base64url');
  const isValid = keyedHashes(keys, 'unsubscribe', textOf(subscription)).some(
    (own) => own.length === given.length && timingSafeEqual(own, given),
  );
  return isValid ? subscription : undefined;
}

const textOf = ({ kind, tenantId, userId }: Subscription) => `${kind}.${tenantId}.${userId}`;

/** Switches the mails off. Nothing happens if the member does not exist any longer. */
export async function unsubscribe(
  { database }: Pick<Services, 'database'>,
  { kind, tenantId, userId }: Subscription,
): Promise<void> {
  await database.inTenant(tenantId, async (tx) => {
    const [member] = await tx
      .select({ userId: users.userId })
      .from(users)
      .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
    if (member) await storePreferences(tx, { tenantId, userId }, { [kind]: false });
  });
}
