import { isCrossed } from './cells.ts';
import { areOnOneLine, around, type Box, centerOf, gapBetween, heightOf } from './geometry.ts';
import type { Rules } from './graphics.ts';
import type { Links } from './link.ts';
import { median } from './order.ts';
import { isRightToLeft, type Page, type Word } from './poppler.ts';
import type { Token } from './tokens.ts';
import { isTurned, type Unit } from './units.ts';

/*
 * What makes a page look restless, although each word is in its place: sizes that differ within a row, gaps that grow
 * and shrink, labels away from their texts, blanks without room for an entry, and edges that no longer align.
 */

/** A unit of text with its translation. */
interface Pair {
  unit: Unit;
  /** The font size and name in the source. */
  size: number;
  font: string;
  first: Box;
  /** The boxes of the lines, in the source and in the translation. */
  lines: Box[];
  resultLines: Box[];
  box: Box;
  result: Box;
  resultSize: number;
  /** The mean width of a letter of the translation, in font sizes; null for a text that is too short. */
  letterWidth: number | null;
  tokens: Token[];
}

export interface Irregularities {
  /** The first words of texts whose sizes differ although those of the source are one row, column or list. */
  uneven: Token[];
  /** The first words of texts whose distance to the text above has changed by more than half a line. */
  gaps: Token[];
  /** The first words of texts whose label, bullet or box has moved away from them. */
  parted: Token[];
  /** Words that a ruled line crosses. */
  crossed: Token[];
  /** Blanks of the source that are shorter or missing. */
  blanks: { box: Box; word: Word }[];
  /** The first words of texts that no longer share an edge with the texts that they share it with in the source. */
  edges: Token[];
}

export function findIrregularities(
  pages: { before: Page; after: Page },
  units: readonly Unit[],
  links: Links,
  rules: Rules,
  marks: { before: readonly Box[]; after: readonly Box[] } = { before: [], after: [] },
): Irregularities {
  const pairs = units.flatMap((unit) => pairOf(unit, links) ?? []);
  return {
    uneven: unevenTexts(pairs),
    gaps: changedGaps(pairs),
    parted: partedLabels(pairs, labelsOf(pages.before, marks.before), labelsOf(pages.after, marks.after)),
    crossed: [...links].flatMap(([source, result]) =>
      isCrossed(rules, result.box) && !isCrossed(rules, source.box) ? [result] : [],
    ),
    blanks: shortBlanks(pages.before, pages.after),
    edges: lostEdges(pairs),
  };
}

function pairOf(unit: Unit, links: Links): Pair | null {
  const linked = unit.tokens.flatMap((token) => {
    const result = links.get(token);
    return result ? [[token, result] as const] : [];
  });
  const [first] = linked;
  if (!first || isTurned(first[0].word) || linked.length < unit.tokens.length / 2) return null;
  const sizes = linked.flatMap(([{ word }]) => word.font?.size ?? []);
  const resultSizes = linked.flatMap(([, { word }]) => word.font?.size ?? []);
  if (sizes.length === 0 || resultSizes.length === 0) return null;
  const lines = linesOf(unit.tokens.flatMap(({ word, boxes }) => [word.box, ...boxes.slice(1)]));
  const tokens = linked.map(([, token]) => token);
  const resultLines = linesOf(tokens.flatMap(({ word, boxes }) => [word.box, ...boxes.slice(1)]));
  return {
    unit,
    size: median(sizes),
    font: first[0].word.font?.name ?? '',
    first: first[0].word.box,
    lines,
    resultLines,
    box: around(lines),
    result: around(resultLines),
    resultSize: median(resultSizes),
    letterWidth: letterWidthOf(tokens),
    tokens,
  };
}

/** Words with fewer letters have a mean that depends on the letters. */
const fewestLetters = 12;

function letterWidthOf(tokens: readonly Token[]): number | null {
  const words = [...new Set(tokens.map(({ word }) => word))].filter(({ font }) => font);
  const letters = words.reduce((sum, { text }) => sum + [...text].length, 0);
  if (letters < fewestLetters) return null;
  return words.reduce((sum, { box, font }) => sum + (box[2] - box[0]) / font!.size, 0) / letters;
}

function linesOf(boxes: readonly Box[]): Box[] {
  const lines: Box[] = [];
  for (const box of boxes.toSorted((one, other) => one[1] - other[1])) {
    const last = lines.at(-1);
    if (last && areOnOneLine(last, box)) lines[lines.length - 1] = around([last, box]);
    else lines.push([...box]);
  }
  return lines;
}

/** Sizes that differ by this part look different side by side. */
const visible = 0.03;
/** Letters that are narrower by this part look condensed next to others; the means of different words differ by less. */
const condensed = 0.15;
/** The number of texts from which an edge is an alignment. */
const fewest = 3;
const samePlace = 1;

