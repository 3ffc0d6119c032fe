import { Bands, intersection, type Matrix, type Rectangle, transformRectangle } from '../../geometry.ts';
import type { PageContent, Paint } from '../../page-content.ts';
import { least } from '../../statistics.ts';
import type { Decoration, TextRule } from '../../text-block.ts';
import { isWhite, withoutHidden } from '../hidden-paints.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';
import type { Glyph } from '../pieces.ts';
import type { Rule } from '../rule-index.ts';

/** The maximum thickness of a rule, in points, and in em of a large text. */
const [maxThickness, maxThicknessInEm] = [2.5, 0.2];
/** The minimum length from which a rule is a line under or through words, in points. */
const minLength = 3;
/** The maximum distance between the ends of a rule and the ends of its words, in em. */
const slack = 0.35;
/** The maximum width of a space next to its words, in em. */
const maxSpace = 1.5;
/** The heights of an underline and of a strike-out above the baseline, in em. */
const underline = { from: -0.35, to: 0.05 };
const strikeOut = { from: 0.15, to: 0.4 };
/** The heights of the lower and the upper edge of a highlight above the baseline, in em. */
const highlight = { bottom: { from: -0.6, to: 0 }, top: { from: 0.55, to: 1.5 } };
/** The maximum thickness of a rule below any text, in points. */
const maxThickRule = 10;
/** The maximum height of a highlight, in points. */
const maxHighlight = 100;
/** The maximum width of a small drawing, in points. */
const maxDrawing = 30;
/** Black, and colors that look like it. */
const addressLike = /@|www\.|https?:/;
const black = /^(?:0(?:\.0\d*)? g|(?:0(?:\.0\d*)? ){3}rg|0 0 0 1 k)$/;

/** The decorations of the glyphs of a text, and the painted lines of which its rules consist. */
export interface Decorated {
  of: ReadonlyMap<Glyph, Decoration>;
  rules: Paint[];
}

interface Area {
  box: Rectangle;
  mark: number;
}

/** The links, markups and rules of a page, in the space of one text direction. */
export class Decorations {
  readonly #areas = new Bands<Area>();
  readonly #rules = new Bands<Rule>();
  readonly #fills = new Bands<Rule>();
  /** Small drawings, such as the cells of a postcode. */
  readonly #drawings = new Bands<Rectangle>();
  readonly #known = new Map<string, Decoration>();

  /** @param inverse maps the page's user space to the space of the text direction */
  constructor({ annotations, paints }: PageContent, inverse: Matrix) {
    let last: { action: string | undefined; mark: number } | undefined;
    for (const { areas, action, index } of annotations) {
      if (!areas || index === undefined) continue;
      const mark = action && action === last?.action ? last.mark : index;
      last = { action, mark };
      for (const area of areas) {
        const box = transformRectangle(inverse, area);
        this.#areas.add(box, { box, mark });
      }
    }
    // A line below a box that was painted later is not visible.
    for (const paint of withoutHidden(paints)) {
      if (paint.parts || paint.kind === 'image') continue;
      const box = transformRectangle(inverse, paint.box);
      const height = box.top - box.bottom;
      if (box.right - box.left < maxDrawing && height > maxThickness) this.#drawings.add(box, box);
      if (!paint.place || box.right - box.left < minLength || height > maxHighlight) continue;
      if (height <= maxThickRule) this.#rules.add(box, { box, paint });
      if (
        height > maxThickness &&
        paint.kind === 'fill' &&
        paint.opaque &&
        paint.color !== undefined &&
        !isWhite(paint)
      )
        this.#fills.add(box, { box, paint });
    }
  }

