import { greatest, least } from '../../statistics.ts';
import type { TextBlock } from '../../text-block.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';
import type { TextArea } from './text-area.ts';

/** A text and its alignment as far as its lines show it. */
interface Paragraph {
  block: Pick<TextBlock, 'alignment' | 'box' | 'kind' | 'style'>;
  /** The lines of the text; at least one. */
  lines: readonly TextLine[];
}

/**
 * As shares of the font size: the maximum difference between word gaps that count as equal, and the minimum difference
 * between gaps of which some are widened to justify their line.
 */
const sameGap = 0.015;
const otherGap = 0.025;
/**
 * The maximum difference between the ends of lines that end at the same edge, as a share of the font size. The second
 * value is for lines whose gaps may be widened: some programs round the gaps.
 */
const [sameEnd, rounded] = [0.02, 0.1];
/** The minimum number of lines that end at the end edge of a column, and their share of the lines that end near it. */
const minAtEnd = 3;
const minShareAtEnd = 0.3;
const nearEnd = 2;
/** The maximum number of lines of a paragraph whose lines may have the same end by chance. */
const maxByChance = 3;
/**
 * How far a line goes past the end of a justified column if its words could not be divided, and the maximum difference
 * between the starts of texts of one column, as shares of the font size.
 */
const overfull = { least: 0.1, most: 2 };
const sameColumn = 3;

/**
 * Makes paragraphs ragged if their lines have the same end only by chance, and justified if their lines have the end of
 * others on the page. A line that goes past this end does not make its paragraph wider. All word gaps of a ragged text have the width of the font's space, while the lines of a justified
 * text have different gaps. If the gaps of a paragraph do not show whether it is justified, the other paragraphs of its
 * size decide, or those of the page. Changes the blocks, which must have one direction.
 *
 * @param area the area of all lines on the page that have this direction
 */
export function agreeOnRaggedEnds(
  paragraphs: readonly Paragraph[],
  area: TextArea,
  isRightToLeft: boolean,
): void {
  const start = isRightToLeft ? 'right' : 'left';
  const read = paragraphs
    .filter(({ block, lines }) => lines.length > 1 && ['justified', start].includes(block.alignment))
    .map((paragraph) => {
      const gaps = gapsOf(paragraph.lines);
      return { ...paragraph, gaps, votes: votesOf(paragraph, gaps, area, isRightToLeft) };
    });
  const onPage = sum(read.map(({ votes }) => votes));
  const groups = Map.groupBy(read, ({ block: { kind, style } }) => `${kind} ${Math.round(2 * style.size)}`);
  for (const group of groups.values()) {
    const inGroup = sum(group.map(({ votes }) => votes));
    const isShown = group.length > 1 && inGroup.justified + inGroup.ragged > 0;
    const { justified, ragged } = isShown ? inGroup : onPage;
    if (ragged < justified)
      for (const { block, lines, gaps } of group) {
        const near = gaps === 'equal' ? sameEnd : rounded;
        const end = isRightToLeft ? undefined : endOfOverfull(lines, group);
        if (end !== undefined) block.box = { ...block.box, right: end };
        if (
          end !== undefined ||
          lines.slice(0, -1).every((line) => endsAtEdge(line, area, isRightToLeft, near))
        )
          block.alignment = 'justified';
      }
    if (ragged <= justified) continue;
    for (const { block, lines, gaps } of group)
      if (block.alignment === 'justified' && mayBeRagged(lines, gaps)) block.alignment = start;
  }
}

/** Returns the end of the column of a text, if one of its lines goes past it; undefined if no line does. */
function endOfOverfull(
  lines: readonly TextLine[],
  others: readonly { lines: readonly TextLine[] }[],
): number | undefined {
  const { left, size } = lines[0]!;
  const ends = lines.slice(0, -1).map(({ right }) => right);
  const longest = greatest(ends);
  const isAt = (one: number, other: number) => Math.abs(one - other) < overfull.least * size;
  const columns = others.filter((other) => Math.abs(other.lines[0]!.left - left) < sameColumn * size);
  const all = columns.flatMap((other) => other.lines.slice(0, -1).map(({ right }) => right));
  return all.find(
    (end) =>
      longest - end > overfull.least * size &&
      longest - end < overfull.most * size &&
      ends.filter((own) => !isAt(own, end)).length === 1 &&
      all.filter((other) => isAt(other, end)).length >= minAtEnd &&
      2 * all.filter((other) => isAt(other, end)).length > all.length,
  );
}

