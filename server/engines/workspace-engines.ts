import { asc, eq, gt } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { workspaceEngines } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { type Resealed, reseal, type SecretsKeys, unseal } from '#server/platform/encryption.ts';
import type { Protect } from '#server/platform/engines/engine.ts';
import { type EngineOf, openEngine } from '#server/platform/engines/select.ts';
import {
  type OwnKey,
  ownName,
  type TenantEngine,
  type TenantEngines,
  testEngine,
} from '#server/platform/engines/tenant-engine.ts';
import type { Settings } from '#server/settings.ts';

/** The stored engine of a tenant. */
export type StoredEngine = typeof workspaceEngines.$inferSelect;

export interface EngineParts {
  settings: Settings;
  secretsKeys: SecretsKeys;
  protect: Protect;
  /** Other addresses of the services, for tests. Tenants cannot give one: the service sends requests only to the vendors. */
  addresses?: Partial<Record<StoredEngine['kind'], string>> | undefined;
}

/** Milliseconds for which a process does not read an engine again. */
const freshMs = 60_000;
/** Maximum tenants whose engines a process remembers. */
const maxKnown = 5000;
/** Seconds that a test waits for the service. */
const testSeconds = 15;

interface Known {
  readAt: number;
  reading: Promise<Open | null>;
}

interface Open extends TenantEngine {
  updatedAt: number;
}

/** @param database reads the tenants' rows; it is opened after the engines */
export function openWorkspaceEngines(
  database: Promise<Database>,
  parts: EngineParts,
  now: () => number = () => performance.now(),
): TenantEngines {
  const known = new Map<string, Known>();

  async function read(tenantId: string, former: Promise<Open | null> | undefined): Promise<Open | null> {
    const row = await (await database).inTenant(tenantId, (tx) => selectEngine(tx, tenantId));
    if (!row) return null;
    const updatedAt = row.updatedAt.getTime();
    // An unchanged engine stays open, with its count of running requests.
    const open = await former?.catch(() => null);
    if (open?.updatedAt === updatedAt) return open;
    const key = openKey(parts.secretsKeys, row);
    return { engine: await openOwn({ ...row, key }, parts), fallback: row.fallback, updatedAt };
  }

  return {
    find(tenantId) {
      const found = known.get(tenantId);
      if (found && now() - found.readAt < freshMs) return found.reading;
      const reading = read(tenantId, found?.reading);
      known.delete(tenantId);
      const [oldest] = known.keys();
      if (oldest !== undefined && known.size >= maxKnown) known.delete(oldest);
      const entry = { readAt: now(), reading };
      known.set(tenantId, entry);
      // A failed read is repeated by the next call.
      reading.catch(() => {
        if (known.get(tenantId) === entry) known.delete(tenantId);
      });
      return reading;
    },
    forget: (tenantId) => void known.delete(tenantId),
    async test(tenantId, of) {
      const settings = { ...parts.settings, OPENAI_MAX_RETRIES: 0, OPENAI_TIMEOUT_SECONDS: testSeconds };
      return testEngine(await openOwn({ ...of, concurrency: 1 }, { ...parts, settings }), tenantId);
    },
  };
}

function openOwn(
  { kind, key, region, model, refinerModel, concurrency }: OwnKey & Pick<StoredEngine, 'concurrency'>,
  { settings, protect, addresses }: EngineParts,
) {
  const of = {
    kind,
    api_key: key,
    url: addresses?.[kind],
    ...(region !== null && { region }),
    ...(model !== null && { model }),
    ...(refinerModel !== null && { refiner_model: refinerModel }),
  } as EngineOf;
  // Tokens of these engines are paid by the workspace, so they are not counted. One tenant gets at most three quarters of the slots.
  return openEngine(ownName(kind), of, settings, {
    countedAs: ownName(kind),
    protect,
    concurrencyLimit: createConcurrencyLimit({ slots: 2 * concurrency, slotsOfTenant: concurrency }),
  });
}

/** @throws AppError 503 */
export function openKey(
  keys: SecretsKeys,
  { tenantId, secret }: Pick<StoredEngine, 'tenantId' | 'secret'>,
): string {
  try {
    return unseal(keys, 'engine', tenantId, secret).toString();
  } catch {
    throw new AppError(
      'service_unavailable',
      'the stored key of the engine of this workspace cannot be decrypted; an administrator must store it again',
    );
  }
}

export async function selectEngine(tx: Tx, tenantId: string): Promise<StoredEngine | undefined> {
  const [row] = await tx.select().from(workspaceEngines).where(eq(workspaceEngines.tenantId, tenantId));
  return row;
}

/** Number of keys in memory at a time. */
const pageSize = 500;

/**
 * Encrypts the keys of all tenants with the current key, in the order of the tenants' ids. May run during normal operation and
 * may be repeated.
 * @returns the result for each key
 */
export async function* resealEngineKeys(
  database: Database,
  keys: SecretsKeys,
): AsyncGenerator<{ tenantId: string; state: Resealed['state'] }> {
  let after = '';
  for (;;) {
    const page = await database.inPlatform((tx) => selectSealed(tx, after, pageSize));
    for (const { tenantId } of page)
      yield { tenantId, state: await database.inTenant(tenantId, (tx) => resealKey(tx, keys, tenantId)) };
    const last = page.at(-1);
    if (!last || page.length < pageSize) return;
    after = last.tenantId;
  }
}

/** Locks the row: a key that is stored at the same time must not be overwritten. */
async function resealKey(tx: Tx, keys: SecretsKeys, tenantId: string): Promise<Resealed['state']> {
  const isOwn = eq(workspaceEngines.tenantId, tenantId);
  const [row] = await tx.select().from(workspaceEngines).where(isOwn).for('no key update');
  if (!row) return 'current';
  const result = reseal(keys, 'engine', tenantId, row.secret);
  if (result.state === 'resealed')
    await tx.update(workspaceEngines).set({ secret: result.sealed }).where(isOwn);
  return result.state;
}

/**
 * Tries the keys on up to `max` stored keys. Changes nothing.
 * @returns for each stored key the result that encrypting it again would have
 */
export async function tryEngineKeys(tx: Tx, keys: SecretsKeys, max: number): Promise<Resealed['state'][]> {
  const found = await selectSealed(tx, '', max);
  return found.map(({ tenantId, secret }) => reseal(keys, 'engine', tenantId, secret).state);
}

function selectSealed(tx: Tx, after: string, max: number) {
  return tx
    .select({ tenantId: workspaceEngines.tenantId, secret: workspaceEngines.secret })
    .from(workspaceEngines)
    .where(gt(workspaceEngines.tenantId, after))
    .orderBy(asc(workspaceEngines.tenantId))
    .limit(max);
}
