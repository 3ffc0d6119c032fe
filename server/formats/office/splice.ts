/** Replaces the source from `start` to `end` (offsets in UTF-16 units; equal for an insertion) by `text`. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The approximate length of the pieces, which keeps memory low while the result is encoded and compressed. */
const pieceLength = 64 * 1024;

/**
 * Yields the edited source in pieces. No character outside the edits changes. The result is never entirely in memory.
 *
 * @param edits in the order of their positions
 * @throws RangeError if two edits overlap, or one is outside the source
 */
export function* splice(source: string, edits: Iterable<Edit>): Generator<string> {
  let piece = '';
  let copied = 0;
  for (const { start, end, text } of edits) {
    if (start < copied || end < start || end > source.length)
      throw new RangeError(`the edit from ${start} to ${end} overlaps another one or is outside the source`);
    for (const copy of slices(source, copied, start)) {
      piece += copy;
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
    }
    piece += text;
    copied = end;
  }
  if (piece !== '') yield piece;
  yield* slices(source, copied, source.length);
}

/** Keeps a surrogate pair in one slice, because each piece is encoded separately. */
function* slices(source: string, from: number, to: number): Generator<string> {
  for (let start = from; start < to; ) {
    let end = Math.min(start + pieceLength, to);
    if (end < to && (source.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield source.slice(start, end);
    start = end;
  }
}

/** Characters that an XML 1.0 document cannot contain, including lone surrogates. */
const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Removes the characters that XML cannot contain, even as references: control characters and lone surrogates. */
export function withoutForbidden(text: string): string {
  return text.replace(notXml, '');
}

/** Escapes text for the content of an element. A literal carriage return would be read as a line feed. */
export function escapeXmlText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => references[character]!);
}

const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
