import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import { atTheServer, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';

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
export async function otherHolders(database: Database, binding: Binding): Promise<string[]> {
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
export async function readOwners(store: BlobStore): Promise<ReadonlySet<string>> {
  const content = await store.read(ownershipObject, 0, maxProofBytes);
  const lines = content === null ? [] : Buffer.from(content).toString('utf8').split(/\r?\n/);
  return new Set(lines.map((line) => line.replace(/^\uFEFF/, '').trim()));
}

/**
 * Returns the message for a workspace that may not use a container because another one holds it: the reason, and how to
 * solve it.
 */
export function heldByAnother({ tenantId }: Binding): string {
  return `another workspace uses this container. If the container is yours, add an object ${ownershipObject} with the line ${tenantId} to it, and verify again`;
}

/**
 * Makes the verifications of one container run one after another: each waits until the transaction of the previous one
 * ends. Take this lock before locking any binding: while it is held, the bindings of waiting workspaces may change.
 */
export async function takeTurn(tx: Tx, { accountUrl, filesystem }: Binding): Promise<void> {
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
export async function holdContainer(
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
