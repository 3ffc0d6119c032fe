import { identity, type Matrix, type Rectangle } from '../geometry.ts';
import { black, type Color } from './color.ts';
import type { Stencil } from './interpretation.ts';
import { initialTextState, type TextState } from './text-operators.ts';

/** The parameters of PDF 32000-1, 8.4 and 9.3, as far as they determine the visible content. */
export interface GraphicsState extends TextState {
  ctm: Matrix;
  /** In the page's user space. Null if nothing is visible. */
  clip: Rectangle | null;
  /** Whether the clip is exactly this rectangle. */
  isClipExact: boolean;
  fill: Color;
  stroke: Color;
  fillAlpha: number;
  /** The operators that set the alpha of fills in the page's stream; empty if it is 1. */
  translucency: string;
  strokeAlpha: number;
  /** Whether it has a soft mask, or a blend mode other than Normal. */
  isBlended: boolean;
  /** Whether it is painted into a group that hides the content below. */
  isGroupOpaque: boolean;
  lineWidth: number;
  /** The letters that clip. Their exact area is unknown; the state only records whether anything is painted through them. */
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
