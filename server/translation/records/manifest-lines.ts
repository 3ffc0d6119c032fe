import type { BlobStore } from '#server/platform/stores/blob-store.ts';

const dayMs = 86_400_000;

/**
 * Whether no process appends to the manifest of a day any longer, except `checkGoldenRecords`. A process may append a
 * line after midnight, and its clock may differ.
 */
export function isManifestClosed(day: Date): boolean {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return day.getTime() < today - dayMs;
}

/** Whether a manifest has a line for which `is` returns true. */
export async function hasManifestLine(
  store: BlobStore,
  path: string,
  is: (line: string) => boolean,
): Promise<boolean> {
  for await (const lines of wholeLines(store, path)) if (lines.some(is)) return true;
  return false;
}

/**
 * Rewrites a closed manifest without some of its lines. All other bytes stay. The manifest is in memory for that.
 * @param isRemoved called once for each line, in order, if the manifest has such a line
 * @returns the number of removed lines
 */
export async function removeManifestLines(
  store: BlobStore,
  path: string,
  isRemoved: (line: string) => boolean,
): Promise<number> {
  const kept: Buffer[] = [];
  let removed = 0;
  for await (const lines of wholeLines(store, path)) {
    const others = lines.filter((line) => !isRemoved(line));
    removed += lines.length - others.length;
    kept.push(Buffer.from(others.join(''), 'latin1'));
  }
  if (removed === 0) return 0;
  const content = Buffer.concat(kept);
  if (content.length > 0) await store.put(path, content);
  else await store.remove(path);
  return removed;
}

/** Yields the lines of an object with their line breaks. Each character stands for one byte. */
async function* wholeLines(store: BlobStore, path: string): AsyncGenerator<string[]> {
  const pieces = await store.stream(path);
  if (!pieces) return;
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + Buffer.from(piece).toString('latin1')).split(/(?<=\n)/);
    rest = lines.at(-1)?.endsWith('\n') ? '' : (lines.pop() ?? '');
    yield lines;
  }
  if (rest) yield [rest];
}
