/** A file whose name does not contain the directory. */
interface Named {
  fileName: string;
  /** The folders of the archive in which it is stored, the outermost first. */
  folders?: readonly string[];
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Packs files into a ZIP archive, one after the other, without compression: office files and PDFs are compressed. If
 * names are equal, a number is added. Names that other systems do not accept are changed.
 * @param onPacked called after each file
 * @throws the error of a file, without an archive
 */
export async function zipFiles(
  ids: readonly string[],
  open: (id: string) => PromiseLike<Named>,
  onPacked: () => void,
): Promise<Blob> {
  // Loaded when it is first needed.
  const { Zip, ZipPassThrough } = await import('fflate');
  const parts: BlobPart[] = [];
  const names = new Map<string, Set<string>>();
  let failure: Error | null = null;
  const zip = new Zip((error, part) => {
    failure ??= error;
    // A Blob holds the parts outside of the page's memory; the archive's buffers are reused.
    if (part) parts.push(new Blob([part as Uint8Array<ArrayBuffer>]));
  });
  for (const id of ids) {
    const { fileName, folders = [], body } = await open(id);
    const folder = folders.map((one) => `${safeName(one)}/`).join('');
    const taken = names.get(folder) ?? new Set<string>();
    names.set(folder, taken);
    const name = freeName(safeName(fileName), taken);
    const entry = new ZipPassThrough(folder + name);
    zip.add(entry);
    const reader = body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) entry.push(next.value);
    entry.push(new Uint8Array(), true);
    onPacked();
  }
  zip.end();
  if (failure) throw failure;
  return new Blob(parts, { type: 'application/zip' });
}

/** Returns a name that is not taken yet, also without regard to case, and takes it. */
export function freeName(name: string, taken: Set<string>): string {
  const [, stem = name, suffix = ''] = /^(.+?)((?:\.[^.]+){0,2})$/.exec(name) ?? [];
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${stem} (${number})${suffix}`;
  taken.add(free.toLowerCase());
  return free;
}

/** Returns folders for files: their names without the suffix, different from each other. */
export function folderNames(fileNames: readonly string[]): string[] {
  const taken = new Set<string>();
  return fileNames.map((name) => freeName(safeName(name.replace(/(.)\.[^.]+$/, '$1')), taken));
}

/** The maximum length of a name in bytes; a number may be added. */
const maxBytes = 200;

/**
 * Returns a name that all systems accept, and that is one step of a path: without separators, without control characters
 * and signs that change the reading direction, and not reserved by Windows. Joiners stay, because words need them.
 */
export function safeName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .replace(/[\\/:*?"<>|]/g, '_')
    .trim();
  const [, suffix = ''] = /.(\.\w{1,10})[. ]*$/.exec(plain) ?? [];
  let stem = (suffix ? plain.slice(0, plain.lastIndexOf(suffix)) : plain).replace(/[. ]+$/, '');
  while (new TextEncoder().encode(stem + suffix).length > maxBytes) stem = [...stem].slice(0, -1).join('');
  const isReserved = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i.test(stem);
  return `${isReserved || stem === '' ? '_' : ''}${stem}${suffix}`;
}
