import { identity, type Matrix, type Rectangle } from '../geometry.ts';
import { black, type Color } from './color.ts';
import type { Stencil } from './interpretation.ts';
import { initialTextState, type TextState } from './text-operators.ts';

/** The parameters of PDF 32000-1, 8.4 and 9.3, as far as they say what is seen where. */
export interface GraphicsState extends TextState {
  ctm: Matrix;
  /** In the page's user space. Null: nothing can be seen. */
  clip: Rectangle | null;
  /** Whether the clip is exactly this rectangle. */
  isClipExact: boolean;
  fill: Color;
  stroke: Color;
  fillAlpha: number;
  /** The operators that set the alpha of fills in the page's own stream; empty if it is 1. */
  translucency: string;
  strokeAlpha: number;
  /** A soft mask, or a blend mode other than Normal. */
  isBlended: boolean;
  /** Whether it is painted into a group that hides what is below where it is painted. */
  isGroupOpaque: boolean;
  lineWidth: number;
  /** The letters that clip. What they cut off is not known, only whether anything is painted through them. */
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