/** A gap of more lines than this is free space of the page. */
const widestGap = 3;

const haveOneStyle = (one: Pair, other: Pair): boolean =>
  one.font === other.font && Math.abs(one.size - other.size) <= 0.02 * one.size;

type Edge = (box: Box) => number;
const left: Edge = (box) => box[0];
const right: Edge = (box) => box[2];
const middle: Edge = (box) => (box[0] + box[2]) / 2;

/**
 * Texts of one style that are side by side, or below each other with one edge. Those of the body may have another size
 * in another part of the page, but headings may not.
 */
function groupsOf(pairs: readonly Pair[]): Pair[][] {
  const groups: Pair[][] = [];
  const wordsIn = (same: readonly Pair[]): number => same.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const [body, ...others] = styles(pairs).toSorted((one, other) => wordsIn(other) - wordsIn(one));
  for (const same of others)
    if (body && same[0]!.size > 1.1 * body[0]!.size) groups.push(...sharing(same, left));
  for (const same of body ? [body, ...others] : []) {
    const rows: Pair[][] = [];
    for (const pair of same) {
      const row = rows.find(([first]) => areOnOneLine(first!.first, pair.first));
      if (row) row.push(pair);
      else rows.push([pair]);
    }
    groups.push(...rows.filter((row) => row.length > 1));
    groups.push(...stacks(same, left), ...stacks(same, right));
  }
  return groups;
}

function styles(pairs: readonly Pair[]): Pair[][] {
  const found: Pair[][] = [];
  for (const pair of pairs) {
    const own = found.find(([first]) => haveOneStyle(first!, pair));
    if (own) own.push(pair);
    else found.push([pair]);
  }
  return found;
}

/** Texts of one style below each other that share an edge, in sequences without a wide gap. */
function stacks(same: readonly Pair[], edge: Edge): Pair[][] {
  const found: Pair[][] = [];
  for (const pair of same.toSorted((one, other) => one.box[1] - other.box[1])) {
    const own = found.findLast((stack) => {
      const last = stack.at(-1)!;
      const gap = pair.box[1] - last.box[3];
      const isNear = gap > -0.5 * pair.size && gap < widestGap * pair.size;
      return isNear && Math.abs(edge(last.box) - edge(pair.box)) <= samePlace;
    });
    if (own) own.push(pair);
    else found.push([pair]);
  }
  return found.filter((stack) => stack.length >= fewest);
}

function unevenTexts(pairs: readonly Pair[]): Token[] {
  const uneven = new Set<Pair>();
  for (const group of groupsOf(pairs)) {
    const usual = commonest(group.map(({ resultSize, size }) => resultSize / size));
    for (const pair of group) if (Math.abs(pair.resultSize / pair.size - usual) > visible) uneven.add(pair);
    const widths = group
      .flatMap(({ letterWidth }) => letterWidth ?? [])
      .toSorted((one, other) => other - one);
    if (widths.length < 2) continue;
    const wide = median(widths.slice(0, Math.ceil(widths.length / 2)));
    for (const pair of group)
      if (pair.letterWidth !== null && pair.letterWidth < (1 - condensed) * wide) uneven.add(pair);
  }
  return [...uneven].map(({ tokens }) => tokens[0]!);
}

/** The value that most others are near to. */
function commonest(values: readonly number[]): number {
  const near = (value: number) => values.filter((other) => Math.abs(other - value) <= visible).length;
  return values.toSorted((one, other) => near(other) - near(one) || other - one)[0]!;
}

function changedGaps(pairs: readonly Pair[]): Token[] {
  return pairs.flatMap((below) => {
    const above = pairs
      .filter((pair) => pair !== below && overlapsAcross(pair.box, below.box))
      .filter((pair) => pair.box[3] <= below.box[1] + 0.5 * below.size)
      .toSorted((one, other) => other.box[3] - one.box[3])[0];
    if (!above) return [];
    const before = below.box[1] - above.box[3];
    if (before > widestGap * below.size) return [];
    const after = below.result[1] - above.result[3];
    return Math.abs(after - before) > 0.5 * 1.2 * below.size ? [below.tokens[0]!] : [];
  });
}

function overlapsAcross(one: Box, other: Box): boolean {
  return Math.min(one[2], other[2]) - Math.max(one[0], other[0]) > 0;
}

/** A bullet, a number or a box before a text, in characters. */
const label = /^(?:[^\p{L}\p{N}\s_.]|\(?\d{1,3}[.)]|\(?[a-z][.)]|[oxq])$/u;
/** The widest gap between a label and its text, in font sizes. */
const widestIndent = 4;

