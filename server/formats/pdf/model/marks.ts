import { type Frame, lastBaselineOf } from '../fitting/fit.ts';
import type { TextRotation } from '../fitting/frames.ts';
import { shareOfBlank } from '../fitting/leaders.ts';
import {
  Bands,
  holds,
  invert,
  type Matrix,
  overlaps,
  type Rectangle,
  transformRectangle,
  union,
  widen,
} from '../geometry.ts';
import type { KeptText } from '../layout/content/kept-text.ts';
import { middleOfLetters } from '../layout/form-fields.ts';
import { isDrawnBullet } from '../layout/paragraphs/drawn-bullets.ts';
import type { PageAnnotation, Paint } from '../page-content.ts';

/**
 * A drawn object or an untranslated text that belongs to a text and moves with it, or the form field after its label,
 * which only becomes shorter.
 */
export interface Mark {
  object: Paint | KeptText | PageAnnotation;
  /** The area of the object, in the rotated space of its text. */
  box: Rectangle;
  /** A bullet belongs to the first line of its text, a rule below a heading to the last line. */
  line: 'first' | 'last';
}

/** The maximum thickness of a rule in points, and its minimum length and its maximum distance from its text, in em. */
const rule = { thickness: 2.5, length: 3, below: 1.8, above: 2.2 };
/** How far before the end of its label a blank to fill in may start, in em: a colon and a space can be underlined too. */
const intoLabel = 0.6;
/**
 * The maximum distance of an untranslated text from the line above it, the line below it, the text behind it, and the same
 * baseline, in em, and the distance from which two texts on a line are apart, in points.
 */
const kept = { below: 2.2, above: 1.7, outdent: 6, sameBaseline: 0.15, apart: 100 };
/** The minimum length of a blank that can become shorter, in em. */
const leastChanged = 6;
/**
 * The share of its length that a field keeps at least, its minimum length and the width of its characters, in em. The
 * distance of a field from its label.
 */
const ofField = { share: 0.75, length: 10, character: 0.56, distance: 10 };
/** The maximum height of a mark, in points. */
const maxHeight = 32;
/** The maximum number of high objects that are compared with rules. A page with more of them is a drawing. */
const maxGrid = 500;

interface Placed {
  object: Mark['object'];
  box: Rectangle;
}

/**
 * Finds what moves with each text, by its id: the drawn bullets of list items, the rules below or above texts, and
 * untranslated lines such as a year below a heading.
 *
 * @param texts the untranslated texts of the page that are not in cells, and the bullets of untranslated items. Formulas do
 *   not move
 * @param frames the texts
 */
