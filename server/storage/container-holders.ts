import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageBindings } from '#db/schema/storage.ts';
import { atTheServer, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';

/*
 * The workspaces that hold a container. The identity of the service can open every container whose owner has authorized
 * it, for any workspace: that a workspace can write to a container does not prove that the container belongs to it.
 * So the first workspace that verifies a container holds it. Another one must prove ownership with an object in a
 * place where only the owner of the container can write: the service writes below the prefixes of a binding, and no
 * prefix may begin with this directory.
 */

/** The directory that no prefix may begin with. */
export const ownershipDirectory = 'lingualoop-workspace/';

/** The object that names the workspaces that a container belongs to, one id per line. */
const ownershipObject = `${ownershipDirectory}owners.txt`;

/** An id is at most 64 characters long; more workspaces than fit here are not supported. */
const maxProofBytes = 10_000;

const inSameContainer = ({ accountUrl, filesystem }: Binding) =>
  and(eq(storageBindings.accountUrl, accountUrl), eq(storageBindings.filesystem, filesystem));

/** The other workspaces that hold the container of a binding. */
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
 * The workspaces that the container itself names.
 * @throws StoreError if it cannot be read
 */
export async function readOwners(store: BlobStore): Promise<ReadonlySet<string>> {
  const content = await store.read(ownershipObject, 0, maxProofBytes);
  const lines = content === null ? [] : Buffer.from(content).toString('utf8').split(/\r?\n/);
  return new Set(lines.map((line) => line.replace(/^\uFEFF/, '').trim()));
}

/** The reason why a workspace may not use a container that another one holds, and how to solve it. */
export function heldByAnother({ tenantId }: Binding): string {
  return `another workspace uses this container. If the container is yours, add an object ${ownershipObject} with the line ${tenantId} to it, and verify again`;
}

/**
 * Runs the verifications of one container one after another until the transaction ends. Take this lock before any
 * lock of a binding: its holder may change the bindings of those that wait for it.
 */
export async function takeTurn(tx: Tx, { accountUrl, filesystem }: Binding): Promise<void> {
  const lock = `container ${accountUrl}/${filesystem}`;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
}

/**
 * Lets a workspace hold the container of its binding, in the platform's transaction that stores its verification,
 * after `takeTurn`.
 * @param owners the workspaces that the container names; undefined if they were not read, because no other workspace
 * held it
 * @returns false if another workspace holds it now and nothing proves that it belongs to this one */
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

/** Ends the bindings of workspaces to a container that names another workspace and not them. Their work is rejected from now on. */
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
