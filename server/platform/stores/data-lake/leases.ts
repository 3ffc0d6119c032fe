import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataLakeFileClient } from '@azure/storage-file-datalake';
import { hasNoLeases, isConflict } from './failures.ts';

/**
 * Duration of a lease in seconds. It is the minimum: if a process dies while it has a lease, other processes must
 * wait until the lease ends.
 */
const leaseSeconds = 15;
/** Maximum milliseconds that a write waits until its lease is released. */
const maxReleaseMs = 2000;
/** Milliseconds after which a lease is renewed before the next request. */
const renewAfter = 5000;
/**
 * Milliseconds for which a write is repeated while other writers block it: the duration of two leases, and a margin.
 */
const patience = 40_000;
/** Milliseconds between two attempts. Half of the time is random. */
const pause = 200;

/** Repeats a write while other writers hold the object or have written to it in between. */
export async function despiteOthers<T>(write: () => Promise<T>): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || Date.now() > end) throw error;
      await sleep(pause * (0.5 + Math.random()));
    }
  }
}

/**
 * Returns the condition for a request that writes to an object with a lease. Call it before each request, because it
 * also renews the lease.
 */
export type HeldLease = () => Promise<{ leaseId?: string }>;

/**
 * Holds a lease for an existing object during a write, so that no one else can write to the object. If the write
 * takes too long, so that the lease ends, the service rejects the next request of the write.
 * @throws {StoreError} a conflict, if another writer holds the lease
 */
export async function withLease<T>(
  file: DataLakeFileClient,
  write: (held: HeldLease) => Promise<T>,
): Promise<T> {
  const leaseId = randomUUID();
  const lease = file.getDataLakeLeaseClient(leaseId);
  let since = Date.now();
  try {
    await lease.acquireLease(leaseSeconds);
  } catch (error) {
    if (!hasNoLeases(error)) throw error;
    // Without a lease, the service still checks that each append begins at the end of the object.
    return await write(async () => ({}));
  }
  try {
    return await write(async () => {
      if (Date.now() - since > renewAfter) {
        since = Date.now();
        await lease.renewLease();
      }
      return { leaseId };
    });
  } finally {
    // Do not wait long for the release: the write is completed, and a lease that is not released ends by its
    // duration.
    await Promise.race([
      lease.releaseLease().catch(() => {}),
      sleep(maxReleaseMs, undefined, { ref: false }),
    ]);
  }
}
