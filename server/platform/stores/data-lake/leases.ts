import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataLakeFileClient } from '@azure/storage-file-datalake';
import { hasNoLeases, isConflict } from './failures.ts';

/** Seconds of a lease: the shortest that there is, since whoever dies with one delays the others by it. */
const leaseSeconds = 15;
/** Milliseconds that a write waits for the release of its lease. */
const maxReleaseMs = 2000;
/** Milliseconds after which a lease is renewed before the next request. */
const renewAfter = 5000;
/** Milliseconds for which writes that other writers prevent are tried again: two leases, and some more. */
const patience = 40_000;
/** Milliseconds between two tries; the half is random. */
const pause = 200;

/** Tries a write again while other writers of the object hold it, or have come between. */
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

/** What a request needs to write to an object whose lease is held. Call it before each request: it renews the lease. */
export type HeldLease = () => Promise<{ leaseId?: string }>;

/**
 * Holds the lease of an existing object during a write. No one else can write meanwhile. If the lease is lost because the write
 * takes too long, the service refuses the write's next request.
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
    // What is not released ends by itself; the write is done, and need not wait for long.
    await Promise.race([
      lease.releaseLease().catch(() => {}),
      sleep(maxReleaseMs, undefined, { ref: false }),
    ]);
  }
}
