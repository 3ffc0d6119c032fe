import { embeddingLevels, visualOrder } from '../../../typesetting/bidi.ts';
import { median } from '../../statistics.ts';
import { composed, type Glyph } from '../pieces.ts';
import type { Line } from '../rows/lines.ts';

/**
 * One or more characters of a line, with the glyph that shows them. The glyph is null for a space that the line shows
 * only as a gap.
 */
export interface Character {
  text: string;
  glyph: Glyph | null;
  /** The accents that are drawn over the glyph. */
  marks?: readonly Glyph[];
}

export interface LineText {
  /** The characters in reading order. */
  characters: Character[];
  text: string;
  isRightToLeft: boolean;
}

/**
 * The minimum width of a gap that counts as a space, in addition to the usual distance between the letters, as shares
 * of the font size.
 */
const minSpaceWidth = 0.12;
const minSpaceWidthNextToBlanks = 0.16;
const minSpaceWidthOfIdeographs = 0.4;
const label = /^(?:[•·●■◆▪]|[(（[]?\p{N}{1,3}[.)）．、\]])$/u;
/** The minimum gap at a blank of the same or its own operator, as a share of the font size. Kerning cancels narrower blanks. */
const minGapAtBlank = 0.05;
/** The maximum distance of a mark's start from the edge of two letters, as a share of the font size; half a narrow letter. */
const maxMarkOffset = 0.1;

const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
const rightToLeftLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;
const leftToRightLetter = /(?!\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}|\p{Script=Thaana})\p{L}/u;

/** Spacing accents that some fonts draw over a letter, each with the equivalent combining mark. */
const accents = new Map(
  [
    '`\u0300',
    '\u00b4\u0301',
    '\u02ca\u0301',
    '\u02cb\u0300',
    '\u02c6\u0302',
    '^\u0302',
    '\u02dc\u0303',
    '~\u0303',
    '\u00af\u0304',
    '\u02c9\u0304',
  ]
    .concat(['\u02d8\u0306', '\u02d9\u0307', '\u00a8\u0308', '\u02da\u030a', '\u02dd\u030b', '\u02c7\u030c'])
    .concat(['\u00b8\u0327', '\u02db\u0328'])
    .map(([accent, mark]) => [accent!, mark!]),
);

/**
 * Returns the text of a line: combines accents with their letters, turns gaps into spaces, and puts right-to-left text
 * in reading order.
 */
export function readLine(line: Line): LineText {
  const clusters = joinMarks(line.glyphs);
  const spaced = withSpaces(clusters, line);
  const visual = spaced.map(({ text }) => text).join('');
  if (!rightToLeftLetter.test(visual)) return { characters: spaced, text: visual, isRightToLeft: false };
  const isRightToLeft = countOf(visual, rightToLeftLetter) >= countOf(visual, leftToRightLetter);
  const characters = inReadingOrder(spaced, isRightToLeft ? 'rtl' : 'ltr');
  return { characters, text: characters.map(({ text }) => text).join(''), isRightToLeft };
}

function countOf(text: string, pattern: RegExp): number {
  let count = 0;
  for (const character of text) if (pattern.test(character)) count++;
  return count;
}

interface Cluster {
  text: string;
  glyph: Glyph;
  marks: Glyph[];
  left: number;
  right: number;
}

/** Combines each combining mark, and each accent drawn over a letter, with its letter. */
function joinMarks(glyphs: readonly Glyph[]): Cluster[] {
  const clusters: Cluster[] = [];
  let owed: Glyph | undefined;
  for (const [index, glyph] of glyphs.entries()) {
    const { text, left, right } = glyph;
    const mark = markOf(glyph);
    const before = clusters.at(-1);
    const next = glyphs[index + 1];
    if (mark !== null && next && isMarkOfNext(glyph, before?.glyph, next)) owed = glyph;
    else if (mark !== null && before) {
      const belongsToNext = next && !markOf(next) && standsOver(glyph, next) && !standsOver(glyph, before);
      if (!belongsToNext && (standsOver(glyph, before) || /^\p{M}+$/u.test(text))) {
        before.text = composed(before.text + mark);
        before.marks.push(glyph);
        continue;
      }
    }
    const pending = before && markOf(before.glyph) !== null && before.text === before.glyph.text;
    if (pending && (before.glyph === owed || standsOver(before.glyph, glyph)) && /\p{L}/u.test(text)) {
      clusters[clusters.length - 1] = {
        text: composed(text + markOf(before.glyph)),
        glyph,
        marks: [before.glyph, ...before.marks],
        left: Math.min(left, before.left),
        right: Math.max(right, before.right),
      };
      continue;
    }
    clusters.push({ text, glyph, marks: [], left, right });
  }
  return clusters;
}

