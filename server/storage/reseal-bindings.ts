import { and, asc, eq, gt, isNotNull } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import { type Resealed, type SecretsKeys, secretsKeyId } from '#server/platform/encryption.ts';
import { type Binding, readSecret } from '#server/platform/stores/account-stores.ts';
import { sealSecret } from './bindings.ts';

/** Number of bindings in memory at a time. */
const pageSize = 500;

type SealedSecret = Pick<Binding, 'tenantId' | 'secret' | 'secretKeyId'>;

/**
 * Encrypts the secrets of all bindings with the current key, in the order of the tenants' ids. May run during normal
 * operation and may be repeated: secrets that are already encrypted with the current key do not change. The state and
 * the revision of a binding stay, because the secret itself is the same.
 * @returns the result for each secret
 */
export async function* resealBindings(
  database: Database,
  secretsKeys: SecretsKeys,
): AsyncGenerator<{ tenantId: string; state: Resealed['state'] }> {
  let after = '';
  for (;;) {
    const page = await database.inPlatform((tx) => selectSecrets(tx, after));
    for (const binding of page) {
      const { tenantId } = binding;
      let { state } = resealSecret(secretsKeys, binding);
      if (state === 'resealed')
        state = await database.inTenant(tenantId, (tx) => resealBinding(tx, secretsKeys, tenantId));
      yield { tenantId, state };
    }
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.tenantId;
  }
}

/** Reads the row again and locks it: a secret that was stored since the first read must not be overwritten. */
async function resealBinding(tx: Tx, secretsKeys: SecretsKeys, tenantId: string): Promise<Resealed['state']> {
  const [held] = await tx
    .select(sealedSecret)
    .from(storageBindings)
    .where(eq(storageBindings.tenantId, tenantId))
    .for('no key update');
  if (!held || held.secret === null) return 'current';
  const { state, changes } = resealSecret(secretsKeys, held);
  if (changes) await tx.update(storageBindings).set(changes).where(eq(storageBindings.tenantId, tenantId));
  return state;
}

function resealSecret(
  secretsKeys: SecretsKeys,
  binding: SealedSecret,
): { state: Resealed['state']; changes?: ReturnType<typeof sealSecret> } {
  const secret = readSecret(secretsKeys, binding);
  if (secret === undefined) return { state: 'unreadable' };
  if (binding.secretKeyId === secretsKeyId(secretsKeys.current)) return { state: 'current' };
  return { state: 'resealed', changes: sealSecret({ secretsKeys }, binding.tenantId, secret) };
}

const sealedSecret = {
  tenantId: storageBindings.tenantId,
  secret: storageBindings.secret,
  secretKeyId: storageBindings.secretKeyId,
};

/**
 * Tries the keys on up to `max` secrets. Changes nothing.
 * @returns for each secret the result that encrypting it again would have
 */
export async function tryBindings(
  tx: Tx,
  secretsKeys: SecretsKeys,
  max: number,
): Promise<Resealed['state'][]> {
  const found = await selectSecrets(tx, '', max);
  return found.map((binding) => resealSecret(secretsKeys, binding).state);
}

async function selectSecrets(tx: Tx, after: string, max = pageSize): Promise<SealedSecret[]> {
  return tx
    .select(sealedSecret)
    .from(storageBindings)
    .where(and(isNotNull(storageBindings.secret), gt(storageBindings.tenantId, after)))
    .orderBy(asc(storageBindings.tenantId))
    .limit(max);
}
