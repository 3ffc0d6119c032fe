import { isDenseScript } from '#server/languages.ts';

/**
 * Returns the maximum UTF-16 units of a text in this language that a model translates well within
 * OPENAI_TIMEOUT_SECONDS (60): about 2,000 tokens in each direction. A character of a dense script corresponds to
 * about three Latin letters.
 */
export function unitsPerCall(language: string): number {
  return isDenseScript(language) ? 2000 : 6000;
}

/**
 * The UTF-16 units that the id and the field names of a segment add to a request. They matter for many short
 * segments.
 */
export const unitsPerSegment = 20;

/** Groups consecutive items so that each group weighs at most `max`. An item that weighs more forms its own group. */
export function groupConsecutive<T>(items: readonly T[], weigh: (item: T) => number, max: number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const item of items) {
    const weight = weigh(item);
    if (weight > room || groups.length === 0) {
      groups.push([]);
      room = max;
    }
    groups.at(-1)!.push(item);
    room -= weight;
  }
  return groups;
}

/**
 * Groups consecutive items like `groupConsecutive`, in groups of about equal weight: a translation takes as long as its
 * longest request.
 */
export function groupEvenly<T>(items: readonly T[], weigh: (item: T) => number, max: number): T[][] {
  const total = items.reduce((sum, item) => sum + weigh(item), 0);
  const fewest = groupConsecutive(items, weigh, max);
  const even = groupConsecutive(items, weigh, Math.ceil((1.05 * total) / fewest.length));
  return even.length === fewest.length ? even : fewest;
}

/** Matches a blank line and all whitespace after it. */
const paragraphEnd = /\n[^\S\n]*\n\s*/g;

/**
 * Units after the limit that are examined. They complete a surrogate pair, and the next character shows whether a
 * grapheme continues.
 */
const lookahead = 2;

/**
 * Cuts a text into pieces of at most `max` UTF-16 units. The pieces joined are exactly the text. A cut is made after
 * a paragraph, otherwise between sentences, otherwise between words, if the piece is then at least half full; if none
 * of these is possible, between graphemes. A grapheme is never cut, so a grapheme of more than `max` units makes a
 * longer piece.
 *
 * Time and memory grow linearly with the length of the text, if graphemes are rarely longer than `max`.
 * @param language a canonical code, which determines the sentence and word boundaries
 */
export function cutText(text: string, max: number, language: string): string[] {
  if (text.length <= max) return [text];
  const graphemes = new Intl.Segmenter(language, { granularity: 'grapheme' });
  const sentences = new Intl.Segmenter(language, { granularity: 'sentence' });
  const words = new Intl.Segmenter(language, { granularity: 'word' });

  const pieces: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const length = bestBreak(rest.slice(0, max + lookahead)) || firstGrapheme(rest);
    pieces.push(rest.slice(0, length));
    rest = rest.slice(length);
  }
  return rest === '' ? pieces : [...pieces, rest];

  /** Returns the number of units before the best boundary in the window; 0 if a single grapheme fills the window. */
  function bestBreak(window: string): number {
    const clusters = graphemes.segment(window);
    const candidates = [
      lastParagraphEnd(window, max),
      lastStart(sentences.segment(window), max),
      lastStart(words.segment(window), max),
    ];
    for (const candidate of candidates) {
      // Move the cut to a grapheme boundary: a blank between words may carry a combining mark.
      const settled = lastStart(clusters, candidate);
      if (settled >= max / 2) return settled;
    }
    return lastStart(clusters, max);
  }

  function firstGrapheme(rest: string): number {
    return graphemes.segment(rest).containing(0)!.segment.length;
  }
}

function lastParagraphEnd(window: string, max: number): number {
  let last = 0;
  for (const { index, 0: gap } of window.matchAll(paragraphEnd)) last = Math.min(max, index + gap.length);
  return last;
}

/** Returns the last boundary at or before the unit at `max`. */
function lastStart(segments: Intl.Segments, max: number): number {
  return segments.containing(max)!.index;
}

const lineEnd = /\n\s*/g;

/**
 * Cuts a source and its translations into corresponding passages. Each row of the result has one passage of each
 * version, and the joined passages of a version are exactly this version. A row weighs at most `max` if possible.
 * Cuts are made between lines if all versions have the same number of lines, otherwise between paragraphs if all have
 * the same number of paragraphs, otherwise not at all: after a wrong cut, a judge would report omissions that do not
 * exist. Time and memory grow linearly with the lengths of the texts.
 */
export function alignPassages(
  versions: readonly string[],
  weigh: (row: readonly string[]) => number,
  max: number,
): (readonly string[])[] {
  if (weigh(versions) <= max) return [versions];
  const rows = pairUp(versions, lineEnd) ?? pairUp(versions, paragraphEnd);
  if (!rows) return [versions];
  return groupConsecutive(rows, weigh, max).map((group) =>
    versions.map((_, column) => group.map((row) => row[column]!).join('')),
  );
}

function pairUp(versions: readonly string[], end: RegExp): string[][] | undefined {
  const columns = versions.map((text) => cutBehind(text, end));
  const height = columns[0]!.length;
  if (columns.some(({ length }) => length !== height)) return undefined;
  return Array.from({ length: height }, (_, row) => columns.map((column) => column[row]!));
}

/** Cuts after each match of the expression. Blank parts at the ends of the text are joined with their neighbors. */
function cutBehind(text: string, end: RegExp): string[] {
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  const parts: string[] = [];
  let start = 0;
  for (const { index, 0: gap } of text.matchAll(end)) {
    if (index < from || index >= to) continue;
    parts.push(text.slice(start, index + gap.length));
    start = index + gap.length;
  }
  return [...parts, text.slice(start)];
}

/**
 * Returns `text` with the leading and trailing whitespace of `original`. This whitespace is layout, which a model
 * might change. Returns a blank original unchanged.
 */
export function keepOuterSpace(original: string, text: string): string {
  const start = original.length - original.trimStart().length;
  if (start === original.length) return original;
  return original.slice(0, start) + text.trim() + original.slice(original.trimEnd().length);
}