/** Returns the combining marks, or the letter of a ligature, that a glyph stands for; null if the glyph is not a mark. */
function markOf({ text, left, right }: Glyph): string | null {
  // A spacing accent is also written as a space with a combining mark.
  if (/^ ?\p{M}+$/u.test(text)) return text.trim();
  if (left === right && /^\p{Script=Arabic}*$/u.test(text)) return text;
  return accents.get(text) ?? null;
}

/**
 * Whether a mark without width, which starts near the edge of two right-to-left letters, belongs to the letter at its
 * right. It does if it is painted between them, because a mark follows its letter. Its shape may be far from its start.
 */
function isMarkOfNext(mark: Glyph, before: Glyph | undefined, next: Glyph): boolean {
  if (mark.left !== mark.right || !/^\p{M}+$/u.test(mark.text)) return false;
  if (markOf(next) !== null || !rightToLeftLetter.test(next.text)) return false;
  const isNear = Math.abs(mark.left - next.left) < maxMarkOffset * mark.piece.size;
  return isNear && (!before || isPaintedAfter(mark, before) === isPaintedAfter(next, mark));
}

function isPaintedAfter(one: Glyph, other: Glyph): boolean {
  const [order, before] = [one.piece.shown.order, other.piece.shown.order];
  return order > before || (order === before && one.index > other.index);
}

/** Whether a glyph is a letter that has the middle of a mark above it. */
function standsOver(mark: Glyph, letter: { left: number; right: number; text: string }): boolean {
  const middle = (mark.left + mark.right) / 2;
  const slack = 0.02 * mark.piece.size;
  return middle > letter.left - slack && middle < letter.right + slack && /\p{L}/u.test(letter.text);
}

function withSpaces(clusters: readonly Cluster[], { size, rises }: Line): Character[] {
  const visible = clusters.filter(({ glyph }) => !glyph.isBlank);
  const gaps = visible.slice(1).map((cluster, index) => cluster.left - visible[index]!.right);
  const hasBlanks = visible.length < clusters.length;
  const usual = gaps.length >= 4 || isSpacedWord(visible, gaps, size) ? median(gaps) : 0;
  const spacing = usual > 0.05 * size ? usual : 0;
  // Text with wide letter spacing, which has blanks between all its letters. The blanks do not separate words.
  const isBeforeBlank = ({ text, glyph: { isBlank, piece } }: Cluster) =>
    isBlank || (piece.glyphs.length === 1 && piece.blankEnd !== undefined && text.length === 1);
  const isSpacedByBlanks = visible.length >= 4 && clusters.filter(isBeforeBlank).length >= visible.length - 1;
  const characters: Character[] = [];
  let last: Cluster | undefined;
  let blank: Glyph | null = null;
  for (const cluster of clusters) {
    if (cluster.glyph.isBlank) {
      if (last) blank ??= cluster.glyph;
      continue;
    }
    if (last) {
      const gap = cluster.left - last.right;
      const em = Math.max(last.glyph.piece.size, cluster.glyph.piece.size);
      const isIdeographic = ideograph.test(cluster.text) || ideograph.test(last.text);
      const isAfterLabel = characters.length < 5 && label.test(characters.map(({ text }) => text).join(''));
      const narrowest =
        isIdeographic && !isAfterLabel
          ? minSpaceWidthOfIdeographs
          : hasBlanks
            ? minSpaceWidthNextToBlanks
            : minSpaceWidth;
      const isScript = rises.has(cluster.glyph.piece) && !rises.has(last.glyph.piece);
      const threshold = spacing + (isScript ? 1.5 : 1) * narrowest * em;
      // Text of another operator may be placed over a blank, which then still separates words. A blank below the glyph
      // before it, such as a ligature, separates none; but a large initial may extend over a blank.
      const isOneOperator = last.glyph.piece === cluster.glyph.piece && blank?.piece === last.glyph.piece;
      const isBelow = blank !== null && blank.right < last.right + 0.02 * em && last.right - last.left < em;
      const leastGap = isOneOperator || isBelow ? minGapAtBlank * em + Math.min(0, usual) : -0.6 * em;
      const { piece } = last.glyph;
      const { blankEnd = last.right } = piece;
      const hasBlank = cluster.glyph.piece !== piece && blankEnd - last.right > minSpaceWidth * em;
      const isAtBlank = hasBlank && !isSpacedByBlanks && gap > minGapAtBlank * em;
      const isWord = isAtBlank || (blank && !isSpacedByBlanks ? gap > leastGap : gap > threshold);
      if (isWord) characters.push({ text: ' ', glyph: blank });
    }
    blank = null;
    characters.push({ text: cluster.text, glyph: cluster.glyph, marks: cluster.marks });
    last = cluster;
  }
  return characters;
}

