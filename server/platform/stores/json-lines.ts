import type { BlobStore } from './blob-store.ts';

/** Bytes that are read at a time. */
const chunkBytes = 1_000_000;
/** Maximum characters of a line; lines of manifests and lists are shorter. */
const maxLineLength = 64 * 1024;

/**
 * Reads and parses the lines of an object, and yields some thousands at a time. Yields nothing if the object does not
 * exist. Skips lines that are not JSON, which a power cut may leave, and a last line without its newline, which is
 * still being written.
 * @param from the byte at which to begin; an incomplete line there is skipped
 */
export async function* readLines<T>(store: BlobStore, path: string, from = 0): AsyncGenerator<T[]> {
  for (let at = from; ; ) {
    const bytes = Buffer.from((await store.read(path, at, chunkBytes)) ?? []);
    const end = bytes.lastIndexOf(10) + 1;
    if (end === 0) return;
    yield bytes
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((line) => parse<T>(line));
    if (bytes.length < chunkBytes) return;
    at += end;
  }
}

function parse<T>(line: string): T[] {
  try {
    const value = JSON.parse(line) as T | null;
    return typeof value === 'object' && value !== null ? [value] : [];
  } catch {
    return [];
  }
}

/** A line that contains the time at which it was written. */
export interface Dated {
  recorded_at: string;
}

/** A time span in milliseconds since the epoch, and the maximum milliseconds by which lines may be out of order. */
export interface Span {
  from: number;
  to: number;
  margin: number;
}

/**
 * Reads the lines of a time span from an object whose lines are roughly in order of time: the manifest of a day may
 * have millions of lines, of which only a part is read. Always reads to the end of the object, because lines that are
 * missing after a crash are added there later, out of order.
 */
export async function* linesBetween<T extends Dated>(
  store: BlobStore,
  path: string,
  { from, to, margin }: Span,
): AsyncGenerator<T[]> {
  const start = await firstByteSince(store, path, from - margin);
  for await (const lines of readLines<T>(store, path, start))
    yield lines.filter(({ recorded_at }) => {
      const at = Date.parse(recorded_at);
      return at >= from && at <= to;
    });
}

/** Returns a byte position before all lines of the time `since` and later. */
async function firstByteSince(store: BlobStore, path: string, since: number): Promise<number> {
  const isLater = async (at: number): Promise<boolean> => {
    const bytes = Buffer.from((await store.read(path, at, maxLineLength)) ?? []);
    const [, line = ''] = bytes.toString().split('\n', 2);
    const [found] = parse<Dated>(line);
    // At the end of the object, and in a line without a time, the position counts as late enough.
    return found === undefined || Date.parse(found.recorded_at) >= since;
  };
  let low = 0;
  let high = chunkBytes;
  while (!(await isLater(high))) {
    low = high;
    high *= 2;
  }
  while (high - low > chunkBytes) {
    const middle = Math.floor((low + high) / 2);
    if (await isLater(middle)) high = middle;
    else low = middle;
  }
  return low;
}
