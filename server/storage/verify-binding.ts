import { randomBytes } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import { storageBindings } from '#db/schema/storage.ts';
import type { WithTenant } from '#server/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/audit/audit-log.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { clip } from '#server/formats/text.ts';
import { newId } from '#server/ids.ts';
import type { Binding } from './account-stores.ts';
import { bindingView, selectBinding } from './bindings.ts';
import type { BlobStore } from './blob-store.ts';
import { awaitReplay, beginReplay } from './replays.ts';
import type { StorageBinding } from './schema.ts';
import { StoreError } from './store-error.ts';

type VerifyServices = Pick<
  Services,
  'accountStores' | 'backgroundWork' | 'database' | 'log' | 'settings' | 'storage'
>;

/**
 * Writes an object, reads it and removes it again.
 * @returns what went wrong, in the provider's words; null if nothing did
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
      return 'the object that was written could not be read back';
    if (!(await store.remove(path))) return 'the object that was written could not be removed';
    return null;
  } catch (error) {
    log.warn({ error: describeForLog(error) }, 'a storage did not pass its verification');
    // An error of the file system has paths of the server.
    return error instanceof StoreError ? clip(error.message, 2000) : 'the storage could not be written';
  }
}

/**
 * Verifies a tenant's storage by a real round trip under its golden directory (B 4.6). If it passes, records and files go there from now on,
 * and parked jobs are published. A tenant without a binding verifies the platform's storage.
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
  const failure = await probeStorage(services, tenantId, binding);
  const settled = await database.inTenant(tenantId, async (tx) => {
    const current = binding && (await settle(tx, binding, failure));
    // It was changed or removed while it was probed: the answer is about the storage of now, and nothing is published.
    if (binding && !current) return { current: await selectBinding(tx, tenantId), replayId: undefined };
    if (binding)
      await recordEvent(tx, origin, {
        action: failure === null ? 'storage_binding_verified' : 'storage_binding_refused',
        tenantId,
        actor,
        target: binding.accountUrl,
      });
    return { current, replayId: failure === null ? await beginReplay(tx, tenantId) : undefined };
  });
  const view = bindingView(settled.current, settings);
  if (settled.replayId === undefined)
    return binding
      ? view
      : { ...view, status: failure === null ? view.status : 'error', last_error: failure };
  return { ...view, replay: await awaitReplay(services, tenantId, settled.replayId) };
}

function probeStorage(
  services: VerifyServices,
  tenantId: string,
  binding: Binding | undefined,
): Promise<string | null> {
  if (!binding) return probe(services, services.storage, `${tenantId}/golden/`);
  const store = services.accountStores.open(binding);
  if (!store) return Promise.resolve('the stored secret is missing or cannot be read; send it again');
  return probe(services, store, binding.goldenPrefix);
}

/** Stores a probe's outcome, unless the binding was edited since it was read. */
async function settle(
  tx: Parameters<typeof selectBinding>[0],
  { tenantId, revision, createdAt }: Binding,
  failure: string | null,
): Promise<Binding | undefined> {
  const [row] = await tx
    .update(storageBindings)
    .set({
      status: failure === null ? 'verified' : 'error',
      lastError: failure,
      ...(failure === null && { lastVerifiedAt: sql`now()` }),
    })
    .where(
      and(
        eq(storageBindings.tenantId, tenantId),
        eq(storageBindings.revision, revision),
        eq(storageBindings.createdAt, createdAt),
      ),
    )
    .returning();
  return row;
}