/** The maximum difference between the spaces of a word with wide letter spacing, as a share of the font size. */
const maxUneven = 0.04;
const wordInCapitals = /^\p{Lu}?(?:\p{Lu}*|\p{Ll}*)$/u;
const vowel = /[AEIOUYÄÖÜÀÁÈÉÌÍÒÓÙÚ]/iu;

/**
 * Whether three or four letters of one operator are a word with wide letter spacing, such as `W H Y`. Letters of a list,
 * such as `A B C`, follow each other in the alphabet.
 */
function isSpacedWord(visible: readonly Cluster[], gaps: readonly number[], size: number): boolean {
  if (visible.length < 3) return false;
  const word = visible.map(({ text }) => text).join('');
  const isOneOperator = visible.every(({ glyph }) => glyph.piece === visible[0]!.glyph.piece);
  const isEven = Math.max(...gaps) - Math.min(...gaps) < maxUneven * size;
  const isSequence = visible.every(
    ({ text }, index) => index === 0 || text.charCodeAt(0) === visible[index - 1]!.text.charCodeAt(0) + 1,
  );
  return isOneOperator && isEven && !isSequence && wordInCapitals.test(word) && vowel.test(word);
}

const closing = /[)\]}»]/u;
const mirrored: Record<string, string> = Object.fromEntries(
  ['()', ')(', '[]', '][', '{}', '}{', '«»', '»«'].map(([one, other]) => [one!, other!]),
);

/**
 * Changes the order of characters from left-to-right order to reading order. The algorithm that computes the visual
 * order is applied, because it is almost its own inverse.
 */
function inReadingOrder(characters: readonly Character[], direction: 'ltr' | 'rtl'): Character[] {
  const units = characters.map(({ text }) => representative(text)).join('');
  const levels = embeddingLevels(units, direction);
  const ordered = visualOrder(units, levels, direction).map((index) => ({
    ...characters[index]!,
    level: levels[index]!,
  }));
  // Some fonts encode the shape of a bracket, others its meaning (opening or closing). If the first bracket in reading
  // order is an opening one, the font encodes the meaning.
  const firstBracket = ordered.find(({ text, level }) => level % 2 === 1 && mirrored[text] !== undefined);
  const isMirrored = firstBracket !== undefined && closing.test(firstBracket.text);
  return ordered.map(({ text, glyph, marks, level }) => ({
    text: isMirrored && level % 2 === 1 ? (mirrored[text] ?? text) : text,
    glyph,
    marks: marks ?? [],
  }));
}

/** Returns a UTF-16 unit that has the same writing direction as a text. */
function representative(text: string): string {
  return text.match(/[\p{L}\p{N}]/u)?.[0]?.slice(0, 1) ?? (text.slice(0, 1) || ' ');
}
