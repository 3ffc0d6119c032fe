import { setImmediate } from 'node:timers/promises';

/** A measure of how much a text was changed. */
export interface EditDistance {
  /**
   * Number of inserted, deleted and replaced words: the minimum that turns one text into the other (Levenshtein
   * distance).
   */
  edits: number;
  /** Number of words in the longer text; `edits` cannot be greater. */
  words: number;
}

/**
 * Maximum UTF-16 units of both texts together that are compared without pauses. The comparison takes 0.3 ms, or 3 ms if
 * only punctuation differs.
 */
const shortEnough = 5000;

/**
 * Maximum UTF-16 units of a text that is measured. Comparing two texts of 50,000 takes 80 ms, at worst 0.8 s, with
 * pauses.
 */
const longest = 200_000;

/** Number of comparison steps, or of segmented words, after which other requests may run: about a millisecond. */
const slice = 50_000;

/** Does the same as `measureEdit`, but without pauses, if the texts are short enough. Otherwise returns undefined. */
export function measureEditAtOnce(before: string, after: string, language: string): EditDistance | undefined {
  if (before.length + after.length > shortEnough) return undefined;
  const steps = measure(before, after, language);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/**
 * Compares two texts word by word. Words are segmented by `Intl.Segmenter`, so that Chinese, Japanese and Thai have
 * words, too; numbers and punctuation count, white space does not. Lets other requests run during the comparison.
 * @param language of both texts
 * @param hasMarks whether punctuation counts
 * @returns undefined for a text longer than any text for review
 */
export async function measureEdit(
  before: string,
  after: string,
  language: string,
  hasMarks = true,
): Promise<EditDistance | undefined> {
  if (before.length > longest || after.length > longest) return undefined;
  const steps = measure(before, after, language, hasMarks);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await setImmediate();
  }
}

function* measure(
  before: string,
  after: string,
  language: string,
  hasMarks = true,
): Generator<undefined, EditDistance> {
  const numbers = new Map<string, number>();
  const one = yield* wordsOf(before, language, numbers, hasMarks);
  const other = yield* wordsOf(after, language, numbers, hasMarks);
  const words = Math.max(one.length, other.length);
  // Skip what the texts have in common at the start and the end, which is nearly all of most texts.
  let start = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start++;
  let end = 0;
  while (end < Math.min(one.length, other.length) - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const [short, long] = [one, other]
    .map((all) => all.slice(start, all.length - end))
    .sort((a, b) => a.length - b.length) as [number[], number[]];
  return { edits: yield* distance(short, long, numbers.size), words };
}

/** Yields the words of a text; each distinct word is represented by a number. */
function* wordsOf(
  text: string,
  language: string,
  numbers: Map<string, number>,
  hasMarks: boolean,
): Generator<undefined, number[]> {
  const words: number[] = [];
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (hasMarks ? segment.trim() === '' : !isWordLike) continue;
    const word = segment.normalize('NFC');
    let number = numbers.get(word);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(word, number);
    }
    words.push(number);
    if (words.length % 2000 === 0) yield;
  }
  return words;
}

/**
 * Levenshtein's distance by Myers' bit vectors, 32 rows of the matrix at a time. A bit in `plus` means that a cell is
 * one greater than the cell above it, a bit in `minus` that it is one less. For the last row of each column, `across`
 * is the difference (1, 0 or -1) from the cell in the previous column.
 * @see Myers, "A fast bit-vector algorithm for approximate string matching" (1999); Hyyrö (2003)
 */
function* distance(
  short: readonly number[],
  long: readonly number[],
  distinct: number,
): Generator<undefined, number> {
  // Row 0 is 0, 1, 2 and so on: each column is one greater than the previous one.
  const across = new Int8Array(long.length).fill(1);
  const rowsOf = new Int32Array(distinct);
  let steps = 0;
  for (let from = 0; from < short.length; from += 32) {
    const rows = short.slice(from, from + 32);
    for (const [row, word] of rows.entries()) rowsOf[word] = (rowsOf[word] as number) | (1 << row);
    const last = 1 << (rows.length - 1);
    let plus = -1;
    let minus = 0;
    for (let column = 0; column < long.length; column++) {
      const same = rowsOf[long[column] as number] as number;
      const carried = across[column] as number;
      const equal = carried < 0 ? same | 1 : same;
      const vertical = same | minus;
      const horizontal = (((equal & plus) + plus) ^ plus) | equal;
      let up = minus | ~(horizontal | plus);
      let down = plus & horizontal;
      across[column] = up & last ? 1 : down & last ? -1 : 0;
      up = (up << 1) | (carried > 0 ? 1 : 0);
      down = (down << 1) | (carried < 0 ? 1 : 0);
      plus = down | ~(vertical | up);
      minus = up & vertical;
      if (++steps % slice === 0) yield;
    }
    for (const word of rows) rowsOf[word] = 0;
  }
  return short.length + across.reduce((sum, step) => sum + step, 0);
}
