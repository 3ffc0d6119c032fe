import { z } from 'zod';
import { resealEngineKeys } from '#server/engines/workspace-engines.ts';
import { atTheServer, recordEvent } from '#server/identity/audit/audit-log.ts';
import {
  countRecoveryCodes,
  type RecoveryCodeGroup,
  resealAuthenticators,
} from '#server/identity/auth/reseal-authenticators.ts';
import {
  loadSecretsKeys,
  type Resealed,
  type SecretsKeys,
  secretsKeyId,
} from '#server/platform/encryption.ts';
import { resealBindings } from '#server/storage/stored-secrets.ts';
import { command, type Server } from './command.ts';

const count = z.int();

const tally = z.object({
  secrets: z.enum(['authenticators', 'storage_secrets', 'engine_keys']),
  resealed: count.describe('Encrypted with the current key by this run.'),
  current: count.describe('Encrypted with the current key before.'),
  unreadable: count.describe('Neither key can decrypt these.'),
});

const report = z.object({
  secrets: z.array(tally),
  recovery_codes: z
    .array(
      z.object({
        hashed_with: z.enum(['current_key', 'previous_key', 'unrecorded_key', 'unknown_key']),
        codes: count,
        members: count,
      }),
    )
    .describe(
      'Codes cannot be hashed again: these members must replace them before an old key may be removed.',
    ),
  cannot_decrypt: z.array(
    z.object({ secrets: tally.shape.secrets, tenant_id: z.string(), user_id: z.string().nullable() }),
  ),
});

/**
 * Encrypts stored secrets with the current key. A missing key is not created: the service would not know it, but all
 * secrets would be encrypted with it.
 */
async function reseal({ database, settings }: Server): Promise<z.infer<typeof report>> {
  const keys = await loadSecretsKeys(settings, { make: false });
  const sources = {
    authenticators: resealAuthenticators(database, keys),
    storage_secrets: resealBindings(database, keys),
    engine_keys: resealEngineKeys(database, keys),
  };
  const done: z.infer<typeof report> = { secrets: [], recovery_codes: [], cannot_decrypt: [] };
  for (const [secrets, resealed] of Object.entries(sources) as [keyof typeof sources, Source][]) {
    const counts: Record<Resealed['state'], number> = { resealed: 0, current: 0, unreadable: 0 };
    for await (const { state, tenantId, userId = null } of resealed) {
      counts[state] += 1;
      if (state === 'unreadable') done.cannot_decrypt.push({ secrets, tenant_id: tenantId, user_id: userId });
    }
    done.secrets.push({ secrets, ...counts });
  }
  await recordRun(database, keys, done.secrets);
  done.recovery_codes = codesByKey(await countRecoveryCodes(database), keys);
  return done;
}

type Source = AsyncIterable<{ state: Resealed['state']; tenantId: string; userId?: string }>;

/**
 * Records one audit event if the run has changed something. Tenants get no event in their own logs, because no access
 * has changed.
 */
async function recordRun(
  database: Server['database'],
  { current }: SecretsKeys,
  tallies: z.infer<typeof tally>[],
): Promise<void> {
  if (tallies.every(({ resealed }) => resealed === 0)) return;
  const counts = Object.fromEntries(tallies.map(({ secrets, resealed }) => [secrets, resealed]));
  const details = { key_id: secretsKeyId(current), ...counts };
  await database.inPlatform((tx) =>
    recordEvent(tx, atTheServer, {
      action: 'secrets_resealed',
      tenantId: null,
      actor: { kind: 'server' },
      details,
    }),
  );
}

function codesByKey(
  groups: readonly RecoveryCodeGroup[],
  keys: SecretsKeys,
): z.infer<typeof report>['recovery_codes'] {
  const [current, previous] = [keys.current, keys.previous].map((key) => key && secretsKeyId(key));
  const nameOf = (keyId: string | null) => {
    if (keyId === null) return 'unrecorded_key';
    if (keyId === current) return 'current_key';
    return keyId === previous ? 'previous_key' : 'unknown_key';
  };
  return (['current_key', 'previous_key', 'unrecorded_key', 'unknown_key'] as const).map((hashed_with) => {
    const of = groups.filter(({ keyId }) => nameOf(keyId) === hashed_with);
    const sum = (what: 'codes' | 'members') => of.reduce((total, group) => total + group[what], 0);
    return { hashed_with, codes: sum('codes'), members: sum('members') };
  });
}

export const resealSecrets = command(
  'Decrypts the secrets that are stored with SECRETS_KEY_PREVIOUS, encrypts them with SECRETS_KEY, and prints which ones still need the previous key.',
)
  .output(report)
  .mutation(({ ctx }) => reseal(ctx));