export function marksOf(
  paints: readonly Paint[],
  texts: readonly KeptText[],
  frames: readonly Frame[],
  { fromPage }: TextRotation,
): Map<string, Mark[]> {
  const grid = paints
    .filter(({ kind }) => kind !== 'image')
    .map((paint) => ({ paint, box: transformRectangle(fromPage, paint.box) }))
    .filter(({ box }) => box.top - box.bottom > rule.thickness);
  const placed = <T extends Mark['object']>(object: T) => ({
    object,
    box: transformRectangle(fromPage, object.box),
  });
  // In a much larger space, a rounded distance would not be exact.
  const isExact = (ctm: Matrix) => invert(ctm) && ctm.slice(0, 4).every((value) => Math.abs(value) < 1000);
  const isShape = ({ kind, parts }: Paint) => kind === 'fill' || (kind === 'stroke' && !parts);
  const movable = paints.filter((paint) => paint.ctm && isExact(paint.ctm) && isShape(paint));
  const placedTexts = texts.map(placed);
  const [signs, lines] = [true, false].map((isLabel) =>
    placedTexts.filter(({ object: { reason } }) => isLabel === (reason === 'label')),
  ) as [(Placed & { object: KeptText })[], (Placed & { object: KeptText })[]];
  const bands = new Bands<Placed>();
  for (const one of [...movable.map(placed), ...lines])
    if (one.box.top - one.box.bottom <= maxHeight) bands.add(one.box, one);
  const near = (bottom: number, top: number) => [...bands.near(bottom, top)];
  /**
   * Whether no other object touches a rule, as in a table or in a frame with corners, and whether a text is the only one
   * near it on its line.
   */
  const isApart = ({ object, box }: Placed): boolean =>
    'kind' in object
      ? grid.length <= maxGrid && !grid.some((other) => other.paint !== object && touches(other.box, box))
      : !near(box.bottom, box.top).some(
          (other) =>
            'reason' in other.object &&
            other.object !== object &&
            isOnLine(other.box, box) &&
            gapBetween(other.box, box) < kept.apart,
        );
  const apart = new Map<Mark['object'], boolean>();
  const rows = Map.groupBy(frames, ({ baseline }) => Math.round(baseline));
  const years = new Set(labelsBefore(lines, frames));
  const nearest = new Map<Mark['object'], { id: string; distance: number; mark: Mark }>();
  const offer = ({ object, box }: Placed, id: string, distance: number, line: Mark['line']): void => {
    const known = nearest.get(object);
    if (!known || distance < known.distance)
      nearest.set(object, { id, distance, mark: { object, box, line } });
  };
  for (const frame of frames) {
    const { baseline, id, size } = frame;
    const bullets = near(baseline, baseline + size).filter(
      ({ object, box }) =>
        'order' in object && isDrawnBullet(object, box, { ...frame, left: frame.box.left }),
    );
    // Several objects at different places are a drawing. An item outside of a table may look like a cell.
    const isOne = frame.flows && bullets.every((one) => Math.abs(one.box.left - bullets[0]!.box.left) < size);
    if (isOne) for (const object of bullets) offer(object, id, 0, 'first');
    for (const object of near(lastBaselineOf(frame) - kept.below * size, baseline + rule.above * size)) {
      const isText = 'reason' in object.object;
      if (isText && isFixed(frame)) continue;
      if (years.has(object)) {
        if (isBefore(object, frame)) offer(object, id, frame.box.left - object.box.right, 'first');
        continue;
      }
      const place = isText ? placeOfText(object, frame) : placeOfRule(object, frame);
      // A text of a row with several texts is a cell.
      const isCell = isText && place?.line === 'first' && rows.get(Math.round(baseline))!.length > 1;
      if (!place || isCell) continue;
      if (!apart.has(object.object)) apart.set(object.object, isApart(object));
      if (apart.get(object.object)) offer(object, id, place.distance, place.line);
    }
  }
  // The rule below or above a text that does not move stays there too.
  const fixed = new Set(frames.flatMap((frame) => (isFixed(frame) ? frame.id : [])));
  for (const [object, { id, distance, mark }] of nearest)
    if (fixed.has(id) && (mark.line === 'last' || distance > 0)) nearest.delete(object);
  const marks = new Map<string, Mark[]>();
  // The bullet of an untranslated item moves with it, and its underline.
  for (const { id, mark } of [...nearest.values()])
    if ('reason' in mark.object) {
      const { bottom, top } = mark.box;
      const bullets = signs.filter(
        ({ box }) => isOnLine(box, mark.box) && gapBetween(box, mark.box) < rule.length * (top - bottom),
      );
      const lines = near(bottom, top).filter(
        ({ object, box }) =>
          'kind' in object && box.top - box.bottom <= rule.thickness && isWithin(box, mark.box),
      );
      for (const { object, box } of [...bullets, ...lines])
        nearest.set(object, { id, distance: 0, mark: { ...mark, object, box } });
    }
  for (const { id, mark } of nearest.values()) marks.set(id, [...(marks.get(id) ?? []), mark]);
  return marks;
}

/**
 * Finds the field after each label of a form: an empty field on the same line, which can become shorter.
 *
 * @returns the fields by the ids of their labels
 */
