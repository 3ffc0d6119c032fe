import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataLakeFileClient } from '@azure/storage-file-datalake';
import { StoreError } from '../blob-store.ts';
import { hasNoLeases, isConflict, isMissing } from './failures.ts';

/** Maximum bytes of content in one request. */
const partBytes = 4 * 1024 * 1024;

/**
 * Writes an object: creates an empty object, appends the content, and makes the content visible. Content that fits
 * into one request becomes visible with this request, which succeeds only if the object is still empty: of two
 * concurrent writers, one wins and its content is complete. Larger content is written while holding a lease.
 */
export function putObject(file: DataLakeFileClient, content: Buffer): Promise<void> {
  return despiteOthers(async () => {
    const { etag } = await file.create();
    if (content.length === 0) return;
    try {
      if (content.length <= partBytes) await appendVisibly(file, content, 0, etag);
      else await putParts(file, content);
    } catch (error) {
      await removeUnfinished(file, etag, error);
      throw error;
    }
  });
}

async function putParts(file: DataLakeFileClient, content: Buffer): Promise<void> {
  await withLease(file, async (held) => {
    for (let at = 0; at < content.length; at += partBytes) {
      const part = content.subarray(at, at + partBytes);
      await file.append(part, at, part.length, { conditions: await held() });
    }
    await file.flush(content.length, { conditions: await held() });
  });
}

/**
 * Appends bytes and makes them visible with the same request.
 * @param before the object's ETag; if the ETag stays the same, the service has accepted the bytes without making them
 * visible, so a second request does that
 */
async function appendVisibly(
  file: DataLakeFileClient,
  bytes: Buffer,
  at: number,
  before: string | undefined,
  conditions: { leaseId?: string } = {},
): Promise<void> {
  const { etag } = await file.append(bytes, at, bytes.length, { flush: true, conditions });
  if (etag === undefined || etag === before) await file.flush(at + bytes.length, { conditions });
}

/**
 * Removes the empty object that a failed write has left, unless another writer has written to it in the meantime. If
 * the removal fails, this does no harm, because nothing refers to the object. It is not tried if the service does not
 * respond, since it would double the time.
 */
async function removeUnfinished(file: DataLakeFileClient, etag: string | undefined, error: unknown) {
  if (!etag || isConflict(error) || (error instanceof StoreError && error.code === 'timeout')) return;
  await file.delete(false, { conditions: { ifMatch: etag } }).catch(() => {});
}

/**
 * Appends lines to an object, which is created if it does not exist. A lease prevents other processes from writing
 * between the request that reads the object's length and the request that appends at the end.
 */
export function appendLines(file: DataLakeFileClient, lines: string): Promise<void> {
  const bytes = Buffer.from(lines);
  return despiteOthers(async () => {
    const append = () =>
      withLease(file, async (held) => {
        const { contentLength: end = 0, etag } = await file.getProperties({ conditions: await held() });
        try {
          await appendVisibly(file, bytes, end, etag, await held());
        } catch (error) {
          // The write may have succeeded although its response was lost. Check this, because a second write would
          // repeat the lines.
          if (!(await holds(file, end, bytes).catch(() => false))) throw error;
        }
      });
    try {
      await append();
    } catch (error) {
      if (!isMissing(error)) throw error;
      await createIfMissing(file);
      await append();
    }
  });
}

async function createIfMissing(file: DataLakeFileClient): Promise<void> {
  try {
    await file.create({ conditions: { ifNoneMatch: '*' } });
  } catch (error) {
    // Ignore this error: another process has created the object first.
    if (!(error instanceof StoreError && [409, 412].includes(error.status ?? 0))) throw error;
  }
}

/** Whether an object contains these bytes at this position. */
async function holds(file: DataLakeFileClient, at: number, bytes: Buffer): Promise<boolean> {
  return (await readBytes(file, at, bytes.length)).equals(bytes);
}

/**
 * Reads up to `max` bytes of an object from a position; empty if the position is at the end of the object or behind
 * it.
 */
export async function readBytes(file: DataLakeFileClient, from: number, max: number): Promise<Buffer> {
  try {
    // Request at least one byte, because a count of 0 would request everything.
    const { readableStreamBody } = await file.read(from, Math.max(max, 1), { maxRetryRequests: 2 });
    const chunks: Buffer[] = [];
    for await (const chunk of readableStreamBody ?? []) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).subarray(0, max);
  } catch (error) {
    // The range begins at the end of the object or behind it.
    if (error instanceof StoreError && error.status === 416) return Buffer.alloc(0);
    throw error;
  }
}

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
async function despiteOthers<T>(write: () => Promise<T>): Promise<T> {
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
type HeldLease = () => Promise<{ leaseId?: string }>;

/**
 * Holds a lease for an existing object during a write, so that no one else can write to the object. If the write
 * takes too long, so that the lease ends, the service rejects the next request of the write.
 * @throws {StoreError} a conflict, if another writer holds the lease
 */
async function withLease<T>(file: DataLakeFileClient, write: (held: HeldLease) => Promise<T>): Promise<T> {
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
