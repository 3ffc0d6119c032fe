import type { Glyph } from '../pieces.ts';

/** The names of functions, which are upright in formulas. */
export const functionName =
  /^(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|sup|inf|max|min|mod|gcd|lcm|det|dim|ker|deg|arg|argmax|argmin|sgn|isin|Pr|Var|Cov)$/u;
/** Fonts with all characters of Unicode for formulas, and with letters, digits and punctuation. */
const unicodeFont = /[- ]?Math(?:$|[-\d ])|^Symbol/i;
const signOfUnicode = /[\ufffd\p{Script=Greek}\u2100-\u214f\u{1d400}-\u{1d7ff}]|(?![ -~])\p{S}/u;

/**
 * Whether a glyph is a variable or a sign of a formula: a glyph of a font for formulas. Words, digits and punctuation in a
 * font with all characters of Unicode are text.
 */
export function isFormulaGlyph(glyph: Glyph): boolean {
  const { piece, text } = glyph;
  return piece.isMath && (signOfUnicode.test(text) || !isInUnicodeFont(glyph));
}

/** Whether the font of a glyph has all characters of Unicode for formulas. */
export function isInUnicodeFont({ piece }: Glyph): boolean {
  return unicodeFont.test(piece.shown.font.name);
}
