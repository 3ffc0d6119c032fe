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
}

/** The properties of a font, as pdf.js reports them. */
export interface PdfjsFont {
  name: string;
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
  return found.map((text) => ({ ...text, font: fonts.get(text.font) }));
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
