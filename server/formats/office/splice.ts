/**
 * A replacement of the source from `start` to `end` by `text`. The offsets are in UTF-16 units; they are equal for an
 * insertion.
 */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/**
 * The approximate length of the yielded pieces, in UTF-16 units. Small pieces limit the memory that encoding and
 * compressing the result needs.
 */
const pieceLength = 64 * 1024;

/**
 * Yields the edited source in pieces. Characters outside the edits stay unchanged. The result is never entirely in
 * memory.
 *
 * @param edits in the order of their positions
 * @throws {RangeError} if two edits overlap, or if an edit is outside the source
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

/** Returns a part of a source with edits, which are inside this part and in order. */
export function spliceRange(source: string, start: number, end: number, edits: readonly Edit[]): string {
  const own = edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
  return [...splice(source.slice(start, end), own)].join('');
}

/**
 * Yields the source between two offsets in slices. A surrogate pair is never split, because each slice is encoded
 * separately.
 */
function* slices(source: string, from: number, to: number): Generator<string> {
  for (let start = from; start < to; ) {
    let end = Math.min(start + pieceLength, to);
    if (end < to && (source.charCodeAt(end - 1) & 0xfc00) === 0xd800) end++;
    yield source.slice(start, end);
    start = end;
  }
}

/** Characters that an XML 1.0 document cannot contain, not even as references, including lone surrogates. */
const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Removes control characters and lone surrogates, which XML cannot contain, not even as references. */
export function withoutForbidden(text: string): string {
  return text.replace(notXml, '');
}

/**
 * Escapes a text for the content of an XML element. Carriage returns are escaped too, because parsers read a literal
 * one as a line feed.
 */
export function escapeXmlText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => references[character]!);
}

const references: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
