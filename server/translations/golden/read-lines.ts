import type { ObjectStore } from '#server/storage/object-store.ts';

/** Bytes that are read of an object at a time. */
const chunkBytes = 1_000_000;

/**
 * The whole lines of an object, parsed, in pieces of some thousand; none where there is no such object. Left out are those that are no JSON,
 * which is what a power cut leaves, and a last one without its end, which is still being written.
 */
export async function* readLines<T>(storage: ObjectStore, path: string): AsyncGenerator<T[]> {
  for (let at = 0; ; ) {
    const bytes = Buffer.from((await storage.read(path, at, chunkBytes)) ?? []);
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
    return value === null ? [] : [value];
  } catch {
    return [];
  }
}
