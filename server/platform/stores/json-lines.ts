import type { BlobStore } from './blob-store.ts';

/** Bytes read at a time. */
const chunkBytes = 1_000_000;
/** Longer than any line of a manifest or a list. */
const maxLineLength = 64 * 1024;

/**
 * Reads and parses the lines of an object, some thousands at a time; none if the object does not exist. Skips lines
 * that are not JSON, which a power cut may leave, and a last line without its newline, which is still being written.
 * @param from the byte to begin at; skips an incomplete line there
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

/** A line with the time at which it was written. */
interface Dated {
  recorded_at: string;
}

/**
 * Reads the lines of a time span from an object whose lines are roughly in order of time: a manifest of a day may
 * have millions of lines. Continues to the end of the object, because lines that a crash left out are added there,
 * long after their time.
 * @param margin milliseconds by which a line may be too early in the object
 */
export async function* linesBetween<T extends Dated>(
  store: BlobStore,
  path: string,
  { from, to, margin }: { from: number; to: number; margin: number },
): AsyncGenerator<T> {
  const start = await firstByteSince(store, path, from - margin);
  for await (const lines of readLines<T>(store, path, start))
    for (const line of lines) {
      const at = Date.parse(line.recorded_at);
      if (at >= from && at <= to) yield line;
    }
}

/** A byte before all lines of `since` and later. */
async function firstByteSince(store: BlobStore, path: string, since: number): Promise<number> {
  const isLater = async (at: number): Promise<boolean> => {
    const bytes = Buffer.from((await store.read(path, at, maxLineLength)) ?? []);
    const [, line = ''] = bytes.toString().split('\n', 2);
    const [found] = parse<Dated>(line);
    // At the end, and in a line of another kind, the time is unknown.
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
