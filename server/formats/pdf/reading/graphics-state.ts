import type { PDFDict } from '@cantoo/pdf-lib';
import { identity, type Matrix, matrixOf, multiply, type Rectangle } from '../geometry.ts';
import { black, type Color } from './color.ts';
import type { ContentScanner } from './content-scanner.ts';
import type { Stencil, TextOperator } from './interpretation.ts';
import { Name } from './operand.ts';

/** The graphics parameters of PDF 32000-1, 8.4 and 9.3, that are needed to determine the visible content. */
export interface GraphicsState extends TextState {
  ctm: Matrix;
  /** The rectangle around the clip, in the page's user space. Null if nothing is visible. */
  clip: Rectangle | null;
  /** Whether the clip has exactly the area of this rectangle. */
  isClipExact: boolean;
  fill: Color;
  stroke: Color;
  fillAlpha: number;
  /** The operator that sets the alpha of fills in the page's content stream; empty if the alpha is 1. */
  translucency: string;
  strokeAlpha: number;
  /** Whether a soft mask, or a blend mode other than Normal, is set. */
  isBlended: boolean;
  /** Whether the group that is being painted hides the content below it. */
  isGroupOpaque: boolean;
  lineWidth: number;
  /**
   * Set if letters are a part of the clip. Their exact area is unknown, so only whether anything is painted through
   * them is recorded.
   */
  stencil: Stencil | undefined;
}

export function initialState(clip: Rectangle): GraphicsState {
  return {
    ...initialTextState,
    ctm: identity,
    clip,
    isClipExact: true,
    fill: black,
    stroke: black,
    fillAlpha: 1,
    translucency: '',
    strokeAlpha: 1,
    isBlended: false,
    isGroupOpaque: true,
    lineWidth: 1,
    stencil: undefined,
  };
}

/** The text parameters of PDF 32000-1, 9.3. */
interface TextState {
  font: PDFDict | undefined;
  fontSize: number;
  charSpacing: number;
  wordSpacing: number;
  /** The horizontal scaling; 1 is normal. */
  scaling: number;
  leading: number;
  rise: number;
  renderMode: number;
  /** The text line matrix. Each change of the position creates a new object, even if the matrix is equal. */
  lineMatrix: Matrix;
  /** The last text that was shown since the position was set. The next text starts at its end. */
  lastText: TextOperator | undefined;
}

const initialTextState: TextState = {
  font: undefined,
  fontSize: 0,
  charSpacing: 0,
  wordSpacing: 0,
  scaling: 1,
  leading: 0,
  rise: 0,
  renderMode: 0,
  lineMatrix: identity,
  lastText: undefined,
};

const parameters: Record<string, (state: TextState, value: number) => void> = {
  Tc: (state, value) => {
    state.charSpacing = value;
  },
  Tw: (state, value) => {
    state.wordSpacing = value;
  },
  Tz: (state, value) => {
    state.scaling = value / 100;
  },
  TL: (state, value) => {
    state.leading = value;
  },
  Ts: (state, value) => {
    state.rise = value;
  },
  Tr: (state, value) => {
    state.renderMode = value;
  },
};

/** The operators that set the text state or the text position, and those that show text. */
export const textOperators: ReadonlySet<string> = new Set([
  ...Object.keys(parameters),
  ...['BT', 'ET', 'Tf', 'Td', 'TD', 'Tm', 'T*', 'Tj', 'TJ', "'", '"'],
]);

/**
 * Applies a text operator to the text state.
 *
 * @returns the shown text: strings of character codes, and adjustments in thousandths of the font size; undefined if
 *   the operator shows no text
 */
export function applyTextOperator(
  scanner: ContentScanner,
  state: TextState,
  findFont: (name: string) => PDFDict | undefined,
): (Uint8Array | number)[] | undefined {
  const { operator, operands } = scanner;
  const set = parameters[operator];
  if (set !== undefined) {
    const value = scanner.numbers(1);
    if (value) set(state, value[0]!);
    return undefined;
  }
  switch (operator) {
    case 'BT':
      setPosition(state, identity);
      return undefined;
    case 'Tm': {
      const matrix = matrixOf(scanner.numbers(6));
      if (matrix) setPosition(state, matrix);
      return undefined;
    }
    case 'Tf': {
      const size = scanner.numbers(1);
      const name = operands.at(-2);
      if (size === undefined || !(name instanceof Name)) return undefined;
      state.font = findFont(name.value);
      state.fontSize = size[0]!;
      return undefined;
    }
    case 'Td':
    case 'TD': {
      const move = scanner.numbers(2);
      if (move === undefined) return undefined;
      if (operator === 'TD') state.leading = -move[1]!;
      nextLine(state, move[0]!, move[1]!);
      return undefined;
    }
    case 'T*':
      nextLine(state, 0, -state.leading);
      return undefined;
    case '"':
      if (operands.length < 3) return undefined;
      [state.wordSpacing, state.charSpacing] = spacings(operands.slice(-3), state);
      nextLine(state, 0, -state.leading);
      return shownPieces(scanner);
    case "'":
      if (operands.length === 0) return undefined;
      nextLine(state, 0, -state.leading);
      return shownPieces(scanner);
    case 'Tj':
    case 'TJ':
      return shownPieces(scanner);
    default:
      return undefined;
  }
}

function setPosition(state: TextState, matrix: Matrix): void {
  state.lineMatrix = matrix;
  state.lastText = undefined;
}

function nextLine(state: TextState, x: number, y: number): void {
  setPosition(state, multiply([1, 0, 0, 1, x, y], state.lineMatrix));
}

function spacings([word, char]: readonly unknown[], state: TextState): [word: number, char: number] {
  return [
    typeof word === 'number' ? word : state.wordSpacing,
    typeof char === 'number' ? char : state.charSpacing,
  ];
}

function shownPieces({ operands }: ContentScanner): (Uint8Array | number)[] | undefined {
  const shown = operands.at(-1);
  if (shown === undefined) return undefined;
  return (Array.isArray(shown) ? shown : [shown]).filter(
    (piece) => typeof piece === 'number' || piece instanceof Uint8Array,
  );
}
