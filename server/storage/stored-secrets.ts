import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import { tryEngineKeys } from '#server/engines/workspace-engines.ts';
import { tryAuthenticators } from '#server/identity/auth/reseal-authenticators.ts';
import { type Resealed, type SecretsKeys, secretsKeyId } from '#server/platform/encryption.ts';
import { type Binding, readSecret } from '#server/platform/stores/account-stores.ts';
import { SettingsError } from '#server/settings.ts';
import { sealSecret } from './bindings.ts';

/** Maximum number of stored secrets of each kind on which the keys are tried. */
const tried = 20;

/** The number of tried secrets that the keys can decrypt. */
interface TriedSecrets {
  opened: number;
  unreadable: number;
}

/**
 * Tries the keys on some of the stored secrets. Tries none if the secrets are not found within two seconds, for example
 * among millions of members.
 */
export async function trySecretsKeys(database: Database, keys: SecretsKeys): Promise<TriedSecrets> {
  const states = await database
    .inPlatform(async (tx) => {
      await tx.execute(sql`set local statement_timeout = '2s'`);
      const authenticators = await tryAuthenticators(tx, keys, tried);
      const bindings = await tryBindings(tx, keys, tried);
      return [...authenticators, ...bindings, ...(await tryEngineKeys(tx, keys, tried))];
    })
    .catch((error: unknown) => {
      if (isTimeout(error)) return [];
      throw error;
    });
  const unreadable = states.filter((state) => state === 'unreadable').length;
  return { opened: states.length - unreadable, unreadable };
}

/**
 * Rejects keys that cannot decrypt any of the stored secrets. With such keys, members with an authenticator app could
 * not sign in, and new secrets would need a different key than the existing ones.
 * @throws SettingsError
 */
export async function refuseWrongSecretsKey(database: Database, keys: SecretsKeys): Promise<void> {
  const { opened, unreadable } = await trySecretsKeys(database, keys);
  if (opened > 0 || unreadable === 0) return;
  throw new SettingsError(
    'SECRETS_KEY: cannot decrypt any of the stored secrets; set the key that encrypted them, here or as SECRETS_KEY_PREVIOUS (if it is lost: ALLOW_UNREADABLE_SECRETS=true)',
  );
}

/** Whether the database canceled a statement because it ran too long (error 57014, query_canceled). */
function isTimeout(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === '57014' || (cause instanceof Error && isTimeout(cause));
}

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
async function tryBindings(tx: Tx, secretsKeys: SecretsKeys, max: number): Promise<Resealed['state'][]> {
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
