import { crossesBetween } from './cells.ts';
import { around, type Box, centerOf, gapBetween, heightOf } from './geometry.ts';
import type { Rules } from './graphics.ts';
import { median } from './order.ts';
import { isRightToLeft, type Word } from './poppler.ts';
import type { Token } from './tokens.ts';

/** Text of a source that belongs together by its typography: a label, a cell, a paragraph. */
export interface Unit {
  tokens: Token[];
  box: Box;
}

/** Neighbours that do not belong together: the end of a label, cell or line and the start of the next one. */
export interface Border {
  before: Token;
  after: Token;
  kind: 'gap' | 'rule' | 'line end';
}

export interface Units {
  units: Unit[];
  borders: Border[];
}

/** A blank of this many heights of a line separates columns; a blank between words has about a third. */
const widestBlank = 1.2;

/**
 * Divides the text of a page into units. Words on a line belong together unless a wide gap or a ruled line is between
 * them. A line continues in the next one of its block if that line's first word would not have had room.
 */
export function unitsOf(tokens: readonly Token[], words: readonly Word[], rules: Rules): Units {
  const places = new Map(words.map((word, index) => [word, index]));
  const between = (one: Token, next: Token): Word[] =>
    words.slice(places.get(one.word), (places.get(next.word) ?? 0) + 1);
  const borders: Border[] = [];
  const pieces: Token[][] = [];
  for (const token of tokens) {
    const last = pieces.at(-1)?.at(-1);
    if (last && last.word.line === token.word.line) {
      const kind = borderIn(between(last, token), rules);
      if (!kind) {
        pieces.at(-1)!.push(token);
        continue;
      }
      borders.push({ before: last, after: token, kind });
    }
    pieces.push([token]);
  }
  const units: Unit[] = [];
  const body = median(words.map(({ box }) => heightOf(box)));
  for (const block of Map.groupBy(pieces, ([first]) => first!.word.block).values())
    units.push(...unitsOfBlock(block, rules, borders, body));
  return { units: joinBlocks(units, rules), borders };
}

/** The border among words of one line. */
function borderIn(words: readonly Word[], rules: Rules): Border['kind'] | null {
  for (const [index, next] of words.slice(1).entries()) {
    const one = words[index]!;
    if (isTurned(one) || isTurned(next)) return null;
    if (crossesBetween(rules, one.box, next.box)) return 'rule';
    const height = Math.min(heightOf(one.box), heightOf(next.box));
    if (gapBetween(one.box, next.box) > widestBlank * height) return 'gap';
  }
  return null;
}

/** Poppler divides a text with much space between its lines. A line that starts with a small letter continues it. */
function joinBlocks(units: readonly Unit[], rules: Rules): Unit[] {
  const joined: Unit[] = [];
  for (const unit of units) {
    const { word } = unit.tokens[0]!;
    const above =
      /^\p{Ll}/u.test(word.text) && !isTurned(word)
        ? joined.findLast((other) => isNextLine(other, unit) && !crossesBetween(rules, other.box, unit.box))
        : undefined;
    if (!above) joined.push({ ...unit });
    else {
      above.tokens = [...above.tokens, ...unit.tokens];
      above.box = around([above.box, unit.box]);
    }
  }
  return joined;
}

function isNextLine(above: Unit, below: Unit): boolean {
  const [end, start] = [above.tokens.at(-1)!.word, below.tokens[0]!.word];
  const height = heightOf(start.box);
  const gap = start.box[1] - end.box[3];
  return (
    gap > -0.5 * height &&
    gap < 1.5 * height &&
    Math.abs(heightOf(end.box) - height) < 0.2 * height &&
    Math.abs(above.box[0] - below.box[0]) < 2 * height
  );
}

interface Line {
  tokens: Token[];
  box: Box;
}

/** Joins lines of a block that continue below. @param body the usual height of words on the page */
function unitsOfBlock(pieces: readonly Token[][], rules: Rules, borders: Border[], body: number): Unit[] {
  const units: Unit[] = [];
  const lines = pieces.map((tokens): Line => ({ tokens, box: around(tokens.map(({ word }) => word.box)) }));
  const open = new Map<Unit, Line>();
  for (const line of lines) {
    const above = [...open].find(([, last]) => isBelow(last.box, line.box));
    if (above) {
      open.delete(above[0]);
      const column = lines.filter(({ box }) => overlapsAcross(box, line.box));
      if (!isStack(column, body) && goesOn(above[1], line, around(column.map(({ box }) => box)), rules)) {
        above[0].tokens.push(...line.tokens);
        above[0].box = around([above[0].box, line.box]);
        open.set(above[0], line);
        continue;
      }
      borders.push({ before: above[1].tokens.at(-1)!, after: line.tokens[0]!, kind: 'line end' });
    }
    const unit = { tokens: [...line.tokens], box: line.box };
    units.push(unit);
    open.set(unit, line);
  }
  return units;
}

/** Short lines that begin with capital letters are labels, unless they are large, as the lines of a title are. */
function isStack(lines: readonly Line[], body: number): boolean {
  return lines.every(
    ({ tokens, box }) =>
      tokens.length <= 3 && heightOf(box) < 1.3 * body && /^\P{L}*\p{Lu}/u.test(tokens[0]!.word.text),
  );
}

/** Part of a line's height that is left for blanks and for uneven spacing. */
const slack = 0.35;

/** Whether a text continues in the next line: with a small letter, or because its next word had no room in this one. */
function goesOn(above: Line, below: Line, column: Box, rules: Rules): boolean {
  const [end, start] = [above.tokens.at(-1)!, below.tokens[0]!];
  if (isTurned(start.word)) return true;
  const [one, next] = [end.word.font, start.word.font];
  if (one && next && Math.max(one.size, next.size) > 1.2 * Math.min(one.size, next.size)) return false;
  if (crossesBetween(rules, above.box, below.box)) return false;
  const height = heightOf(below.box);
  if (below.box[1] - above.box[3] > 0.8 * height) return false;
  if (/^\p{Ll}/u.test(start.word.text)) return true;
  const room = isRightToLeft([start.word]) ? above.box[0] - column[0] : column[2] - above.box[2];
  return start.word.box[2] - start.word.box[0] + slack * height > room;
}

function isBelow(above: Box, below: Box): boolean {
  return below[1] > (above[1] + above[3]) / 2 && overlapsAcross(above, below);
}

function overlapsAcross(one: Box, other: Box): boolean {
  return Math.min(one[2], other[2]) > Math.max(one[0], other[0]);
}

/** Whether a word runs up or down the page. */
export function isTurned({ text, box: [left, top, right, bottom] }: Word): boolean {
  return text.length > 2 && bottom - top > 1.5 * (right - left);
}

/** The unit of another text that is at a place. */
export function unitAt(units: readonly Unit[], box: Box, own: Unit): Unit | null {
  const middle = centerOf(box);
  for (const unit of units) {
    if (unit === own) continue;
    const [left, top, right, bottom] = unit.box;
    if (middle[0] >= left && middle[0] <= right && middle[1] >= top && middle[1] <= bottom) return unit;
  }
  return null;
}
