import { identity, type Matrix, type Rectangle } from '../geometry.ts';
import { black, type Color } from './color.ts';
import type { Stencil } from './interpretation.ts';
import { initialTextState, type TextState } from './text-operators.ts';

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
