import type { AccountStore, BlobStore, PlatformStore } from '#server/platform/stores/blob-store.ts';
import { type Dated, linesBetween, readLines, type Span } from '#server/platform/stores/json-lines.ts';

/*
 * A manifest has one line per golden record of a day. In a tenant's account it is one object, `<day>.jsonl`, which other
 * programs read. In platform storage it consists of immutable parts in the folder `<day>`, and lists all tenants' records,
 * so that jobs published at the same time share a write. Versions before 1.0 wrote one object there, too.
 */

/** A manifest: the store that has it, and its path without `.jsonl`. */
export interface Manifest {
  store: AccountStore | PlatformStore;
  path: string;
}

/** Milliseconds of records whose lines a part may have. The names of parts begin with the start of this time. */
const partSpan = 300_000;
/** Milliseconds between two parts of the same time, because each part costs a request. */
const partPause = 1000;
/** Parts that are read at the same time. */
const readAtOnce = 16;
const dayMs = 86_400_000;

/** Returns the path of the manifest of a day. @param prefix the golden directory of an account */
export function manifestPath(recordedAt: Date, prefix = 'golden/'): string {
  return `${prefix}manifest/${recordedAt.toISOString().slice(0, 10)}`;
}

export function addManifestLine({ store, path }: Manifest, recordedAt: Date, line: string): Promise<void> {
  if ('appendLine' in store) return store.appendLine(`${path}.jsonl`, line);
  const start = Math.floor(recordedAt.getTime() / partSpan) * partSpan;
  return store.addLine(`${path}/${start}`, line, partPause);
}

/**
 * Returns the paths of the objects of a manifest, in the order of their time. The first one may be missing.
 * @param span without parts that have only lines of other times
 */
async function manifestObjects({ store, path }: Manifest, span?: Span): Promise<string[]> {
  if ('appendLine' in store) return [`${path}.jsonl`];
  const names = await store.list(path);
  const wanted = names.filter((name) => {
    const start = /^\d{13}(?=\.)/.exec(name)?.[0];
    if (!span || start === undefined) return true;
    return Number(start) <= span.to && Number(start) + partSpan >= span.from;
  });
  return [`${path}.jsonl`, ...wanted.sort().map((name) => `${path}/${name}`)];
}

/** Reads the lines of a manifest, those of a time span or all. */
export async function* manifestLines<T extends Dated>(
  manifest: Manifest,
  span?: Span,
): AsyncGenerator<T[], void> {
  const { store } = manifest;
  const [first = '', ...parts] = await manifestObjects(manifest, span);
  if (span) yield* linesBetween<T>(store, first, span);
  else yield* readLines<T>(store, first);
  const read = async (path: string) => {
    const lines: T[] = [];
    for await (const some of readLines<T>(store, path)) lines.push(...some);
    return lines;
  };
  for (let from = 0; from < parts.length; from += readAtOnce)
    yield* await Promise.all(parts.slice(from, from + readAtOnce).map(read));
}

/** Whether a manifest has a line for which `is` returns true. */
export async function hasManifestLine(manifest: Manifest, is: (line: string) => boolean): Promise<boolean> {
  const has = async (path: string) => {
    for await (const lines of wholeLines(manifest.store, path)) if (lines.some(is)) return true;
    return false;
  };
  const paths = await manifestObjects(manifest);
  for (let from = 0; from < paths.length; from += readAtOnce)
    if ((await Promise.all(paths.slice(from, from + readAtOnce).map(has))).includes(true)) return true;
  return false;
}

/**
 * Whether no process appends to the manifest of a day any longer, except `checkGoldenRecords`. A process may add a line
 * after midnight, and its clock may differ.
 */
export function isManifestClosed(day: Date): boolean {
  const today = Math.floor(Date.now() / dayMs) * dayMs;
  return day.getTime() < today - dayMs;
}

/**
 * Rewrites a closed manifest without some of its lines. All other bytes stay. Each object is in memory for that.
 * @param isRemoved called once for each line, in order, if the object has such a line
 * @returns the number of removed lines
 */
export async function removeManifestLines(
  manifest: Manifest,
  isRemoved: (line: string) => boolean,
): Promise<number> {
  const { store } = manifest;
  let removed = 0;
  for (const path of await manifestObjects(manifest)) {
    const kept: Buffer[] = [];
    let removedHere = 0;
    for await (const lines of wholeLines(store, path)) {
      const others = lines.filter((line) => !isRemoved(line));
      removedHere += lines.length - others.length;
      kept.push(Buffer.from(others.join(''), 'latin1'));
    }
    if (removedHere === 0) continue;
    const content = Buffer.concat(kept);
    if (content.length > 0) await store.put(path, content);
    else await store.remove(path);
    removed += removedHere;
  }
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
