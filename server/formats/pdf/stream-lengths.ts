const keyword = Buffer.from('stream');
const endKeyword = Buffer.from('endstream');
const endOfObject = Buffer.from('endobj');

/** The maximum distance from the start of a stream's dictionary to the keyword `stream`, in bytes. */
const maxDictionaryLength = 4096;

/** A replacement in the file, by byte offsets. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * Corrects the declared lengths of the streams of a PDF, and adds missing `endstream` keywords. Such errors are caused
 * by programs that convert line ends or truncate a file. PDF readers then search for the end of the stream, but this
 * build of qpdf and parts of pdf-lib do not. The offsets of objects change.
 */
export function correctStreamLengths(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const edits: Edit[] = [];
  for (let at = file.indexOf(keyword); at >= 0; at = file.indexOf(keyword, at + 1)) {
    const start = startOfData(file, at);
    const length = start === undefined ? undefined : declaredLength(file, at);
    if (start === undefined || length === undefined) continue;
    const end = start + length.value;
    if (isAtEndKeyword(file, end)) {
      at = end;
      continue;
    }
    const { dataEnd, hasKeyword } = endOfData(file, start);
    edits.push({ start: length.start, end: length.end, text: String(dataEnd - start) });
    if (!hasKeyword) edits.push({ start: dataEnd, end: dataEnd, text: '\nendstream\n' });
    at = dataEnd;
  }
  return edits.length === 0 ? bytes : applied(file, edits);
}

/** Returns the offset of a stream's first byte; undefined if the keyword at `at` does not start a stream. */
function startOfData(file: Buffer, at: number): number | undefined {
  const after = at + keyword.length;
  if (file[after] === 0x0a) return after + 1;
  return file[after] === 0x0d && file[after + 1] === 0x0a ? after + 2 : undefined;
}

/**
 * Returns the length in the dictionary of a stream, and the position of this number; undefined if the length is a
 * reference to another object.
 */
function declaredLength(file: Buffer, at: number): { value: number; start: number; end: number } | undefined {
  const from = Math.max(0, at - maxDictionaryLength);
  const before = file.toString('latin1', from, at);
  const dictionary = Math.max(0, before.lastIndexOf(' obj'));
  const found = /\/Length\s+(\d{1,10})(?!\d|\s+\d+\s+R)/.exec(before.slice(dictionary));
  if (!found) return undefined;
  const end = from + dictionary + found.index + found[0].length;
  return { value: Number(found[1]), start: end - found[1]!.length, end };
}

function isAtEndKeyword(file: Buffer, at: number): boolean {
  let start = at;
  while (start < at + 3 && (file[start] === 0x0d || file[start] === 0x0a || file[start] === 0x20)) start++;
  return file.subarray(start, start + endKeyword.length).equals(endKeyword);
}

/**
 * Returns the end of a stream's data: at the keyword `endstream`, or at the end of the object if the keyword is
 * missing.
 */
function endOfData(file: Buffer, start: number): { dataEnd: number; hasKeyword: boolean } {
  const [end, objectEnd] = [file.indexOf(endKeyword, start), file.indexOf(endOfObject, start)];
  if (end >= 0 && (objectEnd < 0 || end < objectEnd)) return { dataEnd: end, hasKeyword: true };
  return { dataEnd: objectEnd < 0 ? file.length : objectEnd, hasKeyword: false };
}

function applied(file: Buffer, edits: readonly Edit[]): Uint8Array {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits) {
    pieces.push(file.subarray(at, start), Buffer.from(text, 'latin1'));
    at = end;
  }
  pieces.push(file.subarray(at));
  return Buffer.concat(pieces);
}