  /** Returns the decorations of a text. */
  of(lines: readonly TextLine[]): Decorated {
    const marks = new Map<Glyph, Set<number>>();
    const rules = new Map<Glyph, Map<string, TextRule>>();
    const paints = new Set<Paint>();
    const add = (paint: Paint, rule: TextRule, words: readonly Glyph[]): void => {
      paints.add(paint);
      for (const glyph of words)
        entry(rules, glyph, () => new Map<string, TextRule>()).set(keyOf(rule), rule);
    };
    let isUnderlined = false;
    for (const { paint, rule, words } of this.#highlightsOf(lines)) add(paint, rule, words);
    for (const [index, line] of lines.entries()) {
      const isInside = index < lines.length - 1 || isUnderlined || addressLike.test(line.text);
      isUnderlined = false;
      const glyphs = line.glyphs.filter(({ isBlank }) => !isBlank);
      for (const glyph of glyphs) {
        const [x, y] = [(glyph.left + glyph.right) / 2, line.baseline + 0.25 * line.size];
        for (const { box, mark } of this.#areas.near(y, y))
          if (box.left <= x && box.right >= x && box.bottom <= y && box.top >= y)
            entry(marks, glyph, () => new Set<number>()).add(mark);
      }
      const from = line.baseline + underline.from * line.size;
      for (const { box, paint } of this.#rules.near(from, line.baseline + strikeOut.to * line.size)) {
        const rule = ruleOf(box, paint, line);
        const words = rule && wordsOf(box, line.glyphs, line.size);
        if (!rule || !words) continue;
        // A line in another color is the border of a heading or a cell, unless it is under some words or under a link. A
        // border is below the last line.
        const isUnderSome =
          (lines.length > 1 && isInside) ||
          words.length < glyphs.length ||
          words.every((glyph) => marks.has(glyph));
        if (!isUnderSome && !isColorOf(paint, words[0]!)) continue;
        add(paint, rule, words);
        isUnderlined = true;
      }
    }
    const of = new Map<Glyph, Decoration>();
    for (const glyph of new Set([...marks.keys(), ...rules.keys()]))
      of.set(glyph, this.#decoration([...(marks.get(glyph) ?? [])], rules.get(glyph) ?? new Map()));
    return { of, rules: [...paints] };
  }

  /** Returns the filled boxes behind words. A box behind a text of one line is its background, which stays. */
  #highlightsOf(lines: readonly TextLine[]): { paint: Paint; rule: TextRule; words: Glyph[] }[] {
    return lines.flatMap((line) => {
      const { baseline, size } = line;
      const glyphs = line.glyphs.filter(({ isBlank }) => !isBlank);
      const first = least(glyphs.map(({ piece }) => piece.shown.order));
      return [...this.#fills.near(baseline, baseline)].flatMap(({ box, paint }) => {
        const isBehind =
          paint.order < first &&
          isBetween((box.bottom - baseline) / size, highlight.bottom) &&
          isBetween((box.top - baseline) / size, highlight.top);
        const words = isBehind ? wordsOf(box, line.glyphs, size) : undefined;
        if (!words || (lines.length === 1 && words.length === glyphs.length)) return [];
        return [{ paint, rule: ruleAt(box, paint, line), words }];
      });
    });
  }

  /** Returns the rules within a rectangle; with `isAlone`, only if no small drawing touches it. */
  rulesIn(area: Rectangle, isAlone = false): Rule[] {
    const { left, right, bottom, top } = area;
    if (isAlone && [...this.#drawings.near(bottom, top)].some((drawing) => intersection(drawing, area)))
      return [];
    return [...this.#rules.near(bottom, top)].filter(
      ({ box }) =>
        box.top - box.bottom <= maxThickness &&
        box.left >= left &&
        box.right <= right &&
        box.bottom >= bottom &&
        box.top <= top,
    );
  }

  #decoration(marks: readonly number[], rules: ReadonlyMap<string, TextRule>): Decoration {
    const key = [...marks, '', ...rules.keys()].join();
    return entry(this.#known, key, () => ({ key, marks, rules: [...rules.values()] }));
  }
}

/** Returns the rule that a painted line is for a line of text; undefined if the line is elsewhere. */
function ruleOf(box: Rectangle, paint: Paint, line: TextLine): TextRule | undefined {
  const { baseline, size, left, right } = line;
  const rise = ((box.bottom + box.top) / 2 - baseline) / size;
  const isThin = box.top - box.bottom <= Math.max(maxThickness, maxThicknessInEm * size);
  const isNear = isThin && (isBetween(rise, underline) || isBetween(rise, strikeOut));
  const isLonger = box.left < left - slack * size || box.right > right + slack * size;
  return isNear && !isLonger ? ruleAt(box, paint, line) : undefined;
}

function isBetween(value: number, { from, to }: { from: number; to: number }): boolean {
  return value >= from && value <= to;
}

function ruleAt(box: Rectangle, { color }: Paint, { baseline, size }: TextLine): TextRule {
  // Lines of one text have slightly different distances from their baselines.
  return {
    rise: Math.round((20 * ((box.bottom + box.top) / 2 - baseline)) / size) / 20,
    thickness: Math.max(0.02, Math.round((50 * (box.top - box.bottom)) / size) / 50),
    color,
  };
}

function keyOf({ rise, thickness, color }: TextRule): string {
  return `${rise} ${thickness} ${color ?? ''}`;
}

/**
 * Returns the glyphs over a rule that begins and ends with them, or with blanks next to them; undefined if the rule begins
 * or ends elsewhere, like the border of a table.
 */
function wordsOf({ left, right }: Rectangle, glyphs: readonly Glyph[], size: number): Glyph[] | undefined {
  const over = glyphs.filter((glyph) => {
    const middle = (glyph.left + glyph.right) / 2;
    return middle > left && middle < right;
  });
  const words = over.filter(({ isBlank }) => !isBlank);
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return undefined;
  // The spaces of a justified line are wider than their blanks.
  const others = glyphs.filter(({ isBlank }) => !isBlank);
  const [before, after] = [others[others.indexOf(first) - 1], others[others.indexOf(last) + 1]];
  const space = maxSpace * size;
  const start = before ? Math.max(before.right, over[0]!.left - space) : over[0]!.left;
  const end = after ? Math.min(after.left, over.at(-1)!.right + space) : over.at(-1)!.right;
  const near = slack * size;
  const isWhole =
    left > start - near && left < first.left + near && right > last.right - near && right < end + near;
  return isWhole ? words : undefined;
}

/** Whether a rule has the color of a glyph. A color that is not known counts as equal. */
function isColorOf({ color }: Paint, { piece }: Glyph): boolean {
  if (color === undefined) return true;
  const own = color.replace(black, '');
  return own === piece.style.color.replace(/^.* gs (?=\S)|^\S+ gs$/, '').replace(black, '');
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}