export function fieldsOf(
  annotations: readonly PageAnnotation[],
  frames: readonly Frame[],
  { fromPage }: TextRotation,
): Map<string, Mark> {
  const labels = new Bands<Frame>();
  for (const frame of frames) if (frame.singleLine) labels.add(frame.box, frame);
  const fields = new Map<string, Mark>();
  for (const object of annotations.filter(({ isBlank }) => isBlank)) {
    const box = transformRectangle(fromPage, object.box);
    const isLabel = ({ baseline, box: { right }, size }: Frame) => {
      const middle = baseline + middleOfLetters * size;
      const gap = box.left - right;
      const isAfter = gap > -intoLabel * size && gap < ofField.distance * size;
      return (
        isAfter && box.bottom < middle && box.top > middle && box.right - box.left > leastOf(object, size)
      );
    };
    if (box.top - box.bottom > maxHeight) continue;
    const found = [...labels.near(box.bottom, box.top)].filter(isLabel);
    const [label] = found.sort((one, other) => other.box.right - one.box.right);
    if (label && !fields.has(label.id)) fields.set(label.id, { object, box, line: 'first' });
  }
  return fields;
}

/** Whether an object touches a rule. The ground of a page or of a box does not, if the rule is within it. */
function touches(object: Rectangle, box: Rectangle): boolean {
  return overlaps(widen(object, rule.thickness), box) && !holds(widen(object, -rule.thickness), box);
}

/** Returns the untranslated texts of columns in which each stands before the first line of a text, such as years. */
function labelsBefore(lines: readonly Placed[], frames: readonly Frame[]): Placed[] {
  const movable = new Bands<Frame>();
  for (const frame of frames) if (!isFixed(frame)) movable.add(frame.box, frame);
  const isLabel = (text: Placed) =>
    [...movable.near(text.box.bottom, text.box.top)].some((frame) => isBefore(text, frame));
  return [...Map.groupBy(lines, ({ box }) => Math.round(box.left)).values()]
    .filter((column) => column.length > 1 && column.every(isLabel))
    .flat();
}

/** Whether an untranslated text is before a text, on its first line. */
function isBefore({ object, box }: Placed, { baseline, box: { left }, size }: Frame): boolean {
  const isOnFirst = Math.abs(baselineOf(object as KeptText, box) - baseline) < kept.sameBaseline * size;
  return isOnFirst && box.right < left && left - box.right < kept.outdent * size;
}

/** Whether a text does not move. Only a blank to fill in can belong to it. */
function isFixed({ flows, isCell }: Frame): boolean {
  return isCell || !flows;
}

/** Whether the middle of an area is on the line of another one. */
export function isOnLine(own: Rectangle, { bottom, top }: Rectangle): boolean {
  const middle = (own.bottom + own.top) / 2;
  return bottom < middle && top > middle;
}

/** Whether an area is not wider than another one, and on its line. */
function isWithin(own: Rectangle, other: Rectangle): boolean {
  return own.left > other.left - 1 && own.right < other.right + 1 && isOnLine(own, other);
}

/** Returns the horizontal distance between two areas, in points. */
function gapBetween(one: Rectangle, other: Rectangle): number {
  return Math.max(one.left - other.right, other.left - one.right);
}

type Place = { distance: number; line: Mark['line'] } | undefined;

function placeOfRule({ box: { left, right, bottom, top } }: Placed, frame: Frame): Place {
  const { baseline, box, singleLine, size } = frame;
  const into = (top - bottom > rule.thickness ? 0.2 : intoLabel) * size;
  const isBeside = singleLine && left > box.right - into && left < box.right + rule.length * size;
  if (isBeside && bottom > baseline - 0.4 * size && top < baseline + 0.8 * size)
    return { distance: 0, line: 'first' };
  const isOver = Math.min(right, box.right) - Math.max(left, box.left) > (box.right - box.left) / 2;
  if (!isOver || top - bottom > rule.thickness || right - left < rule.length * size) return undefined;
  const [below, above] = [lastBaselineOf(frame) - top, bottom - baseline - 0.7 * size];
  if (below > -0.4 * size && below < rule.below * size) return { distance: Math.max(0, below), line: 'last' };
  return above > 0 && above < rule.above * size ? { distance: above, line: 'first' } : undefined;
}

