import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataLakeFileClient } from '@azure/storage-file-datalake';
import { hasNoLeases, isConflict } from './failures.ts';

/** Seconds of a lease: the minimum, because a process that dies with one delays the others by it. */
const leaseSeconds = 15;
/** Milliseconds that a write waits for the release of its lease. */
const maxReleaseMs = 2000;
/** Milliseconds after which a lease is renewed before the next request. */
const renewAfter = 5000;
/** Milliseconds for which writes that other writers block are retried: two leases and a margin. */
const patience = 40_000;
/** Milliseconds between two attempts; half of it is random. */
const pause = 200;

/** Retries a write while other writers hold the object, or have written in between. */
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
 * The requirement for a request that writes to an object with a lease. Call it before each request: it renews the
 * lease.
 */
export type HeldLease = () => Promise<{ leaseId?: string }>;

/**
 * Holds the lease of an existing object during a write. No one else can write during that time. If the lease is lost
 * because the write takes too long, the service rejects the write's next request.
 * @throws {StoreError} a conflict, if another writer holds it
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
    // The position of each append still has to be the object's end.
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
    // A lease that is not released ends automatically; the write is done, and must not wait for long.
    await Promise.race([
      lease.releaseLease().catch(() => {}),
      sleep(maxReleaseMs, undefined, { ref: false }),
    ]);
  }
}
