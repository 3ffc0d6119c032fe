/** A file whose name does not contain the directory. */
interface Named {
  fileName: string;
  body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Packs files into a ZIP archive, one after the other, without compression: office files and PDFs are compressed. If
 * names are equal, a number is added.
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
  const names = new Set<string>();
  let failure: Error | null = null;
  const zip = new Zip((error, part) => {
    failure ??= error;
    // A Blob holds the parts outside of the page's memory; the archive's buffers are reused.
    if (part) parts.push(new Blob([part as Uint8Array<ArrayBuffer>]));
  });
  for (const id of ids) {
    const { fileName, body } = await open(id);
    const entry = new ZipPassThrough(freeName(fileName, names));
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
