import { timingSafeEqual } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { isTenantId } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import type { Services } from '#server/context.ts';
import { keyedHashes, type SecretsKeys } from '#server/platform/encryption.ts';
import { type OptionalMail, optionalMails, storePreferences } from './preferences.ts';

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