/** The numbers of lines that show that texts are justified or ragged. */
interface Votes {
  justified: number;
  ragged: number;
}

function sum(votes: readonly Votes[]): Votes {
  return votes.reduce(
    (one, other) => ({ justified: one.justified + other.justified, ragged: one.ragged + other.ragged }),
    { justified: 0, ragged: 0 },
  );
}

function mayBeRagged(lines: readonly TextLine[], gaps: WordGaps): boolean {
  if (gaps === 'different') return false;
  return lines.length <= maxByChance || (gaps === 'equal' && !endExactly(lines));
}

/** Whether all lines but the last one start at one position and end at another one. */
function endExactly(lines: readonly TextLine[]): boolean {
  const near = sameEnd * lines[0]!.size;
  const full = lines.slice(0, -1);
  return [full.map(({ left }) => left), full.map(({ right }) => right)].every(
    (ends) => greatest(ends) - least(ends) < near,
  );
}

function votesOf({ block, lines }: Paragraph, gaps: WordGaps, area: TextArea, isRightToLeft: boolean): Votes {
  const full = lines.slice(0, -1);
  const isJustified = block.alignment === 'justified';
  if (gaps === 'different') {
    const isWidened = full.every((line) => endsAtEdge(line, area, isRightToLeft, rounded));
    return votesFor(isJustified || isWidened, full.length);
  }
  if (isJustified) {
    const atEdge = full.filter((line) => endsAtEdge(line, area, isRightToLeft)).length;
    const isAtEdge = 2 * atEdge > full.length || (full.length > 2 && endExactly(lines));
    // One line may end at the end of others by chance, for example below the same words.
    if (isAtEdge) return votesFor(true, full.length > 1 ? full.length : 0);
  }
  if (gaps === 'equal') return votesFor(false, full.length);
  // Without word gaps, the first line does not show either whether a text is ragged.
  return votesFor(isJustified, full.length - 1);
}

function votesFor(isJustified: boolean, count: number): Votes {
  return { justified: isJustified ? count : 0, ragged: isJustified ? 0 : count };
}

/** Whether many lines have exactly the same end as a line. The lines of some justified texts have equal word gaps. */
function endsAtEdge(
  { left, right, size }: TextLine,
  area: TextArea,
  isRightToLeft: boolean,
  same = sameEnd,
): boolean {
  const count = (near: number) =>
    isRightToLeft ? area.beginsAt(left, near * size) : area.endsAt(right, near * size);
  return count(same) >= Math.max(minAtEnd, minShareAtEnd * count(nearEnd));
}

/** Whether the lines of a text have equal or different word gaps; null if they do not show it. */
type WordGaps = 'equal' | 'different' | null;

function gapsOf(lines: readonly TextLine[]): WordGaps {
  const gaps = lines.flatMap((line) => wordGap(line) ?? []);
  if (gaps.length < 2) return null;
  const difference = greatest(gaps) - least(gaps);
  return difference < sameGap ? 'equal' : difference > otherGap ? 'different' : null;
}

/**
 * Returns the usual gap between the words of a line, as a share of the font size; undefined if it has only one word.
 * Gaps after sentences may be wider.
 */
function wordGap({ characters, size }: TextLine): number | undefined {
  const gaps: number[] = [];
  let last: { left: number; right: number } | undefined;
  let isAfterSpace = false;
  for (const { text, glyph } of characters) {
    if (text.trim() === '') isAfterSpace ||= text !== '';
    else if (glyph) {
      const { left, right } = glyph;
      if (last && isAfterSpace) gaps.push(Math.max(left - last.right, last.left - right) / size);
      last = glyph;
      isAfterSpace = false;
    }
  }
  return gaps.sort((one, other) => one - other)[(gaps.length - 1) >> 1];
}
