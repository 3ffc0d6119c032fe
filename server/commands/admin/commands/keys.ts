import { z } from 'zod';
import { resealEngineKeys } from '#server/engines/workspace-engines.ts';
import { atTheServer, operatorAtServer, recordEvent } from '#server/identity/audit/audit-log.ts';
import {
  countRecoveryCodes,
  type RecoveryCodeGroup,
  resealAuthenticators,
} from '#server/identity/auth/reseal-authenticators.ts';
import {
  listKeys,
  revokeKeys,
  revokeOneKey,
  rotateKey as rotate,
} from '#server/identity/tenants/operator-commands.ts';
import {
  loadSecretsKeys,
  type Resealed,
  type SecretsKeys,
  secretsKeyId,
} from '#server/platform/encryption.ts';
import { resealBindings } from '#server/storage/reseal-bindings.ts';
import { defineCommand, type Server, tenantId } from '../command.ts';
import { columns, named } from '../printing.ts';

const titles = ['id', 'name', 'scopes', 'prefix', 'created_at', 'last_used_at', 'expires_at'] as const;

export const apiKeys = defineCommand({
  summary: 'Lists the API keys of a tenant that are not revoked.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    yield columns(titles);
    for (const key of await listKeys(database, tenant_id))
      yield columns([
        key.keyId,
        key.name,
        key.scope,
        key.prefix,
        key.createdAt.toISOString(),
        key.lastUsedAt?.toISOString() ?? '',
        key.expiresAt?.toISOString() ?? '',
      ]);
  },
});

export const rotateKey = defineCommand({
  summary:
    'Rotates the workspace key of a tenant and prints the new one, only once. The old key stops working immediately.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, apiKey } = await rotate(database, tenant_id, operatorAtServer);
    yield `API key of ${named(account)} rotated; the old one no longer works. The new key, shown only once:`;
    yield apiKey;
  },
});

export const revokeKey = defineCommand({
  summary: 'Revokes all API keys of a tenant, or one of them; rotate-key creates a new workspace key.',
  parameters: ['tenant_id'],
  options: { key: { type: 'string', value: 'key_id', summary: 'only this key; api-keys lists the IDs' } },
  input: z.object({ tenant_id: tenantId, key: z.string().min(1).max(64).optional() }),
  async *run({ database }, { tenant_id, key }) {
    if (key !== undefined) {
      const { account, revoked } = await revokeOneKey(database, tenant_id, key, operatorAtServer);
      yield `API key ${JSON.stringify(revoked.name)} (${revoked.prefix}) of ${named(account)} revoked.`;
      return;
    }
    const { account, changed } = await revokeKeys(database, tenant_id, operatorAtServer);
    yield changed
      ? `All API keys of ${named(account)} revoked.`
      : `${named(account)} has no API key; nothing was changed.`;
  },
});

export const resealSecrets = defineCommand({
  summary:
    'Decrypts the secrets that are stored with SECRETS_KEY_PREVIOUS, encrypts them with SECRETS_KEY, and prints which ones still need the previous key.',
  parameters: [],
  options: {},
  input: z.object({}),
  async *run({ database, settings }) {
    // Do not create a missing key: the service would not know it, but all secrets would be encrypted with it.
    const keys = await loadSecretsKeys(settings, { make: false });
    const authenticators = new Tally();
    for await (const { tenantId, userId, state } of resealAuthenticators(database, keys)) {
      authenticators.count(state);
      if (state === 'unreadable') yield `Cannot decrypt the authenticator of ${userId} in ${tenantId}`;
    }
    const secrets = new Tally();
    for await (const { tenantId, state } of resealBindings(database, keys)) {
      secrets.count(state);
      if (state === 'unreadable') yield `Cannot decrypt the storage secret of ${tenantId}`;
    }
    const engineKeys = new Tally();
    for await (const { tenantId, state } of resealEngineKeys(database, keys)) {
      engineKeys.count(state);
      if (state === 'unreadable') yield `Cannot decrypt the engine key of ${tenantId}`;
    }
    await recordRun(database, keys, { authenticators, storage_secrets: secrets, engine_keys: engineKeys });
    yield `Authenticators: ${authenticators.summary()}.`;
    yield `Storage secrets: ${secrets.summary()}.`;
    yield `Engine keys: ${engineKeys.summary()}.`;
    yield describeRecoveryCodes(await countRecoveryCodes(database), keys);
  },
});

/** Counts the values in each state. */
class Tally {
  readonly counts: Record<Resealed['state'], number> = { resealed: 0, current: 0, unreadable: 0 };

  count(state: Resealed['state']): void {
    this.counts[state] += 1;
  }

  summary(): string {
    const { resealed, current, unreadable } = this.counts;
    return `${resealed} now encrypted with the current key, ${current} already were, ${unreadable} cannot be decrypted with either key`;
  }
}

/**
 * Records one audit event if the run has changed something. Tenants get no event in their own logs, because no access
 * has changed.
 */
async function recordRun(
  database: Server['database'],
  { current }: SecretsKeys,
  tallies: Record<string, Tally>,
): Promise<void> {
  const resealed = Object.entries(tallies).map(([name, { counts }]) => [name, counts.resealed] as const);
  if (resealed.every(([, count]) => count === 0)) return;
  const details = { key_id: secretsKeyId(current), ...Object.fromEntries(resealed) };
  await database.inPlatform((tx) =>
    recordEvent(tx, atTheServer, {
      action: 'secrets_resealed',
      tenantId: null,
      actor: { kind: 'server' },
      details,
    }),
  );
}

/**
 * Describes how many recovery codes, of how many members, were hashed with each key. Codes cannot be hashed again, so
 * these members must replace their codes before an old key may be removed.
 */
function describeRecoveryCodes(groups: readonly RecoveryCodeGroup[], keys: SecretsKeys): string {
  const [current, previous] = [keys.current, keys.previous].map((key) => key && secretsKeyId(key));
  const counted = (belongs: (keyId: string | null) => boolean) => {
    const ofKeys = groups.filter(({ keyId }) => belongs(keyId));
    const sum = (what: 'codes' | 'members') => ofKeys.reduce((total, group) => total + group[what], 0);
    return `${sum('codes')} (members: ${sum('members')})`;
  };
  const known = [current, previous, null];
  return [
    `Recovery codes: ${counted((keyId) => keyId === current)} hashed with the current key`,
    `${counted((keyId) => keyId !== null && keyId === previous)} hashed with the previous key`,
    `${counted((keyId) => keyId === null)} hashed before the service recorded the key`,
    `${counted((keyId) => !known.includes(keyId))} hashed with a key that is neither SECRETS_KEY nor SECRETS_KEY_PREVIOUS.`,
  ].join(', ');
}
