import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { breakLines, type Line } from '../../typesetting/lines.ts';
import { apply, type Matrix, type Rectangle, transformRectangle, union } from '../geometry.ts';
import { drawDecorations } from './draw-decorations.ts';
import { type Fit, type Frame, lineWidth, lineWidths } from './fit.ts';
import { drawMoved } from './moved-glyphs.ts';

/** A block's translation as operators of a content stream. */
export interface DrawnBlock {
  operators: string;
  fonts: Map<string, PDFRef>;
  /** The rectangle around the drawn lines, in the space of the frame. */
  box: Rectangle;
  /** The rectangles of the drawn lines. */
  lines: Rectangle[];
  /** The rectangles of the words under links and markups, in the page's user space. */
  marks: { mark: number; box: Rectangle }[];
}

/**
 * The maximum width that is added to a space to justify a line, in em. A wider space would look like a hole, so the
 * letters get the rest. If they cannot, the line is not justified.
 */
const maxPerSpace = 1;
/**
 * The same in a narrow column, such as a table cell, because its lines have few spaces: a space gets twice its usual
 * width at most. A paragraph is not justified if this affects at least half of its lines.
 */
const narrow = { width: 20, maxPerSpace: 0.3 };
/**
 * The maximum width that is added to each character to justify a line in a script without spaces between words, in em.
 */
const maxPerCharacter = 0.12;
const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** The maximum width that is added to each letter if the spaces of a line cannot be wider, in em. */
const maxPerLetter = 0.03;
/** A letter of a script in which the letters of a word are not connected. */
const separate = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Armenian}]/u;

/**
 * Returns the operators that draw the lines of a fitted text.
 *
 * @param matrix maps the frame's space to the page's user space
 */
export function drawBlock(frame: Frame, fit: Fit, matrix: Matrix, fonts: DocumentFonts): DrawnBlock {
  const fontSize = frame.size * fit.scale;
  const em = fontSize * frame.stretch;
  const { others } = lineWidth(frame, fit);
  const operators: string[] = [];
  const behind: string[] = [];
  const used = new Map<string, PDFRef>();
  const rectangles: Rectangle[] = [];
  const marks: DrawnBlock['marks'] = [];
  let { baseline } = fit;
  for (const [index, { shaped, spans, moved }] of frame.text.paragraphs.entries()) {
    const lines = breakLines(shaped, lineWidths(frame, fit, index === 0));
    const limit = others < narrow.width ? narrow.maxPerSpace : maxPerSpace;
    const isJustified = frame.alignment === 'justified' && !isMostlyLoose(lines, others, limit);
    for (const [number, broken] of lines.entries()) {
      const isFirst = index === 0 && number === 0;
      const isBeside = index === 0 && number < (fit.beside?.lines ?? 0);
      const edges = edgesOf(frame, isBeside ? { ...fit, right: fit.beside!.right } : fit, isFirst);
      const wanted = (edges.right - edges.left) / em;
      const isLast = number === lines.length - 1;
      const line =
        isJustified && (!isLast || broken.width > wanted)
          ? justified(broken, wanted, limit, maxPerLetter)
          : broken;
      const width = line.width * em;
      const left = leftOf(frame, edges, width);
      const [e, f] = apply(matrix, left, baseline);
      const [a, b, c, d] = matrix;
      const drawBox = (span: number, x: number) => {
        const at = apply(matrix, left + x * fontSize * frame.stretch, baseline);
        const place = { at, scale: fit.scale, stretch: frame.stretch, matrix };
        return moved[span] && drawMoved(moved[span], place, fonts);
      };
      const shown = fonts.show(line, {
        fontSize,
        matrix: [a * frame.stretch, b * frame.stretch, c, d, e, f],
        spans,
        drawBox,
      });
      if (shown.operators) operators.push(shown.operators);
      const decorations = drawDecorations(line, spans, { left, baseline, em, fontSize }, matrix);
      operators.push(...decorations.operators);
      behind.push(...decorations.behind);
      for (const { mark, box } of decorations.marks)
        marks.push({ mark, box: transformRectangle(matrix, box) });
      for (const [name, ref] of shown.fonts) used.set(name, ref);
      const drawn = {
        left,
        right: left + width,
        bottom: baseline - frame.descent * fit.scale,
        top: baseline + (frame.box.top - frame.baseline) * fit.scale,
      };
      if (shown.operators) rectangles.push(drawn);
      baseline -= fit.leading;
    }
  }
  return {
    operators: [...behind, ...operators].join('\n'),
    fonts: used,
    box: rectangles.length > 0 ? rectangles.reduce(union) : frame.box,
    lines: rectangles,
    marks,
  };
}

/** Returns the left and right edge of a line, without its indent. */
function edgesOf({ indent, rightToLeft, size }: Frame, { left, right, scale }: Fit, isFirst: boolean) {
  const space = Math.max(0, isFirst ? indent : -indent) * size * scale;
  return rightToLeft ? { left, right: right - space } : { left: left + space, right };
}

function leftOf(
  { alignment, rightToLeft }: Frame,
  { left, right }: { left: number; right: number },
  width: number,
): number {
  if (alignment === 'center') return (left + right - width) / 2;
  return alignment === 'right' || (alignment === 'justified' && rightToLeft) ? right - width : left;
}

/**
 * Whether the spaces of at least half of the lines, apart from the last one, would become too wide. Such a paragraph
 * does not get wider letters, because they would be wider almost everywhere.
 */
function isMostlyLoose(lines: readonly Line[], width: number, perSpace: number): boolean {
  const full = lines.slice(0, -1);
  const loose = full.filter((line) => line.width < width && justified(line, width, perSpace, 0) === line);
  return full.length > 0 && 2 * loose.length >= full.length;
}

/**
 * Changes the width of a line to `width` by widening or narrowing its spaces, and its letters too if the spaces would
 * become too wide. In scripts without spaces between words, changes the distance between all characters.
 *
 * @param perSpace the maximum width that is added to a space, apart from that added to each letter
 * @param perLetter the maximum width that is added to each letter. The line stays unchanged if more is needed
 */
function justified(line: Line, width: number, perSpace: number, perLetter: number): Line {
  const clusters = line.runs.flatMap((run) => run.clusters);
  const added = width - line.width;
  const isBetween = clusters.some(({ text }) => withoutSpaces.test(text));
  const spaces = isBetween ? 0 : clusters.filter(({ text }) => text === ' ').length;
  const toSpace = spaces > 0 ? Math.min(perSpace, added / spaces) : 0;
  const rest = spaces > 0 && toSpace < perSpace ? 0 : added - spaces * toSpace;
  const toCluster = clusters.length < 2 ? 0 : rest / (clusters.length - 1);
  const areSeparate = clusters.every(({ text }) => separate.test(text) || !/\p{L}/u.test(text));
  const most = isBetween ? maxPerCharacter : areSeparate ? perLetter : 0;
  if (clusters.length < 2 || toCluster > most) return line;
  let seen = 0;
  const runs = line.runs.map((run) => ({
    ...run,
    clusters: run.clusters.map((cluster) => {
      seen++;
      const wider = (cluster.text === ' ' ? toSpace : 0) + (seen === clusters.length ? 0 : toCluster);
      return wider === 0 ? cluster : { ...cluster, advance: cluster.advance + wider / cluster.scale };
    }),
  }));
  return { ...line, runs, width };
}
