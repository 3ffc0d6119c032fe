import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { loadPdfjs } from '../../pdfjs/budget.ts';

/** A glyph of a text, as pdf.js decodes it. */
export interface PdfjsGlyph {
  originalCharCode: number;
  unicode: string;
  /** The width in glyph space, which is in thousandths of an em, except in Type 3 fonts. */
  width: number;
  vmetric: [advance: number, x: number, y: number] | null;
  isSpace: boolean;
  /** The private character by which pdf.js finds the outline of the glyph. */
  fontChar: string;
  /** False if the font has no glyph with an outline for the code. */
  isInFont?: boolean;
  /** Whether the font draws nothing for the code. */
  isEmpty?: boolean;
  /** The outline: operators of pdf.js, each with its operands in em. */
  outline?: ArrayLike<number>;
  /** Whether the font gives no meaning to its codes, so that the character is only the code. */
  isGuess?: boolean;
}

/** The properties of a font, as pdf.js reports them. */
export interface PdfjsFont {
  name: string;
  loadedName: string;
  fontMatrix: number[];
  bbox: number[] | undefined;
  ascent: number | undefined;
  descent: number | undefined;
  bold: boolean;
  black: boolean;
  italic: boolean;
  vertical: boolean;
  isMonospace: boolean;
  isSerifFont: boolean;
  isSymbolicFont: boolean;
  isType3Font: boolean;
  composite: boolean;
}

/** A text operator in the operator list of pdf.js. */
export interface PdfjsText {
  /** The shown glyphs; numbers are adjustments, as in the operator TJ. */
  glyphs: (PdfjsGlyph | number)[];
  /** The font; undefined if pdf.js cannot read it. */
  font: PdfjsFont | undefined;
  /** The fill color as `#rrggbb`; null for a pattern. */
  fill: string | null;
  stroke: string | null;
}

interface PdfjsState {
  font: string;
  fill: string | null;
  stroke: string | null;
}

/** Reads the text operators of a page and of its forms in painting order. */
export async function readPdfjsTexts(page: PDFPageProxy): Promise<PdfjsText[]> {
  const { AnnotationMode, OPS } = await loadPdfjs();
  const { fnArray, argsArray } = await page.getOperatorList({ annotationMode: AnnotationMode.DISABLE });
  const found: (Omit<PdfjsText, 'font'> & { font: string })[] = [];
  const saved: PdfjsState[] = [];
  let state: PdfjsState = { font: '', fill: '#000000', stroke: '#000000' };
  /**
   * The depth of open groups in the group of a soft mask, counting this group; 0 outside of soft masks. The content of
   * such groups is not on the page.
   */
  let masks = 0;
  for (const [index, operator] of fnArray.entries()) {
    const operands = argsArray[index] as unknown[];
    switch (operator) {
      case OPS.save:
      case OPS.paintFormXObjectBegin:
        saved.push({ ...state });
        break;
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        state = saved.pop() ?? state;
        break;
      case OPS.beginGroup:
        if (masks > 0 || (operands[0] as { smask?: unknown } | undefined)?.smask) masks++;
        break;
      case OPS.endGroup:
        if (masks > 0) masks--;
        break;
      case OPS.setFont:
        state.font = operands[0] as string;
        break;
      case OPS.setGState:
        for (const [key, value] of operands[0] as [string, unknown][])
          if (key === 'Font') state.font = (value as [string, number])[0];
        break;
      case OPS.setFillRGBColor:
        state.fill = operands[0] as string;
        break;
      case OPS.setStrokeRGBColor:
        state.stroke = operands[0] as string;
        break;
      case OPS.setFillColorN:
      case OPS.setFillTransparent:
        state.fill = null;
        break;
      case OPS.setStrokeColorN:
      case OPS.setStrokeTransparent:
        state.stroke = null;
        break;
      case OPS.showText:
        if (masks === 0) found.push({ ...state, glyphs: operands[0] as PdfjsText['glyphs'] });
        break;
    }
  }
  const fonts = new Map<string, PdfjsFont | undefined>();
  for (const { font } of found) if (!fonts.has(font)) fonts.set(font, await fontOf(page, font));
  const texts = found.map((text) => ({ ...text, font: fonts.get(text.font) }));
  setOutlines(page, texts);
  markGuesses(texts);
  return texts;
}

/** The minimum number of visible control characters from which a font's codes are only numbers of its glyphs. */
const minControls = 3;

/**
 * Sets `isGuess` of the glyphs whose characters are equal to their codes, in fonts that show control characters as
 * visible glyphs. Such a font numbers its glyphs, so the letters that happen to have these numbers mean nothing.
 */
function markGuesses(texts: readonly PdfjsText[]): void {
  const fonts = Map.groupBy(texts, ({ font }) => font);
  for (const own of fonts.values()) {
    const glyphs = new Set(own.flatMap(({ glyphs }) => glyphs.filter((glyph) => typeof glyph !== 'number')));
    const guessed = [...glyphs].filter((glyph) => glyph.unicode.codePointAt(0) === glyph.originalCharCode);
    const controls = guessed.filter((glyph) => glyph.originalCharCode < 32 && glyph.isEmpty === false);
    if (new Set(controls.map((glyph) => glyph.originalCharCode)).size < minControls) continue;
    for (const glyph of guessed) glyph.isGuess = true;
  }
}

/** The length of an outline that only closes its path. */
const emptyLength = 1;

/** Sets the outlines of glyphs, and whether they draw nothing. pdf.js has no outlines of Type 3 fonts. */
function setOutlines({ commonObjs }: PDFPageProxy, texts: readonly PdfjsText[]): void {
  for (const { glyphs, font } of texts) {
    if (!font) continue;
    for (const glyph of glyphs) {
      // Equal glyphs of a font are one object.
      if (typeof glyph === 'number' || glyph.isEmpty !== undefined) continue;
      const name = `${font.loadedName}_path_${glyph.fontChar}`;
      const outline = commonObjs.has(name) ? (commonObjs.get(name) as { path: ArrayLike<number> }) : null;
      if (!outline) continue;
      glyph.outline = outline.path;
      glyph.isEmpty = glyph.isInFont === false || outline.path.length <= emptyLength;
    }
  }
}

/**
 * Returns a font, which pdf.js delivers separately from the operators. For an unreadable font it delivers an error
 * message instead.
 */
async function fontOf(page: PDFPageProxy, name: string): Promise<PdfjsFont | undefined> {
  if (name === '') return undefined;
  const font = await new Promise((resolve) => {
    page.commonObjs.get(name, resolve);
  });
  return typeof font === 'object' && font !== null ? (font as PdfjsFont) : undefined;
}
