import type { Line } from '../../typesetting/lines.ts';
import { apply, type Matrix, type Rectangle } from '../geometry.ts';
import { type Decoration, minHighlight } from '../text-block.ts';
import type { StyledSpan } from './styled-text.ts';

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
export function drawDecorations(
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