/** Returns the place of an untranslated text that is the next line, the only text after a single line, or in front of a text. */
function placeOfText({ object, box }: Placed, frame: Frame): Place {
  if ((object as KeptText).reason === 'formula') return undefined;
  const { alignment, baseline, box: own, singleLine, size } = frame;
  const base = baselineOf(object as KeptText, box);
  const outdent = own.left - box.left;
  if (Math.abs(base - baseline) < kept.sameBaseline * size) {
    const distance = Math.max(box.left - own.right, own.left - box.right);
    // A period in front of an entry moves with it, whatever the number of its lines is.
    const isNear = outdent > 0 ? distance < kept.outdent * size : singleLine;
    return isNear && distance > 0 ? { distance, line: 'first' } : undefined;
  }
  const above = base - baseline;
  if (above > 0.5 * size && above < kept.above * size && outdent > size && outdent < kept.outdent * size)
    return { distance: above, line: 'first' };
  const below = lastBaselineOf(frame) - base;
  const isBelow = below > 0.5 * size && below < kept.below * size;
  // A number that is centered below a paragraph is that of the page.
  const isAligned =
    alignment === 'center' || Math.min(Math.abs(box.left - own.left), Math.abs(box.right - own.right)) < size;
  const isOver = box.right > own.left && box.left < own.right;
  return isBelow && isOver && isAligned ? { distance: below, line: 'last' } : undefined;
}

/** Returns the baseline of an untranslated text, from the depth of its font. */
function baselineOf({ glyphs }: KeptText, { bottom, top }: Rectangle): number {
  const { ascent, descent } = glyphs[0]!.text.font;
  return bottom + ((top - bottom) * descent) / (ascent + descent || 1);
}

/**
 * Returns the length that remains of a line after a text, if the line becomes shorter when the translation is longer; else
 * undefined. The line fills the rest of a heading's line, or is a blank to fill in, of which most stays free.
 */
function restOfLine({ object, box, line }: Mark, { box: own, isHeading, singleLine, size }: Frame) {
  const length = box.right - box.left;
  const isAfter = line === 'first' && box.left > own.right - intoLabel * size;
  if (!isAfter || !singleLine) return undefined;
  if (isField(object)) return Math.max(leastOf(object, size), ofField.share * length);
  const isLong = length > leastChanged * size;
  if (!(isLong && box.top - box.bottom <= rule.thickness && isKnown(object))) return undefined;
  return Math.max(leastOfLine * size, isHeading ? 0 : shareOfBlank * length);
}

/** Returns the minimum length of a field, in points. */
function leastOf({ maxLength = 0 }: PageAnnotation, size: number): number {
  return Math.max(ofField.length, ofField.character * maxLength) * size;
}

export function isField(object: Mark['object']): object is PageAnnotation {
  return 'kind' in object && object.kind === 'widget';
}

/** Whether an object can be removed and drawn again. */
function isKnown(object: Mark['object']): boolean {
  return 'place' in object && object.place !== undefined && object.color !== undefined;
}

/**
 * In em: the maximum distance from the end of a text to the line after it, the minimum length of that line, and the
 * maximum distance between the ends of a text and those of the line below it.
 */
const [beforeLine, leastOfLine, sameEnd] = [0.3, 2, 0.1];

/**
 * Returns the area of a line that must be drawn again: a line after a longer heading becomes shorter, and a line below a
 * single line, from its start to its end, gets the width of the translation.
 *
 * @param drawn the area of the translation
 */
export function redrawn(mark: Mark, frame: Frame, drawn: Rectangle): Rectangle | undefined {
  const { box, object, line } = mark;
  const { box: own, singleLine, size } = frame;
  const rest = restOfLine(mark, frame);
  if (rest !== undefined) {
    const left = drawn.right + Math.max(0, Math.min(beforeLine * size, box.left - own.right));
    return left > box.left ? { ...box, left: Math.min(left, box.right - rest) } : undefined;
  }
  const [before, after] = [box.left - own.left, box.right - own.right];
  const isUnder = singleLine && line === 'last' && box.top - box.bottom <= rule.thickness && isKnown(object);
  if (!isUnder || Math.max(Math.abs(before), Math.abs(after)) > sameEnd * size) return undefined;
  return { ...box, left: drawn.left + before, right: drawn.right + after };
}

