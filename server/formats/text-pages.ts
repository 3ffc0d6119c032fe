import { skipCodePoints } from './text.ts';

/**
 * Splits `text` into pages of at most `maxCodePoints` Unicode code points, each as full as possible. A page ends at the
 * coarsest possible boundary: a blank line, a line end, the end of a sentence, a gap between words, or the boundary of
 * a grapheme cluster. A cluster is only split if it is longer than a page. A boundary is only used if the unit after it
 * (such as the next paragraph) fits on one page. A longer unit must be split in any case, so it starts on the current
 * page. For example, a long paragraph starts on the page of its heading.
 *
 * Removes whitespace at the edges of a page, and blank pages. Keeps everything else, in order. Takes time linear in the
 * length of the text. Yields one page at a time, because a page of 5000 characters takes up to a millisecond.
 *
 * @param language the BCP 47 tag of the text's language; it determines the ends of sentences and words
 */
export function* pagesOf(text: string, maxCodePoints: number, language: string): Generator<string, void> {
  if (!(maxCodePoints >= 1)) throw new RangeError('a page holds at least one code point');
  const cutter = new Cutter(maxCodePoints, language);
  let start = skipBlank(text, 0);
  while (start < text.length) {
    const full = skipCodePoints(text, start, maxCodePoints);
    // The window includes the following page, to determine whether the unit after a cut fits on it.
    const window = text.slice(start, skipCodePoints(text, full, maxCodePoints + 1));
    const cut = cutter.cut(window, full - start);
    const page = window.slice(0, cut).trimEnd();
    if (page !== '') yield page;
    start = skipBlank(text, start + cut);
  }
}

/** A run of whitespace between two words, from `start` to `end`. */
interface Gap {
  start: number;
  end: number;
}

/** Returns the gaps between words; also, as subsets of these, the gaps with a line end, and those with a blank line. */
function findGaps(window: string): { words: Gap[]; lines: Gap[]; blankLines: Gap[] } {
  const words: Gap[] = [];
  const lines: Gap[] = [];
  const blankLines: Gap[] = [];
  for (const { index: start, 0: space } of window.matchAll(/\s+/g)) {
    const end = start + space.length;
    if (attaches(window, end)) continue;
    const gap = { start, end };
    const lineEnd = space.indexOf('\n');
    words.push(gap);
    if (lineEnd >= 0) lines.push(gap);
    if (lineEnd >= 0 && space.includes('\n', lineEnd + 1)) blankLines.push(gap);
  }
  return { words, lines, blankLines };
}

class Cutter {
  readonly #max: number;
  readonly #sentences: Intl.Segmenter;
  readonly #words: Intl.Segmenter;
  readonly #clusters: Intl.Segmenter;

  constructor(maxCodePoints: number, language: string) {
    this.#max = maxCodePoints;
    this.#sentences = new Intl.Segmenter(language, { granularity: 'sentence' });
    this.#words = new Intl.Segmenter(language, { granularity: 'word' });
    this.#clusters = new Intl.Segmenter(language, { granularity: 'grapheme' });
  }

  /**
   * Returns the offset at which the first page of `window` ends: at least 1, and at most about `full`, where the page
   * is full.
   */
  cut(window: string, full: number): number {
    if (window.slice(full).trim() === '') return window.length;
    const { blankLines, lines, words } = findGaps(window);
    return (
      this.#atGap(window, full, blankLines) ??
      this.#atGap(window, full, lines) ??
      this.#atSegment(window, full, this.#sentences) ??
      this.#atGap(window, full, words) ??
      this.#atSegment(window, full, this.#words) ??
      this.#atCluster(window, full)
    );
  }

  /**
   * Returns the end of the last gap that starts on the page. Returns undefined if the text between this gap and the
   * next one does not fit on the next page.
   */
  #atGap(window: string, full: number, gaps: readonly Gap[]): number | undefined {
    let next = gaps.findIndex(({ start }) => start > full);
    if (next < 0) next = gaps.length;
    const gap = gaps[next - 1];
    if (gap === undefined || gap.start === 0) return undefined;
    return this.#fitsPage(window, gap.end, gaps[next]?.start) ? gap.end : undefined;
  }

  /**
   * Returns the last boundary of the segmenter's segments on the page. Returns undefined if the segment after it does
   * not fit on the next page.
   */
  #atSegment(window: string, full: number, segmenter: Intl.Segmenter): number | undefined {
    const segment = segmenter.segment(window).containing(full);
    if (segment === undefined) return undefined;
    const { index } = segment;
    const end = index + segment.segment.length;
    if (index + segment.segment.trimEnd().length <= full && this.#isClusterEdge(window, end)) return end;
    if (index === 0 || !this.#isClusterEdge(window, index)) return undefined;
    return this.#fitsPage(window, index, end === window.length ? undefined : end) ? index : undefined;
  }

  #atCluster(window: string, full: number): number {
    return this.#clusters.segment(window).containing(full)?.index || full;
  }

  /** Whether the text from `start` to `end` fits on a page. By default, `end` is the end of the window. */
  #fitsPage(window: string, start: number, end: number = window.length): boolean {
    return end <= skipCodePoints(window, start, this.#max);
  }

  #isClusterEdge(window: string, index: number): boolean {
    const cluster = this.#clusters.segment(window).containing(index);
    return cluster === undefined || cluster.index === index;
  }
}

/**
 * Returns the offset after the whitespace at `from`. If a combining mark follows, the last space is not skipped,
 * because a space with a combining mark is an accent without a letter.
 */
function skipBlank(text: string, from: number): number {
  blank.lastIndex = from;
  const end = blank.test(text) ? blank.lastIndex : from;
  return end > from && attaches(text, end) ? end - 1 : end;
}

const blank = /\s+/y;

/** Whether the character at `index` would form a grapheme cluster with a space before it. */
function attaches(text: string, index: number): boolean {
  attaching.lastIndex = index;
  return attaching.test(text);
}

/**
 * All characters that can continue a grapheme cluster: Grapheme_Cluster_Break Extend, ZWJ and SpacingMark of Unicode
 * Annex 29.
 */
const attaching = /[\p{M}\p{Emoji_Modifier}\u0e33\u0eb3\uff9e\uff9f\u{e0020}-\u{e007f}]|\u200c|\u200d/uy;
