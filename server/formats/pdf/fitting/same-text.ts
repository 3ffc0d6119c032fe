import { type InlineContent, joinStrings } from '../../inline-content.ts';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { intersection, transformRectangle } from '../geometry.ts';
import { openHyphen } from '../layout/vocabulary.ts';
import type { PageAnnotation } from '../page-content.ts';
import type { TextBlock } from '../text-block.ts';
import type { DrawnBlock } from './draw-block.ts';
import { type Fit, type Frame, lastBaselineOf, sourceLinesOf } from './fit.ts';
import { moved, type TextRotation } from './frames.ts';
import { canMove, drawLabel } from './moved-labels.ts';

/*
 * A text that is the same in both languages, such as a name or a dimension in a drawing, is not set again: its glyphs
 * stay. It moves up or down with its column, but never changes its lines, its size or its letters.
 */

/**
 * Whether a translation has the words and the marks of its source. Kinds of spaces do not count, nor does the hyphen of a
 * word that is divided at the end of a line: other pages can show that the word has this hyphen.
 *
 * @param source the source, with open hyphens
 */
export function isSameText(target: InlineContent, source: InlineContent): boolean {
  const [own, other] = [comparable(target), comparable(source)];
  let at = 0;
  for (const character of other)
    if (character !== openHyphen) {
      if (own[at] !== character) return false;
      at++;
    } else if (own[at] === '-') at++;
  return at === own.length;
}

/** Returns the characters and tags of a content, one a string. */
function comparable(content: InlineContent): string[] {
  const items = joinStrings(content).flatMap((item) =>
    typeof item === 'string' ? [...item.normalize().replace(/\s+/gu, ' ')] : `${item.type} ${item.tag}`,
  );
  const isBlank = (item: string | undefined) => item === ' ';
  while (isBlank(items[0])) items.shift();
  while (isBlank(items.at(-1))) items.pop();
  return items;
}

/**
 * Returns the frame of such a text. It stays at its place if its glyphs cannot be drawn at another one: those of a scan
 * or of a drawing lack a font, and links and rules belong to their place.
 */
export function keptFrame(frame: Frame, { glyphs, rules, spans, style }: TextBlock): Frame {
  if (!frame.stays) return frame;
  const isLinked = [style, ...spans.values()].some(({ decoration }) => decoration?.marks.length);
  const isMovable = canMove({ glyphs }) && glyphs.every(({ text }) => !text.shapes);
  return { ...frame, flows: frame.flows && isMovable && !isLinked && rules.length === 0 };
}

/** Returns the fit of such a text: the lines of its source. */
export function keptFit(frame: Frame): Fit {
  const { baseline, box, leading } = frame;
  const { left, right } = box;
  return { scale: 1, left, right, baseline, leading: leading.normal, lines: sourceLinesOf(frame) };
}

/** The distance up to which a text has not moved: it is too small to see, in em. */
const unmoved = 0.05;

/** Returns how far such a text has moved up with its column. */
export function riseOf({ baseline, size }: Frame, fit: Fit): number {
  const rise = fit.baseline - baseline;
  return Math.abs(rise) > unmoved * size ? rise : 0;
}

/** Returns the operators that draw the glyphs of such a text higher by `rise`. */
export function drawSame(
  block: TextBlock,
  frame: Frame,
  rise: number,
  rotation: TextRotation,
  fonts: DocumentFonts,
): DrawnBlock {
  const distance = frame.baseline - lastBaselineOf(frame);
  const step = distance / Math.max(1, frame.lines.length - 1);
  const lines = frame.lines.map(({ left, right }, index) => {
    const baseline = frame.baseline + rise - index * step;
    return {
      left,
      right,
      bottom: baseline - frame.descent,
      top: baseline + frame.box.top - frame.baseline,
    };
  });
  const shown = drawLabel(block, [0, rise], rotation, fonts);
  return { ...shown, box: moved(frame.box, 0, rise), lines, marks: [] };
}

/** Returns the areas of the links and markups of such a text, which stay. */
export function keptMarks(
  { matrix, box, spans, style }: TextBlock,
  annotations: readonly PageAnnotation[],
): DrawnBlock['marks'] {
  const marks = new Set([style, ...spans.values()].flatMap(({ decoration }) => decoration?.marks ?? []));
  const place = transformRectangle(matrix, box);
  return [...marks].flatMap((mark) => {
    const first = annotations.find(({ index }) => index === mark);
    return annotations
      .filter((one) => one === first || (first?.action && one.action === first.action))
      .flatMap(({ areas = [] }) => areas.flatMap((area) => intersection(area, place) ?? []))
      .map((box) => ({ mark, box }));
  });
}
