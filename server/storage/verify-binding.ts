import { randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { clip } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { type Actor, actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import { bindingView, selectBinding } from './bindings.ts';
import { heldByAnother, holdContainer, otherHolders, readOwners, takeTurn } from './container-holders.ts';
import { awaitReplay, beginReplay } from './parked-job-replays.ts';
import type { StorageBinding } from './schema.ts';

type VerifyServices = Pick<
  Services,
  'accountStores' | 'backgroundWork' | 'database' | 'log' | 'settings' | 'storage'
>;

/**
 * Checks a store: writes an object, reads it and removes it again.
 * @returns the error, with the provider's message; null on success
 */
export async function probe(
  { log }: Pick<Services, 'log'>,
  store: BlobStore,
  folder: string,
): Promise<string | null> {
  const path = `${folder}.verify-${newId()}.json`;
  const content = JSON.stringify({ kind: 'storage_verification', nonce: randomBytes(16).toString('hex') });
  try {
    await store.put(path, content);
    const read = await store.read(path, 0, 2 * content.length);
    if (read === null || Buffer.from(read).toString() !== content)
      return 'the test object could not be read back';
    if (!(await store.remove(path))) return 'the test object could not be removed';
    return null;
  } catch (error) {
    return failureOf({ log }, error);
  }
}

function failureOf({ log }: Pick<Services, 'log'>, error: unknown): string {
  log.warn({ error: describeForLog(error) }, 'storage verification failed');
  // An error of the file system contains paths of the server, so it is not shown.
  return error instanceof StoreError
    ? clip(error.message, 2000)
    : 'the service could not write to the storage';
}

/**
 * Verifies a tenant's storage by writing, reading and removing an object in its golden directory. If this succeeds,
 * records and files are stored there from now on, and parked jobs are published. For a tenant without a binding,
 * platform storage is verified.
 * @throws AppError 401, 403
 */
export async function verifyBinding(
  services: VerifyServices,
  origin: Origin,
  withTenant: WithTenant,
): Promise<StorageBinding> {
  const { database, settings } = services;
  const { tenantId, binding, actor } = await withTenant(async (tx, principal) => ({
    tenantId: principal.tenant.id,
    binding: await selectBinding(tx, principal.tenant.id),
    actor: actorOfPrincipal(principal),
  }));
  const probed = await probeStorage(services, tenantId, binding);
  const settled = binding
    ? // The platform's scope: another workspace may hold the container, or lose it.
      await database.inPlatform((tx) => settle(tx, services, { binding, origin, actor }, probed))
    : await settlePlatform(services, tenantId, probed.failure);
  if (settled) {
    const { view, replayId } = settled;
    return replayId === undefined
      ? view
      : { ...view, replay: await awaitReplay(services, tenantId, replayId) };
  }
  // The binding was changed or removed during the check: return the current storage, and publish nothing.
  const now = await database.inTenant(tenantId, (tx) => selectBinding(tx, tenantId));
  return bindingView(now, settings);
}

interface Probed {
  /** The message of the error; null on success. */
  failure: string | null;
  /** The workspaces that the container's ownership object lists; undefined if it was not read. */
  owners?: ReadonlySet<string>;
}

async function probeStorage(
  services: VerifyServices,
  tenantId: string,
  binding: Binding | undefined,
): Promise<Probed> {
  if (!binding) return { failure: await probe(services, services.storage, `${tenantId}/golden/`) };
  const store = services.accountStores.open(binding);
  if (!store) return { failure: 'the stored secret is missing or cannot be decrypted; send it again' };
  if ((await otherHolders(services.database, binding)).length === 0)
    return { failure: await probe(services, store, binding.goldenPrefix) };
  try {
    const owners = await readOwners(store);
    // If the container belongs to another workspace, write nothing to it.
    if (!owners.has(tenantId)) return { failure: heldByAnother(binding) };
    return { failure: await probe(services, store, binding.goldenPrefix), owners };
  } catch (error) {
    return { failure: failureOf(services, error) };
  }
}

interface Settled {
  view: StorageBinding;
  /** Undefined if no jobs are published, because the verification failed. */
  replayId: string | undefined;
}

async function settlePlatform(
  { database, settings }: VerifyServices,
  tenantId: string,
  failure: string | null,
): Promise<Settled> {
  const view = bindingView(undefined, settings);
  if (failure !== null)
    return { view: { ...view, status: 'error', last_error: failure }, replayId: undefined };
  return { view, replayId: await database.inTenant(tenantId, (tx) => beginReplay(tx, tenantId)) };
}

/** Stores the result of the check. Undefined if the binding was changed since it was read. */
async function settle(
  tx: Tx,
  { settings }: VerifyServices,
  { binding, origin, actor }: { binding: Binding; origin: Origin; actor: Actor },
  { failure: found, owners }: Probed,
): Promise<Settled | undefined> {
  const { tenantId, revision, createdAt } = binding;
  const isUnchanged = and(
    eq(storageBindings.tenantId, tenantId),
    eq(storageBindings.revision, revision),
    eq(storageBindings.createdAt, createdAt),
  );
  await takeTurn(tx, binding);
  const [unchanged] = await tx.select().from(storageBindings).where(isUnchanged).for('no key update');
  if (!unchanged) return undefined;
  // Another workspace may have verified the container since `otherHolders` was called.
  const failure =
    found === null && !(await holdContainer(tx, binding, owners)) ? heldByAnother(binding) : found;
  const [current] = await tx
    .update(storageBindings)
    .set({
      status: failure === null ? 'verified' : 'error',
      lastError: failure,
      ...(failure === null && {
        lastVerifiedAt: sql`now()`,
        heldSince: sql`coalesce(${storageBindings.heldSince}, now())`,
      }),
    })
    .where(isUnchanged)
    .returning();
  await recordEvent(tx, origin, {
    action: failure === null ? 'storage_binding_verified' : 'storage_binding_refused',
    tenantId,
    actor,
    target: binding.accountUrl,
  });
  return {
    view: bindingView(current, settings),
    replayId: failure === null ? await beginReplay(tx, tenantId) : undefined,
  };
}
