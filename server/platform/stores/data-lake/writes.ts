import type { DataLakeFileClient } from '@azure/storage-file-datalake';
import { StoreError } from '../store-error.ts';
import { isConflict, isMissing } from './failures.ts';
import { despiteOthers, withLease } from './leases.ts';

/** Bytes of one request. */
const partBytes = 4 * 1024 * 1024;

/**
 * Writes an object: creates it empty, appends its content, and makes that visible. Content that fits into one request
 * becomes visible with that request, and only if the object is still empty, so of two writers one wins, completely.
 * Larger content is written under a lease.
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
 * @param before the object's ETag; if it stays the same, the service has only accepted the bytes, and a second request makes
 * them visible
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
 * Removes the empty object of a write that failed, unless another writer has written to it since. Best effort: nothing refers to an
 * object whose write failed. Not tried if the service does not respond, which would double the time.
 */
async function removeUnfinished(file: DataLakeFileClient, etag: string | undefined, error: unknown) {
  if (!etag || isConflict(error) || (error instanceof StoreError && error.code === 'timeout')) return;
  await file.delete(false, { conditions: { ifMatch: etag } }).catch(() => {});
}

/**
 * Appends lines to an object, and creates it if it does not exist. The lease keeps other processes from writing
 * between reading the object's length and writing to its end.
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
          // The response of a write that succeeded may have been lost; a second write would repeat the lines.
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
    // Another process was faster.
    if (!(error instanceof StoreError && [409, 412].includes(error.status ?? 0))) throw error;
  }
}

/** Whether an object has these bytes at this position. */
async function holds(file: DataLakeFileClient, at: number, bytes: Buffer): Promise<boolean> {
  return (await readBytes(file, at, bytes.length)).equals(bytes);
}

/** Reads up to `max` bytes of an object; none from its end on. */
export async function readBytes(file: DataLakeFileClient, from: number, max: number): Promise<Buffer> {
  try {
    // A count of zero would request everything.
    const { readableStreamBody } = await file.read(from, Math.max(max, 1), { maxRetryRequests: 2 });
    const chunks: Buffer[] = [];
    for await (const chunk of readableStreamBody ?? []) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).subarray(0, max);
  } catch (error) {
    // The range begins at the end of the object or after it.
    if (error instanceof StoreError && error.status === 416) return Buffer.alloc(0);
    throw error;
  }
}
