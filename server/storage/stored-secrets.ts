import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { tryEngineKeys } from '#server/engines/workspace-engines.ts';
import { tryAuthenticators } from '#server/identity/auth/reseal-authenticators.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { SettingsError } from '#server/settings.ts';
import { tryBindings } from './reseal-bindings.ts';

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