/** Keeps a text next to its bullet and before or above the other marks. */
export function besideMarks(frame: Frame, marks: readonly Mark[]): Frame {
  const { bounds, box, isItem, size } = frame;
  const below = marks.filter(({ line }) => line === 'last').map((mark) => mark.box);
  const after = marks.flatMap((mark) => {
    const rest = restOfLine(mark, frame);
    if (rest !== undefined) return mark.box.right - rest;
    return mark.line === 'first' && mark.box.left > box.right ? mark.box.left : [];
  });
  const before = marks.filter(({ box: own, line }) => line === 'first' && own.right < box.left + 0.1 * size);
  return {
    ...frame,
    // A field stays at its height.
    flows: frame.flows && !marks.some(({ object }) => isField(object)),
    isItem: isItem || before.some(({ object }) => 'kind' in object),
    ...(before.length > 0 && { labelLeft: Math.min(...before.map((mark) => mark.box.left)) }),
    bounds: {
      ...bounds,
      ...(before.length > 0 && { left: box.left }),
      right: Math.max(
        box.right,
        Math.min(
          bounds.right,
          ...after.map((left) => left - Math.min(0.6 * size, Math.max(0.15 * size, left - box.right))),
        ),
      ),
    },
    ...(below.length > 0 && { below: below.reduce(union) }),
  };
}

/** The maximum distance from the baseline of a cell to the rule below it, in em, and how far a cell may extend over the ends of the rule, in points. */
const [belowCell, besideRule] = [0.9, 1];

/** The share to which the letters of a title may be condensed, so that it stays over its rule. */
const condensedTitle = 0.85;
/** The maximum distance between the middles of a title and its rule, and how much longer the rule is, if they are centered, in em. */
const centred = { middle: 0.3, longer: 1 };

/**
 * Keeps the cells of a table that has only horizontal rules over the rule below them: its ends are those of the column.
 * A cell that has too little space there may use more. A title stays over a longer rule if it has space there.
 */
export function aboveRules(
  frames: readonly Frame[],
  paints: readonly Paint[],
  { fromPage }: TextRotation,
): Frame[] {
  const rules = new Bands<Rectangle>();
  for (const { box, kind } of frames.some(({ isCell, isHeading }) => isCell || isHeading) ? paints : []) {
    const own = transformRectangle(fromPage, box);
    if (kind !== 'image' && own.top - own.bottom <= rule.thickness) rules.add(own, own);
  }
  return frames.map((frame) => {
    const { baseline, bounds, box, container, isCell, isHeading, singleLine, size, stretch, text } = frame;
    const isTitle = isHeading && singleLine;
    if (container || !(isCell || isTitle)) return frame;
    const over = [...rules.near(baseline - belowCell * size, baseline)].filter(
      ({ left, right, top }) =>
        top < baseline &&
        top > baseline - belowCell * size &&
        left < box.left + besideRule &&
        right > box.right - besideRule,
    );
    if (over.length === 0) return frame;
    const left = Math.max(bounds.left, Math.min(box.left, ...over.map((own) => own.left)));
    const right = Math.min(bounds.right, Math.max(box.right, ...over.map((own) => own.right)));
    if (isTitle && condensedTitle * size * stretch * text.paragraphs[0]!.width > right - left) return frame;
    const isCentred = over.some(
      (own) =>
        Math.abs(own.left + own.right - box.left - box.right) < 2 * centred.middle * size &&
        own.right - own.left - box.right + box.left > centred.longer * size,
    );
    const alignment = isTitle && isCentred ? 'center' : frame.alignment;
    return { ...frame, alignment, bounds: { ...bounds, left, right }, uncut: frame };
  });
}
