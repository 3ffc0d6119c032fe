import type { PDFRef } from '@cantoo/pdf-lib';
import type { DocumentFonts } from '../../typesetting/document-fonts.ts';
import { breakLines, type Line } from '../../typesetting/lines.ts';
import type { Cluster } from '../../typesetting/shaping.ts';
import { apply, type Matrix, type Rectangle, transformRectangle, union } from '../geometry.ts';
import { type Decoration, minHighlight } from '../text-block.ts';
import { type Fit, type Frame, isBeside, lineWidth, lineWidths } from './fit.ts';
import { drawMoved } from './moved-labels.ts';
import type { StyledSpan } from './styled-text.ts';

/** A block's translation as operators of a content stream. */
export interface DrawnBlock {
  operators: string;
  fonts: ReadonlyMap<string, PDFRef>;
  /** The rectangle around the drawn lines, in the space of the frame. */
  box: Rectangle;
  /** The rectangles of the drawn lines. */
  lines: Rectangle[];
  /** The rectangles of the words under links and markups, in the page's user space. */
  marks: { mark: number; box: Rectangle }[];
}

/** The width that is added to a space to justify a line, in em. If more is needed, letters become wider, then spaces. */
const usualPerSpace = 1;
/**
 * The same in a narrow column, such as a table cell, because its lines have few spaces: a space gets twice its usual
 * width.
 */
const narrow = { width: 20, perSpace: 0.3 };
/** The maximum width that is added to a space at all, in em. A line that would have larger holes is not justified. */
const maxPerSpace = 4;
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
    const perSpace = others < narrow.width ? narrow.perSpace : usualPerSpace;
    const isJustified = frame.alignment === 'justified' && !isMostlyLoose(lines, others);
    for (const [number, broken] of lines.entries()) {
      const isFirst = index === 0 && number === 0;
      const isNarrow = index === 0 && fit.beside && isBeside(fit.beside, number);
      const edges = edgesOf(frame, isNarrow ? { ...fit, ...fit.beside } : fit, isFirst);
      const wanted = (edges.right - edges.left) / em;
      const isLast = number === lines.length - 1 && !frame.continues;
      const line =
        isJustified && (!isLast || broken.width > wanted) ? justified(broken, wanted, perSpace) : broken;
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
 * Whether the spaces of at least half of the lines of a narrow column, apart from the last one, would become too wide.
 * Such a paragraph is not justified.
 */
function isMostlyLoose(lines: readonly Line[], width: number): boolean {
  const full = lines.slice(0, -1);
  const loose = full.filter((line) => {
    const spaces = clustersOf(line).filter(({ text }) => text === ' ').length;
    return width - line.width > spaces * narrow.perSpace;
  });
  return width < narrow.width && full.length > 0 && 2 * loose.length >= full.length;
}

const clustersOf = ({ runs }: Line): Cluster[] => runs.flatMap(({ clusters }) => clusters);

/**
 * Changes the width of a line to `width` by widening or narrowing its spaces, and its letters too if the spaces would
 * become too wide. In scripts without spaces between words, changes the distance between all characters. A line that
 * would have large holes stays unchanged.
 *
 * @param perSpace the width that is added to a space before letters become wider
 */
function justified(line: Line, width: number, perSpace: number): Line {
  const clusters = clustersOf(line);
  const added = width - line.width;
  const isBetween = clusters.some(({ text }) => withoutSpaces.test(text));
  const spaces = isBetween ? 0 : clusters.filter(({ text }) => text === ' ').length;
  const areSeparate = clusters.every(({ text }) => separate.test(text) || !/\p{L}/u.test(text));
  const most = isBetween ? maxPerCharacter : areSeparate ? maxPerLetter : 0;
  const gaps = Math.max(1, clusters.length - 1);
  const usual = spaces > 0 ? Math.min(perSpace, added / spaces) : 0;
  const toCluster = Math.min(most, (added - spaces * usual) / gaps);
  const rest = added - spaces * usual - gaps * toCluster;
  if (rest > 1e-6 && (spaces === 0 || usual + rest / spaces > maxPerSpace)) return line;
  const toSpace = spaces > 0 ? usual + rest / spaces : 0;
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

/** A part of a drawn line with one decoration. */
interface DecoratedPart {
  decoration: Decoration;
  color: string;
  left: number;
  right: number;
}

/** The position of a line on the page. */
interface LinePlace {
  left: number;
  baseline: number;
  /** The width and the height of an em, in points. */
  em: number;
  fontSize: number;
}

/** The rules of a line as operators, and the rectangles of the words under each link and markup. */
export interface DrawnDecorations {
  operators: string[];
  /** Those that are behind the text. */
  behind: string[];
  marks: { mark: number; box: Rectangle }[];
}

/** The height and the depth of a link's rectangle, in em. */
const [ascent, descent] = [0.85, 0.25];

/** Draws the rules of a line of text, and finds the places of its links and markups. */
function drawDecorations(
  line: Line,
  spans: readonly StyledSpan[],
  place: LinePlace,
  matrix: Matrix,
): DrawnDecorations {
  const drawn: DrawnDecorations = { operators: [], behind: [], marks: [] };
  const { baseline, fontSize } = place;
  for (const { decoration, color, left, right } of partsOf(line, spans, place)) {
    for (const { rise, thickness, color: own } of decoration.rules) {
      const bottom = baseline + (rise - thickness / 2) * fontSize;
      const box = { left, right, bottom, top: bottom + thickness * fontSize };
      const operators = thickness > minHighlight ? drawn.behind : drawn.operators;
      operators.push(`${(own ?? color) || '0 g'} ${filled(box, matrix)}`);
    }
    const box = { left, right, bottom: baseline - descent * fontSize, top: baseline + ascent * fontSize };
    for (const mark of decoration.marks) drawn.marks.push({ mark, box });
  }
  return drawn;
}

/**
 * Returns the decorated parts of a line from the left, without spaces at their ends. Adjacent runs with the same
 * decoration are one part.
 */
function partsOf({ runs }: Line, spans: readonly StyledSpan[], { left, em }: LinePlace): DecoratedPart[] {
  const parts: DecoratedPart[] = [];
  let x = left;
  let open: DecoratedPart | undefined;
  for (const { clusters, span } of runs) {
    const { decoration, color } = spans[span] ?? {};
    if (open?.decoration.key !== decoration?.key) open = undefined;
    for (const { advance, scale, text } of clusters) {
      const end = x + em * advance * scale;
      if (decoration && text !== ' ') {
        if (!open) {
          open = { decoration, color: color ?? '', left: x, right: end };
          parts.push(open);
        }
        open.right = end;
      }
      x = end;
    }
  }
  return parts;
}

/** Returns the operators that fill a rectangle. The matrix maps its space to the page's user space. */
export function filled({ left, bottom, right, top }: Rectangle, matrix: Matrix): string {
  const corners = [
    apply(matrix, left, bottom),
    apply(matrix, right, bottom),
    apply(matrix, right, top),
    apply(matrix, left, top),
  ].map((point) => point.map((value) => Number(value.toFixed(3))).join(' '));
  return `${corners[0]} m ${corners.slice(1).join(' l ')} l h f`;
}
