import { and, asc, count, countDistinct, eq, isNotNull, or, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { recoveryCodes, users } from '#db/schema/identity.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { type Resealed, reseal, type SecretsKeys } from '#server/platform/encryption.ts';
import { ownerOf } from './mfa/totp.ts';

/**
 * The two columns with a member's authenticator secrets. The second one is for an enrollment that is not confirmed yet.
 */
type Authenticator = Pick<
  typeof users.$inferSelect,
  'tenantId' | 'userId' | 'totpSecret' | 'totpPendingSecret'
>;

/** Number of members in memory at a time. */
const pageSize = 500;

/**
 * Encrypts the authenticator secrets of all members with the current key, in the order of their ids. May run during
 * normal operation and may be repeated: secrets that are already encrypted with the current key do not change.
 * @returns the result for each secret
 */
export async function* resealAuthenticators(
  database: Database,
  secretsKeys: SecretsKeys,
): AsyncGenerator<{ tenantId: string; userId: string; state: Resealed['state'] }> {
  let after: Authenticator | undefined;
  do {
    const page = await database.inPlatform((tx) => selectAuthenticators(tx, after));
    for (const authenticator of page) {
      const { tenantId, userId } = authenticator;
      let { state } = resealColumns(secretsKeys, authenticator);
      if (state === 'resealed')
        state = await database.inTenant(tenantId, (tx) =>
          resealAuthenticator(tx, secretsKeys, authenticator),
        );
      yield { tenantId, userId, state };
    }
    after = page.length < pageSize ? undefined : page.at(-1);
  } while (after);
}

/**
 * Reads the row again after locking the member: an enrollment since the first read must not be overwritten, and may
 * have moved the secret to the other column.
 */
async function resealAuthenticator(
  tx: Tx,
  secretsKeys: SecretsKeys,
  { tenantId, userId }: Authenticator,
): Promise<Resealed['state']> {
  const member = await lockMember(tx, tenantId, userId);
  if (!member) return 'current';
  const { state, changes } = resealColumns(secretsKeys, member);
  if (Object.keys(changes).length > 0)
    await tx
      .update(users)
      .set(changes)
      .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
  return state;
}

function resealColumns(secretsKeys: SecretsKeys, authenticator: Authenticator) {
  const changes: Partial<Pick<Authenticator, 'totpSecret' | 'totpPendingSecret'>> = {};
  let state: Resealed['state'] = 'current';
  for (const column of ['totpPendingSecret', 'totpSecret'] as const) {
    const sealed = authenticator[column];
    if (sealed === null) continue;
    const resealed = reseal(secretsKeys, 'authenticator', ownerOf(authenticator), sealed);
    if (resealed.state === 'resealed') changes[column] = resealed.sealed;
    if (resealed.state !== 'current') state = resealed.state;
  }
  return { state, changes };
}

/**
 * Tries the keys on up to `max` authenticator secrets. Changes nothing.
 * @returns for each secret the result that encrypting it again would have
 */
export async function tryAuthenticators(
  tx: Tx,
  secretsKeys: SecretsKeys,
  max: number,
): Promise<Resealed['state'][]> {
  const found = await selectAuthenticators(tx, undefined, max);
  return found.map((authenticator) => resealColumns(secretsKeys, authenticator).state);
}

async function selectAuthenticators(
  tx: Tx,
  after: Authenticator | undefined,
  max = pageSize,
): Promise<Authenticator[]> {
  const { tenantId, userId, totpSecret, totpPendingSecret } = users;
  return tx
    .select({ tenantId, userId, totpSecret, totpPendingSecret })
    .from(users)
    .where(
      and(
        or(isNotNull(totpSecret), isNotNull(totpPendingSecret)),
        after && sql`(${tenantId}, ${userId}) > (${after.tenantId}, ${after.userId})`,
      ),
    )
    .orderBy(asc(tenantId), asc(userId))
    .limit(max);
}

/**
 * The number of recovery codes that were hashed with one key, and the number of members who have them. All codes of a
 * member use the same key.
 */
export interface RecoveryCodeGroup {
  /** Id of the key; null for codes that are older than this field. */
  keyId: string | null;
  codes: number;
  members: number;
}

/** Counts all recovery codes by the key with which they were hashed. */
export async function countRecoveryCodes(database: Database): Promise<RecoveryCodeGroup[]> {
  const { keyId, tenantId, userId } = recoveryCodes;
  return database.inPlatform((tx) =>
    tx
      .select({ keyId, codes: count(), members: countDistinct(sql`(${tenantId}, ${userId})`) })
      .from(recoveryCodes)
      .groupBy(keyId),
  );
}
