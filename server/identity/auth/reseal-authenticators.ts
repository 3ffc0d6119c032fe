import { and, asc, count, countDistinct, eq, isNotNull, or, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { recoveryCodes, users } from '#db/schema/identity.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { type Resealed, reseal, type SecretsKeys } from '#server/platform/encryption.ts';
import { ownerOf } from './mfa/totp.ts';

/** The two columns of a member's authenticator; an enrollment that awaits its confirmation uses the second one. */
type Authenticator = Pick<
  typeof users.$inferSelect,
  'tenantId' | 'userId' | 'totpSecret' | 'totpPendingSecret'
>;

/** Members in memory at a time. */
const pageSize = 500;

/**
 * Encrypts all members' authenticators with the current key, in the order of their ids. May run during normal
 * operation and be repeated at any time: secrets that the current key sealed are not changed.
 * @returns the result for each
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
 * Reads the row again under the member's lock: an enrollment since then must not be overwritten, and may have moved
 * the secret.
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
 * Tries the keys on up to `max` authenticators, and changes nothing. @returns the result that resealing would have
 * for each
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

/** The recovery codes that one key hashed, and the members who have them; a member's codes are all by one key. */
export interface RecoveryCodeGroup {
  /** Null for codes from before this was recorded. */
  keyId: string | null;
  codes: number;
  members: number;
}

/** Counts all recovery codes by their keys. */
export async function countRecoveryCodes(database: Database): Promise<RecoveryCodeGroup[]> {
  const { keyId, tenantId, userId } = recoveryCodes;
  return database.inPlatform((tx) =>
    tx
      .select({ keyId, codes: count(), members: countDistinct(sql`(${tenantId}, ${userId})`) })
      .from(recoveryCodes)
      .groupBy(keyId),
  );
}
