/** A part of a text file: a text to translate, or the white space between two of them. */
export type Piece = { text: string } | { gap: string };

/** Maximum characters of one text, which is one request. The service accepts 50,000. */
const maxLength = 10_000;

/** Splits a text into its paragraphs, which blank lines separate. The pieces joined are exactly the text. */
export function splitParagraphs(text: string): Piece[] {
  const pieces: Piece[] = [];
  // A gap has a line break, blank lines and the indentation of the next paragraph, or is at an end of the file.
  for (const part of text.split(/((?:^|\r?\n)[^\S\n]*\r?\n\s*|^\s+|\s+$)/)) {
    if (part === '') continue;
    if (part.trim() === '') pieces.push({ gap: part });
    else pieces.push(...splitLong(part));
  }
  return pieces;
}

/** Splits a paragraph that is too long for one request at its line breaks, or else between sentences. */
function splitLong(paragraph: string): Piece[] {
  if (paragraph.length <= maxLength) return [{ text: paragraph }];
  const pieces: Piece[] = [];
  for (const part of paragraph.split(/(\r?\n|(?<=[.!?。！？])\s+)/)) {
    const last = pieces.at(-1);
    if (part.trim() === '') {
      if (part !== '') pieces.push({ gap: part });
    } else if (last && 'text' in last && last.text.length + part.length <= maxLength) last.text += part;
    else
      for (let at = 0; at < part.length; at += maxLength)
        pieces.push({ text: part.slice(at, at + maxLength) });
  }
  return pieces;
}

export function joinPieces(pieces: readonly Piece[], translations: ReadonlyMap<string, string>): string {
  return pieces
    .map((piece) => ('gap' in piece ? piece.gap : (translations.get(piece.text) ?? piece.text)))
    .join('');
}

export function textsOf(pieces: readonly Piece[]): string[] {
  return [...new Set(pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])))];
}
