import { randomBytes } from 'node:crypto';
import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { clip } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import {
  type Actor,
  actorOfPrincipal,
  atTheServer,
  type Origin,
  recordEvent,
} from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import { type BlobStore, StoreError } from '#server/platform/stores/blob-store.ts';
import { bindingView, selectBinding } from './bindings.ts';
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

/*
 * Decides which workspaces hold a container. The service's identity can open every container whose owner has authorized
 * it, for any workspace. So a workspace does not prove that it owns a container by writing to it. The first workspace
 * that verifies a container holds it. Any other workspace must prove ownership by an object in the directory below,
 * where only the owner of the container can write: the service writes only below the prefixes of a binding, and no
 * prefix may begin with this directory.
 */

/** Directory with the proof of ownership; no prefix may begin with it. */
export const ownershipDirectory = 'lingualoop-workspace/';

/** The object that lists the workspaces to which a container belongs, one id per line. */
const ownershipObject = `${ownershipDirectory}owners.txt`;

/**
 * Maximum bytes of the object. An id has at most 64 characters; lists with more workspaces than fit here are not
 * supported.
 */
const maxProofBytes = 10_000;

const inSameContainer = ({ accountUrl, filesystem }: Binding) =>
  and(eq(storageBindings.accountUrl, accountUrl), eq(storageBindings.filesystem, filesystem));

/** Returns the other workspaces that hold the container of a binding. */
async function otherHolders(database: Database, binding: Binding): Promise<string[]> {
  return database.inPlatform((tx) => selectOthers(tx, binding));
}

async function selectOthers(tx: Tx, binding: Binding): Promise<string[]> {
  const rows = await tx
    .select({ tenantId: storageBindings.tenantId })
    .from(storageBindings)
    .where(
      and(
        inSameContainer(binding),
        isNotNull(storageBindings.heldSince),
        ne(storageBindings.tenantId, binding.tenantId),
      ),
    );
  return rows.map(({ tenantId }) => tenantId);
}

/**
 * Reads which workspaces the container's ownership object lists.
 * @throws StoreError if the object cannot be read
 */
async function readOwners(store: BlobStore): Promise<ReadonlySet<string>> {
  const content = await store.read(ownershipObject, 0, maxProofBytes);
  const lines = content === null ? [] : Buffer.from(content).toString('utf8').split(/\r?\n/);
  return new Set(lines.map((line) => line.replace(/^\uFEFF/, '').trim()));
}

/**
 * Returns the message for a workspace that may not use a container because another one holds it: the reason, and how to
 * solve it.
 */
function heldByAnother({ tenantId }: Binding): string {
  return `another workspace uses this container. If the container is yours, add an object ${ownershipObject} with the line ${tenantId} to it, and verify again`;
}

/**
 * Makes the verifications of one container run one after another: each waits until the transaction of the previous one
 * ends. Take this lock before locking any binding: while it is held, the bindings of waiting workspaces may change.
 */
async function takeTurn(tx: Tx, { accountUrl, filesystem }: Binding): Promise<void> {
  const lock = `container ${accountUrl}/${filesystem}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/**
 * Lets a workspace hold the container of its binding. Call this after `takeTurn`, in the platform transaction that
 * stores the workspace's verification.
 * @param owners the workspaces that the container's ownership object lists; undefined if it was not read, because no
 *   other workspace held the container
 * @returns false if another workspace holds the container now and nothing proves that it belongs to this one
 */
async function holdContainer(
  tx: Tx,
  binding: Binding,
  owners: ReadonlySet<string> | undefined,
): Promise<boolean> {
  const others = await selectOthers(tx, binding);
  if (others.length > 0 && !owners?.has(binding.tenantId)) return false;
  await displace(
    tx,
    binding,
    others.filter((tenantId) => !owners?.has(tenantId)),
  );
  return true;
}

/**
 * Ends the bindings of workspaces to a container whose ownership object lists another workspace and not them. From now
 * on, work of these workspaces is rejected.
 */
async function displace(tx: Tx, binding: Binding, tenantIds: string[]): Promise<void> {
  if (tenantIds.length === 0) return;
  await tx
    .update(storageBindings)
    .set({
      status: 'error',
      lastError: `the container names another workspace as its owner. If the container is yours too, add a line with this workspace's ID to its object ${ownershipObject}, and verify again`,
      heldSince: null,
      revision: sql`${storageBindings.revision} + 1`,
      updatedAt: sql`now()`,
    })
    .where(and(inSameContainer(binding), inArray(storageBindings.tenantId, tenantIds)));
  for (const tenantId of tenantIds)
    await recordEvent(tx, atTheServer, {
      action: 'storage_binding_displaced',
      tenantId,
      actor: { kind: 'server' },
      target: binding.accountUrl,
      details: { filesystem: binding.filesystem },
    });
}
