import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { workspaceEngines } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { seal } from '#server/platform/encryption.ts';
import {
  type EngineKey,
  type EngineRemoval,
  type EngineRequest,
  type EngineTest,
  isModelKind,
  type WorkspaceEngine,
} from './schema.ts';
import { openKey, type StoredEngine, selectEngine } from './workspace-engines.ts';

type EngineServices = Pick<Services, 'secretsKeys' | 'workspaceEngines'>;

/** Returns what administrators see of the engine of their workspace: never the key. */
export function engineView(row: StoredEngine | undefined): WorkspaceEngine {
  return {
    kind: row?.kind ?? null,
    key_end: row?.keyEnd ?? null,
    key_set_at: row?.keySetAt.toISOString() ?? null,
    region: row?.region ?? null,
    model: row?.model ?? null,
    refiner_model: row?.refinerModel ?? null,
    concurrency: row?.concurrency ?? null,
    fallback: row?.fallback ?? null,
    updated_at: row?.updatedAt.toISOString() ?? null,
  };
}

/**
 * Replaces the engine of a tenant; the request contains the complete new state. From now on, this process sends the texts of
 * the tenant to it, and all others after a minute at most.
 * @throws AppError 401, 403; 409 if the engine has changed since the caller read it; 422 whose details are a string
 */
export async function saveEngine(
  services: EngineServices,
  origin: Origin,
  withTenant: WithTenant,
  request: EngineRequest,
): Promise<WorkspaceEngine> {
  const row = await withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const { kind, api_key: key, concurrency, fallback, updated_at: read } = request;
    const shape = shapeOf(request);
    const stored = await lockEngine(tx, tenantId);
    requireUnchanged(stored, read);
    const sealed =
      key === undefined
        ? keptKey(stored, kind)
        : {
            secret: seal(services.secretsKeys, 'engine', tenantId, Buffer.from(key)),
            keyEnd: key.slice(-4),
            keySetAt: sql`now()`,
          };
    const columns = { ...shape, ...sealed, concurrency, fallback, updatedAt: sql`now()` };
    const [saved] = await tx
      .insert(workspaceEngines)
      .values({ ...columns, tenantId })
      .onConflictDoUpdate({ target: workspaceEngines.tenantId, set: columns })
      .returning();
    await recordEvent(tx, origin, {
      action: 'engine_saved',
      tenantId,
      actor: actorOfPrincipal(principal),
      target: kind,
      details: { model: shape.model, concurrency, fallback, secret_changed: key !== undefined },
    });
    return saved!;
  });
  services.workspaceEngines.forget(row.tenantId);
  return engineView(row);
}

/** @throws AppError 409 if the engine is not the one that the caller has read */
function requireUnchanged(stored: StoredEngine | undefined, read: string | null | undefined): void {
  if (read !== undefined && read !== (stored?.updatedAt.toISOString() ?? null))
    throw new AppError('state_conflict', 'the engine has changed since it was read; read it again');
}

/**
 * Removes the engine of a tenant and its key, so that the deployment's engines translate. A text that another process has
 * already taken may still be sent to it for a minute.
 * @throws AppError 401, 403; 409 if the engine has changed since the caller read it. The second of
 *   two removals succeeds.
 */
export async function removeEngine(
  { workspaceEngines: engines }: EngineServices,
  origin: Origin,
  withTenant: WithTenant,
  { updated_at: read }: EngineRemoval,
): Promise<WorkspaceEngine> {
  const tenantId = await withTenant(async (tx, principal) => {
    const { id } = principal.tenant;
    const stored = await lockEngine(tx, id);
    if (stored) requireUnchanged(stored, read);
    const [removed] = await tx
      .delete(workspaceEngines)
      .where(eq(workspaceEngines.tenantId, id))
      .returning({ kind: workspaceEngines.kind });
    if (removed)
      await recordEvent(tx, origin, {
        action: 'engine_removed',
        tenantId: id,
        actor: actorOfPrincipal(principal),
        target: removed.kind,
      });
    return id;
  });
  engines.forget(tenantId);
  return engineView(undefined);
}

/**
 * Translates a short text with a key, which need not be stored. Stores nothing.
 * @throws AppError 401, 403; 422 whose details are a string
 */
export async function testEngine(
  services: EngineServices,
  withTenant: WithTenant,
  request: EngineKey,
): Promise<EngineTest> {
  const { tenantId, of } = await withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    const key = request.api_key ?? (await readStoredKey(tx, services, tenantId, request.kind));
    return { tenantId, of: { ...shapeOf(request), key } };
  });
  const tested = await services.workspaceEngines.test(tenantId, of);
  if ('translation' in tested) return { result: 'ok', status: null, ...tested };
  const { kind, status } = tested;
  return { result: resultOf(request.kind, kind, status), status, translation: null };
}

function resultOf(kind: StoredEngine['kind'], failure: string, status: number | null): EngineTest['result'] {
  // Google rejects a wrong key with 400, and the rest of the request is known to be right.
  if (status === 401 || status === 403 || (status === 400 && kind === 'google')) return 'key_rejected';
  if (status === 402 || status === 429 || status === 456 || failure === 'saturated') return 'quota';
  if (status === 404 && isModelKind(kind)) return 'unknown_model';
  return failure === 'outage' ? 'unreachable' : 'failed';
}

async function readStoredKey(
  tx: Tx,
  { secretsKeys }: EngineServices,
  tenantId: string,
  kind: StoredEngine['kind'],
): Promise<string> {
  const row = await selectEngine(tx, tenantId);
  if (row?.kind !== kind) throw keyRequired(kind);
  return openKey(secretsKeys, row);
}

/** Returns the stored engine. Its tenant is locked: a concurrent change must not be undone, even the first one. */
async function lockEngine(tx: Tx, tenantId: string): Promise<StoredEngine | undefined> {
  await tx.execute(sql`select from tenants where tenant_id = ${tenantId} for no key update`);
  return selectEngine(tx, tenantId);
}

/** @throws AppError 422 if no key of this kind is stored */
function keptKey(row: StoredEngine | undefined, kind: StoredEngine['kind']) {
  if (row?.kind !== kind) throw keyRequired(kind);
  const { secret, keyEnd, keySetAt } = row;
  return { secret, keyEnd, keySetAt };
}

/** @throws AppError 422 if a field is missing, or does not belong to the kind */
function shapeOf({ kind, region = null, model = null, refiner_model: refinerModel = null }: EngineKey) {
  if (isModelKind(kind) && model === null) throw refused(`model is required for kind ${kind}`);
  if (!isModelKind(kind) && (model ?? refinerModel) !== null)
    throw refused(`${model === null ? 'refiner_model' : 'model'} is not allowed with kind ${kind}`);
  if (kind !== 'azure' && region !== null) throw refused(`region is not allowed with kind ${kind}`);
  return { kind, region, model, refinerModel };
}

const keyRequired = (kind: string) => refused(`api_key is required: no key of the kind ${kind} is stored`);

function refused(detail: string): AppError {
  return new AppError('unprocessable', detail);
}
