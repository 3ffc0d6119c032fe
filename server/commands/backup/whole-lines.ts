import { partBytes } from './format.ts';

const newline = 10;

/**
 * Converts pieces, which may end in the middle of a line, to parts of some megabytes that end with a complete line.
 * An incomplete last line is dropped.
 */
export async function* inWholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    size += piece.length;
    if (size < partBytes) continue;
    const all = Buffer.concat(kept, size);
    const end = all.lastIndexOf(newline) + 1;
    if (end > 0) yield all.subarray(0, end);
    kept = end < all.length ? [all.subarray(end)] : [];
    size = all.length - end;
  }
  const rest = Buffer.concat(kept, size);
  const end = rest.lastIndexOf(newline) + 1;
  if (end > 0) yield rest.subarray(0, end);
}

/**
 * Returns the number of lines. In the format of COPY, each row is one line, because a line break in a value is
 * written as `
 * `.
 */
export function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) count += 1;
  return count;
}
