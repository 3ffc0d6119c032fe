/** A text without its line breaks and marks of emphasis. */
export interface JoinedText {
  text: string;
  /** For each UTF-16 unit of `text`, its place in the readable text. */
  places: readonly number[];
  /** The places in `text` of the spaces that stand for line breaks. */
  breaks: readonly number[];
}

/** The beginning of a line that continues another: a quote, a comment, an indentation. */
const prefix = String.raw` *(?:(?:>|\||#|;|%|\*|\/\/|--) *){0,8}`;
const mark = '["“”„«»‘’‹›]';
const capitalized = String.raw`\p{Lu}[\p{L}'-]{1,30}`;

/** Everything that a reader passes over. Each alternative is bounded, so a search is linear. */
const passedOver = new RegExp(
  [
    // A divided word continues in lowercase behind its hyphen.
    String.raw`(?<hyphen>(?<=\p{L})-\n${prefix}(?=\p{Ll}))`,
    String.raw`(?<=[\p{L}\d])(?<kept>-)\n${prefix}(?=[\p{L}\d])`,
    // Quoted-printable and continued lines, and an address in two lines.
    String.raw`(?<soft>(?<=[\p{L}\d])[=\\]\n(?=[\p{L}\d])|(?<=@|@[\p{L}\d.-]{1,60}\.)\n${prefix}(?=\p{Ll}))`,
    String.raw`(?<line>(?<=\S) *\n${prefix}(?=[^\s]))`,
    String.raw`(?<emphasis>(?<!\d)\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\d)|(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])|~~|\x60{1,3}|'{2,5}|\[\/?[biu]\]|\\(?:textbf|textit|emph|underline)\{)`,
    // John “Johnny” Doe
    String.raw`(?<=\p{L}\.? )${mark}(?<nick>${capitalized}(?: ${capitalized}){0,2})${mark}(?= \p{Lu})`,
  ].join('|'),
  'gu',
);

/**
 * Joins the lines of a readable text, so that what a line break, the mark of a quote or of emphasis divides is read as one.
 * Empty lines divide. Takes linear time.
 * @returns null if nothing is different
 */
export function joinLines(readable: string): JoinedText | null {
  let text = '';
  let from = 0;
  const places: number[] = [];
  const breaks: number[] = [];
  const copy = (start: number, end: number) => {
    for (let at = start; at < end; at++) places.push(at);
    text += readable.slice(start, end);
  };
  for (const { index, 0: piece, groups } of readable.matchAll(passedOver)) {
    copy(from, index);
    from = index + piece.length;
    const { kept, line, nick } = groups!;
    if (nick) copy(index + 1, from - 1);
    else if (kept) copy(index, index + 1);
    else if (line) {
      breaks.push(text.length);
      places.push(index);
      text += ' ';
    }
  }
  if (from === 0) return null;
  copy(from, readable.length);
  return { text, places, breaks };
}
