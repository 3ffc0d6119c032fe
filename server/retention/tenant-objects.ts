import { AppError } from '#server/errors.ts';
import type { Binding } from '#server/platform/stores/account-stores.ts';
import type { AccountStore, BlobStore } from '#server/platform/stores/blob-store.ts';
import { StoreError } from '#server/platform/stores/blob-store.ts';
import {
  hasManifestLine,
  isManifestClosed,
  type Manifest,
  manifestPath,
  removeManifestLines,
} from '#server/records/manifests.ts';
import { pathIn } from '#server/storage/bindings.ts';
import { destinationOf } from '#server/storage/destination.ts';
import { addDone, type DeletionRun } from './deletion-run.ts';

/** Objects that are removed at the same time. */
const atOnce = 16;
const dayMs = 86_400_000;
/** Milliseconds after the start of a deletion for which a failing account is tried again. Then its objects stay. */
const maxTryMs = 3 * dayMs;

/**
 * Removes all objects of the tenant in platform storage.
 * @returns whether all are removed
 */
export async function removePlatformObjects(run: DeletionRun): Promise<boolean> {
  const { storage } = run.services;
  const { tenantId } = run.deletion;
  const remove = async (paths: readonly string[]) => {
    const removed = await Promise.all(paths.map((path) => storage.remove(path)));
    await addDone(run, { objects: removed.filter(Boolean).length });
  };
  let paths: string[] = [];
  for await (const path of storage.walk(tenantId)) {
    if (run.isOver()) return false;
    if (paths.push(path) < atOnce) continue;
    await remove(paths);
    paths = [];
  }
  if (paths.length > 0) await remove(paths);
  await storage.removeFolder(tenantId);
  return true;
}

/**
 * Removes objects in the tenant's own account. Objects in an account that the tenant's binding does not open stay, and
 * are counted.
 * @throws StoreError if the account fails; the next run tries again
 */
export async function removeAccountObjects(run: DeletionRun, addresses: readonly string[]): Promise<void> {
  const account = await openAccount(run);
  for (let from = 0; from < addresses.length; from += atOnce) {
    const outcomes = await Promise.all(
      addresses.slice(from, from + atOnce).map(async (address) => {
        const path = account && pathIn(account.binding, address);
        if (path === null || path === undefined) return { leftInAccount: 1, accountObjects: 0 };
        return removeInAccount(run, account!.store, path);
      }),
    );
    await addDone(run, {
      accountObjects: outcomes.reduce((sum, { accountObjects }) => sum + accountObjects, 0),
      leftInAccount: outcomes.reduce((sum, { leftInAccount }) => sum + leftInAccount, 0),
    });
  }
}

async function removeInAccount(run: DeletionRun, store: BlobStore, path: string) {
  try {
    return { accountObjects: (await store.remove(path)) ? 1 : 0, leftInAccount: 0 };
  } catch (error) {
    if (!givesUp(run, error)) throw error;
    return { accountObjects: 0, leftInAccount: 1 };
  }
}

/** Whether an account has failed for so long that its objects are left there. */
function givesUp({ deletion }: DeletionRun, error: unknown): boolean {
  const begun = deletion.startedAt?.getTime() ?? Date.now();
  return error instanceof StoreError && Date.now() - begun > maxTryMs;
}

/** Returns the tenant's own account; null if there is none, or if it cannot be opened with the stored binding. */
async function openAccount({
  services,
  deletion,
}: DeletionRun): Promise<{ binding: Binding; store: AccountStore } | null> {
  try {
    const destination = await destinationOf(services, deletion.tenantId);
    return destination.provider === 'platform' ? null : destination;
  } catch (error) {
    if (error instanceof AppError && error.code === 'storage_binding_not_verified') return null;
    throw error;
  }
}

/** Removes the tenant's lines from the manifests in its own account. */
export async function removeAccountManifests(run: DeletionRun): Promise<void> {
  const account = await openAccount(run);
  if (!account) return;
  const { store, binding } = account;
  const folder = `${binding.goldenPrefix}manifest`;
  try {
    for (const name of await store.list(folder)) {
      const manifest = { store, path: `${folder}/${name.replace(/\.jsonl$/, '')}` };
      const manifestLines = await removeLines(manifest, run.deletion.tenantId);
      if (manifestLines > 0) await addDone(run, { manifestLines });
    }
  } catch (error) {
    if (!givesUp(run, error)) throw error;
  }
}

/**
 * Removes the tenant's lines from the daily manifests in platform storage, which all tenants share. A manifest to which
 * processes may still append is not rewritten: if it has lines of the tenant, a later run removes them.
 * @returns whether no manifest has such a line
 */
export async function removePlatformManifests(run: DeletionRun): Promise<boolean> {
  const { storage } = run.services;
  const { tenantId, tenantCreatedAt } = run.deletion;
  const today = startOfDay(new Date());
  const { manifestsThrough } = run.deletion.progress;
  const first = manifestsThrough ? Date.parse(manifestsThrough) + dayMs : startOfDay(tenantCreatedAt) - dayMs;
  for (let day = first; day <= today + dayMs; day += dayMs) {
    if (run.isOver()) return false;
    const manifest = { store: storage, path: manifestPath(new Date(day)) };
    if (!isManifestClosed(new Date(day))) {
      if (await hasManifestLine(manifest, isOf(tenantId))) return false;
      continue;
    }
    const manifestLines = await removeLines(manifest, tenantId);
    await addDone(run, { manifestLines, manifestsThrough: new Date(day).toISOString().slice(0, 10) });
  }
  return true;
}

function startOfDay(at: Date): number {
  return Math.floor(at.getTime() / dayMs) * dayMs;
}

/** Removes the lines of a tenant from a closed manifest. A manifest without such a line is not kept in memory. */
async function removeLines(manifest: Manifest, tenantId: string): Promise<number> {
  const belongs = isOf(tenantId);
  return (await hasManifestLine(manifest, belongs)) ? removeManifestLines(manifest, belongs) : 0;
}

/** Manifest lines contain no texts of callers, so nothing else in them looks like this field. */
function isOf(tenantId: string): (line: string) => boolean {
  const field = `"tenant_id":${JSON.stringify(tenantId)}`;
  return (line) => line.includes(field);
}
