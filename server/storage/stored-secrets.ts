import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { tryAuthenticators } from '#server/identity/auth/reseal-authenticators.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { SettingsError } from '#server/settings.ts';
import { tryBindings } from './reseal-bindings.ts';

/** Stored secrets of each kind that the keys are tried on. */
const tried = 20;

/** How many of the secrets that were tried the keys open. */
export interface TriedSecrets {
  opened: number;
  unreadable: number;
}

/** Tries the keys on some of the stored secrets; on none if they are not found within two seconds, as among millions of members. */
export async function trySecretsKeys(database: Database, keys: SecretsKeys): Promise<TriedSecrets> {
  const states = await database
    .inPlatform(async (tx) => {
      await tx.execute(sql`set local statement_timeout = '2s'`);
      const authenticators = await tryAuthenticators(tx, keys, tried);
      return [...authenticators, ...(await tryBindings(tx, keys, tried))];
    })
    .catch((error: unknown) => {
      if (isTimeout(error)) return [];
      throw error;
    });
  const unreadable = states.filter((state) => state === 'unreadable').length;
  return { opened: states.length - unreadable, unreadable };
}

/**
 * Refuses keys that open nothing of what is stored: members with an authenticator could not sign in, and a new secret beside the old ones
 * would need a key of its own.
 * @throws SettingsError
 */
export async function refuseWrongSecretsKey(database: Database, keys: SecretsKeys): Promise<void> {
  const { opened, unreadable } = await trySecretsKeys(database, keys);
  if (opened > 0 || unreadable === 0) return;
  throw new SettingsError(
    'SECRETS_KEY: opens none of the secrets that are stored; set the key that they were stored with, here or as SECRETS_KEY_PREVIOUS (if it is lost: ALLOW_UNREADABLE_SECRETS=true)',
  );
}

/** 57014: query_canceled. */
function isTimeout(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === '57014' || (cause instanceof Error && isTimeout(cause));
}