/** The text of a drawn label is empty. */
type Label = Pick<Word, 'text' | 'box'>;

function labelsOf({ words }: Page, marks: readonly Box[]): Label[] {
  return [...words.filter(({ text }) => label.test(text)), ...marks.map((box) => ({ text: '', box }))];
}

function isAlike(one: Label, other: Label): boolean {
  const ratio = heightOf(one.box) / heightOf(other.box);
  return one.text === other.text && (one.text !== '' || (ratio > 0.7 && ratio < 1.4));
}

function partedLabels(pairs: readonly Pair[], labels: readonly Label[], found: readonly Label[]): Token[] {
  const taken = new Set<Label>();
  return pairs.flatMap(({ first, size, resultLines, tokens }) => {
    const own = labels.find(({ box }) => {
      const gap = first[0] - box[2];
      return areOnOneLine(box, first) && gap > -0.1 * size && gap < widestIndent * size;
    });
    if (!own) return [];
    const line = resultLines[0]!;
    const distance = ({ box }: Label) =>
      Math.hypot(box[0] - own.box[0], centerOf(box)[1] - centerOf(line)[1]);
    const same = found
      .filter((label) => isAlike(label, own) && !taken.has(label))
      .toSorted((one, other) => distance(one) - distance(other))[0];
    if (same) taken.add(same);
    const isBeside =
      same &&
      areOnOneLine(same.box, line) &&
      Math.abs(centerOf(same.box)[1] - centerOf(line)[1] - (centerOf(own.box)[1] - centerOf(first)[1])) <
        0.35 * size &&
      Math.abs(gapBetween(same.box, line) - gapBetween(own.box, first)) < 1.5 * size;
    return isBeside ? [] : [tokens[0]!];
  });
}

/** A line for an entry that consists of characters. */
const blank = /_{3,}|\.{6,}|…{3,}/g;
const shortest = 0.85;

function blanksOf(page: Page): { box: Box; word: Word }[] {
  return page.words.flatMap((word) =>
    [...word.text.matchAll(blank)].map(({ 0: run, index }) => {
      const [left, top, right, bottom] = word.box;
      const step = (right - left) / word.text.length;
      return { box: [left + index * step, top, left + (index + run.length) * step, bottom] as Box, word };
    }),
  );
}

/** The blanks of the source for which the translation has none that is as long, in the order of the page. */
function shortBlanks(before: Page, after: Page): { box: Box; word: Word }[] {
  const free = blanksOf(after);
  return blanksOf(before).filter(({ box, word }) => {
    const width = box[2] - box[0];
    const distance = (other: Box) => Math.hypot(other[0] - box[0], 3 * (other[1] - box[1]));
    const nearest = free.toSorted((one, other) => distance(one.box) - distance(other.box))[0];
    if (!nearest || distance(nearest.box) > 12 * heightOf(box)) return true;
    free.splice(free.indexOf(nearest), 1);
    // A longer text may grow into the dots that lead to a number.
    const isLeader = !word.text.includes('_') && Math.abs(nearest.box[2] - box[2]) < heightOf(box) / 2;
    return !isLeader && nearest.box[2] - nearest.box[0] < shortest * width;
  });
}

/** Texts whose edge was that of others, and no longer is. The edge of most texts is that of the start of their lines. */
function lostEdges(pairs: readonly Pair[]): Token[] {
  const lost: Token[] = [];
  const rightToLeft = isRightToLeft(pairs.flatMap(({ tokens }) => tokens.map(({ word }) => word)));
  const groups = [left, right, middle]
    .flatMap((edge) => sharing(pairs, edge).map((group) => ({ edge, group })))
    .toSorted((one, other) => other.group.length - one.group.length);
  const aligned = new Set<Pair>();
  for (const { edge, group } of groups) {
    const own = group.filter((pair) => !aligned.has(pair));
    if (own.length < fewest) continue;
    for (const pair of own) aligned.add(pair);
    // Texts from right to left start on the other side.
    if (rightToLeft && edge === left) continue;
    const usual = median(own.map(({ result }) => edge(result)));
    for (const { result, tokens } of own)
      if (Math.abs(edge(result) - usual) > 1.5 * samePlace) lost.push(tokens[0]!);
  }
  return lost;
}

function sharing(pairs: readonly Pair[], edge: Edge): Pair[][] {
  const groups: Pair[][] = [];
  for (const pair of pairs.toSorted((one, other) => edge(one.box) - edge(other.box))) {
    const last = groups.at(-1);
    if (last && edge(pair.box) - edge(last[0]!.box) <= samePlace) last.push(pair);
    else groups.push([pair]);
  }
  return groups.filter((group) => group.length >= fewest);
}
