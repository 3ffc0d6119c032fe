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

/** Returns what identifies a value: its letters and digits, without case and accents. */
export function keyOf(written: string): string {
  return compactOf(written).units;
}

/** The letters and digits of a text, without case and accents. */
export interface Compact {
  units: string;
  /** The place of each unit in the text. */
  places: number[];
}

const folded = new Map<string, string>();

/** Scripts in which a letter without its marks is the same letter. */
const foldable = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** Letters whose capitals are also those of others: STRASSE, IŞIL, ΠΑΠΑΣ. */
const equalLetters: Record<string, string> = { ß: 'ss', ı: 'i', ς: 'σ' };

/**
 * Returns a unit without case and accents, a ligature as its letters, and a syllable or a vowel sign of other scripts as it
 * is; empty for other signs.
 */
function fold(unit: string): string {
  let known = folded.get(unit);
  if (known === undefined) {
    const kept =
      /^\p{M}$/u.test(unit) && !/^\p{Script=Inherited}|^\p{Script=Hebrew}|^\p{Script=Arabic}/u.test(unit);
    known = kept
      ? unit
      : (foldable.test(unit) ? unit.normalize('NFKD') : unit)
          .toLowerCase()
          .replace(/[ßıς]/g, (letter) => equalLetters[letter]!)
          .replace(/[^\p{L}\p{N}]/gu, '');
    if (folded.size < 5000) folded.set(unit, known);
  }
  return known;
}

/** Returns the letters and digits of a text. Takes linear time. */
export function compactOf(text: string): Compact {
  let units = '';
  const places: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    const one = /[\ud800-\udfff]/.test(unit) ? unit : fold(unit);
    if (one === '') continue;
    units += one;
    for (let unit = 0; unit < one.length; unit++) places.push(at);
  }
  return { units, places };
}
