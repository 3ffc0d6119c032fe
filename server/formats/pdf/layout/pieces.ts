import { apply, invert, type Matrix } from '../geometry.ts';
import {
  type KeptReason,
  outlineKey,
  type PageContent,
  type ShownText,
  unknownText,
} from '../page-content.ts';
import type { TextStyle } from '../text-block.ts';

/**
 * The texts of one direction. Their positions are in a space in which the texts are along the x axis. All blocks of
 * these texts use this space.
 */
export interface DirectedTexts {
  /** Maps that space to the page's user space. This matrix only rotates. */
  matrix: Matrix;
  /** Maps the page's user space to that space. */
  inverse: Matrix;
  pieces: Piece[];
}

/** The text of one operator, with its position in the space of its direction. */
export interface Piece {
  shown: ShownText;
  /** The glyphs of the operator. At least one of them is not blank. */
  glyphs: Glyph[];
  /** The outer edges of the glyphs that are not blank. */
  left: number;
  right: number;
  baseline: number;
  size: number;
  style: TextStyle;
  /** The reason why the text cannot be typeset again; null if it can. */
  unread: KeptReason | null;
  /** Whether the text is in a font of mathematical symbols and variables. */
  isMath: boolean;
  /** Pieces with the same text that were drawn earlier at almost the same position. */
  doubles: Piece[];
  /** The end of the blanks that the next operator draws directly after this text. */
  blankEnd?: number;
}

export interface Glyph {
  piece: Piece;
  /** The index of the glyph in its operator. */
  index: number;
  /** The glyph's characters, in Normalization Form C and with letters instead of presentation forms. */
  text: string;
  /** The character code, if the glyph must be drawn as in the source, because its characters may not show it. */
  symbol?: number;
  left: number;
  right: number;
  isBlank: boolean;
}

/**
 * The maximum length of a glyph's text, in UTF-16 units. Some fonts have a glyph for a phrase. A font with longer texts
 * is an attempt to exhaust the memory.
 */
const maxGlyphLength = 64;

/** The maximum distance between a text and the start of a blank after it, as a share of the font size. */
const maxBlankDistance = 0.1;

/** Operators that explicitly set the fill color black. */
const blackOperators = /^(?:0 g|0 0 0 rg|0 0 0 1 k)$/;

/** Ligatures, and letters of the Arabic script in the shape that they have at a position in a word. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]+/g;
/** Letters of Thai, Lao, Burmese and Khmer. Texts of these scripts have zero-width spaces between their words. */
const dividedScripts = /[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f]/;
/** The minimum slant of italics that a program draws, as a share of the height. Programs use 0.2 to 0.35. */
const minSlant = 0.1;
const mathFont =
  /^(?:CMMI|CMSY|CMEX|CMBSY|MSAM|MSBM|EU[FRS][MB]\d|EUEX|RSFS|StandardSymL|r?[tp]xb?(?:mi|sy|ex)|(?:New|n)[TP]X(?:B?MI|SY|M?EX)|MT(?:MI|SY|EX|2)|MnSymbol|stix-?math|stmary|wasy\d|bbm|dsrom|bbold|esint|LMMath|fourier-m|mdb?pu)|[- ]?Math(?:$|[-\d ])|^(?:Symbol|MT-?Extra|Euclid(?:Symbol|Extra|Math|Fraktur))/i;

/**
 * Groups the texts of a page by their direction. The direction with the most glyphs comes first. Skips texts that are
 * mirrored or have no height, and texts with only blanks.
 */
export function directTexts(page: PageContent): DirectedTexts[] {
  const directions = new Map<number, DirectedTexts>();
  const styles = new Styles();
  const isDivided = page.texts.some(({ glyphs }) => glyphs.some(({ text }) => dividedScripts.test(text)));
  let last: Piece | undefined;
  for (const shown of page.texts) {
    if ((shown.kept !== null && !isUnread(shown.kept)) || !isUpright(shown.matrix)) continue;
    const [a, b] = shown.matrix;
    const degrees = (Math.round((Math.atan2(b, a) * 180) / Math.PI) + 360) % 360;
    let direction = directions.get(degrees);
    if (!direction) {
      direction = rotated(degrees);
      directions.set(degrees, direction);
    }
    const piece = placePiece(shown, direction.inverse, styles, isDivided);
    if (piece) direction.pieces.push(piece);
    else if (last && isBlankAfter(last, shown, direction.inverse)) last.blankEnd = endOf(shown, last.right);
    last = piece;
  }
  const count = ({ pieces }: DirectedTexts) => pieces.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  return [...directions.values()]
    .filter(({ pieces }) => pieces.length > 0)
    .sort((a, b) => count(b) - count(a));
}

function isBlankAfter({ right, baseline, size }: Piece, { matrix }: ShownText, inverse: Matrix): boolean {
  const [x, y] = apply(inverse, matrix[4], matrix[5]);
  return Math.max(Math.abs(x - right), Math.abs(y - baseline)) < maxBlankDistance * size;
}

/** Returns the end of a text that starts at a position. */
function endOf({ matrix: [a, b], glyphs }: ShownText, start: number): number {
  const last = glyphs.at(-1);
  return start + (last ? last.x + last.advance : 0) * Math.hypot(a, b);
}

/** Whether a text is visible but cannot be typeset again. This also applies to the text around it. */
function isUnread(reason: KeptReason): boolean {
  return reason === 'unpaired' || reason === 'partly_covered' || reason === 'stencil';
}

/** Whether a text is neither mirrored nor without height. */
export function isUpright([a, b, c, d]: Matrix): boolean {
  return a * d - b * c > 1e-6;
}

function rotated(degrees: number): DirectedTexts {
  const radians = (degrees * Math.PI) / 180;
  const quarter = degrees % 90 === 0;
  const cosine = quarter ? Math.round(Math.cos(radians)) : Math.cos(radians);
  const sine = quarter ? Math.round(Math.sin(radians)) : Math.sin(radians);
  const matrix: Matrix = [cosine, sine, -sine, cosine, 0, 0];
  return { matrix, inverse: invert(matrix)!, pieces: [] };
}

function placePiece(
  shown: ShownText,
  inverse: Matrix,
  styles: Styles,
  isDivided: boolean,
): Piece | undefined {
  const { matrix, font } = shown;
  const [a, b, c, d] = matrix;
  const em = Math.hypot(a, b);
  const size = (a * d - b * c) / em;
  const [x, baseline] = apply(inverse, matrix[4], matrix[5]);
  const piece: Piece = {
    shown,
    glyphs: [],
    left: Number.POSITIVE_INFINITY,
    right: Number.NEGATIVE_INFINITY,
    baseline,
    size,
    style: styles.of(shown, Math.round(size * 100) / 100),
    unread: shown.kept,
    isMath: mathFont.test(font.name),
    doubles: [],
  };
  // Fonts of the Arabic script may draw the dots of a letter as glyphs without width, some of which have a blank as text.
  const isMark = shown.glyphs.every(({ advance }) => advance === 0);
  for (const [index, glyph] of shown.glyphs.entries()) {
    const ends = [x + glyph.x * em, x + (glyph.x + glyph.advance) * em] as const;
    const isBlank = glyph.text.trim() === '' && glyph.text !== '' && !isMark;
    const [left, right] = [Math.min(ends[0], ends[1]), Math.max(ends[0], ends[1])];
    if (glyph.text.length > maxGlyphLength) piece.unread = 'undecodable';
    const text =
      piece.unread === 'undecodable' && !isBlank
        ? unknownText
        : readable(isMark ? glyph.text.trim() : glyph.text, isDivided);
    const placed: Glyph = { piece, index, text, left, right, isBlank };
    if (glyph.symbol !== undefined) placed.symbol = glyph.symbol;
    const last = piece.glyphs.at(-1);
    if (last && !isBlank && isDrawnAgain(last, placed)) {
      if (Math.abs(left - last.left) >= minBolder * size) piece.style = { ...piece.style, bold: true };
      continue;
    }
    piece.glyphs.push(placed);
    if (isBlank) continue;
    piece.left = Math.min(piece.left, left);
    piece.right = Math.max(piece.right, right);
  }
  return piece.left <= piece.right ? piece : undefined;
}

/**
 * The styles of a page. Pieces with the same appearance share one object, so most comparisons only compare an object
 * with itself.
 */
class Styles {
  readonly #known = new Map<string, TextStyle>();
  #last: { shown: ShownText; size: number; isSlanted: boolean; style: TextStyle } | undefined;

  of(shown: ShownText, size: number): TextStyle {
    const last = this.#last;
    const isSlanted = isSlantedBy(shown.matrix);
    const isLast =
      last?.size === size &&
      last.isSlanted === isSlanted &&
      last.shown.font === shown.font &&
      last.shown.color === shown.color &&
      last.shown.outline === shown.outline;
    if (isLast) return last.style;
    const { family, bold, light } = shown.font;
    const italic = shown.font.italic || isSlanted;
    const color = blackOperators.test(shown.color) ? '' : shown.color;
    const { outline } = shown;
    const key = `${family} ${bold} ${light} ${italic} ${size} ${color} ${outlineKey(outline)}`;
    const style = this.#known.get(key) ?? { family, bold, light, italic, size, rise: 0, color, outline };
    this.#known.set(key, style);
    this.#last = { shown, size, isSlanted, style };
    return style;
  }
}

/** Whether a matrix slants letters: some programs draw italics in this way if the font has none. */
function isSlantedBy([a, b, c, d]: Matrix): boolean {
  return a * c + b * d > minSlant * (a * d - b * c);
}

/** Returns the plain text of an operator. A glyph with an implausibly long text becomes U+FFFD. */
export function plainTextOf({ glyphs }: ShownText): string {
  return glyphs.map(({ text }) => (text.length > maxGlyphLength ? unknownText : text)).join('');
}

/** @param isDivided whether zero-width spaces divide words; otherwise they are only places for line breaks */
function readable(text: string, isDivided: boolean): string {
  // Printable ASCII characters, which are most characters, stay unchanged.
  if (text.length === 1 && text >= ' ' && text <= '~') return text;
  return text
    .replace(presentationForms, (letters) => letters.normalize('NFKC'))
    .replace(/\p{Cc}+/gu, ' ')
    .replace(isDivided ? '' : /\u200b/g, '')
    .toWellFormed()
    .normalize()
    .replace(/[ıȷ]\p{M}+/gu, composed);
}

/** Returns letters and combining marks in Normalization Form C. A letter without a dot gets the dot that its accent replaces: `ı` with an acute is `í`. */
export function composed(text: string): string {
  return text
    .replace('ı\u0307', 'i')
    .replace(/ı(?=\p{M}*[\u0300-\u0314])/u, 'i')
    .replace(/ȷ(?=\p{M}*[\u0300-\u0314])/u, 'j')
    .normalize();
}

/**
 * The maximum distance between two drawings of the same text, as a share of the font size. It is less than the width of
 * any letter.
 */
const maxDoubleDistance = 0.15;
/** The minimum distance of two equal texts from which they look bold, as a share of the font size. */
const minBolder = 0.01;

/**
 * Removes texts that are drawn again at almost the same position. Programs do this to make text look bold or to give it
 * a shadow. Of such texts, the one painted last stays, and the others become its doubles.
 */
export function withoutDoubles(pieces: readonly Piece[]): Piece[] {
  const places = new Map<string, Piece>();
  const hidden = new Set<Piece>();
  for (const piece of pieces) {
    const text = piece.glyphs.map(({ text, symbol = '' }) => `${text}${symbol}`).join('');
    const step = 2 * maxDoubleDistance * piece.size;
    const [column, row] = [Math.floor(piece.left / step), Math.floor(piece.baseline / step)];
    const [besides, above] = [
      piece.left / step - column < 0.5 ? -1 : 1,
      piece.baseline / step - row < 0.5 ? -1 : 1,
    ];
    for (const [x, y] of [
      [0, 0],
      [besides, 0],
      [0, above],
      [besides, above],
    ] as const) {
      const key = `${column + x} ${row + y} ${text}`;
      const earlier = places.get(key);
      if (!earlier || !isDouble(earlier, piece)) continue;
      places.delete(key);
      hidden.add(earlier);
      piece.doubles = joinDoubles(piece.doubles, earlier);
      piece.style = drawnOver(earlier, piece);
    }
    places.set(`${column} ${row} ${text}`, piece);
  }
  return pieces.filter((piece) => !hidden.has(piece));
}

/** Whether an operator moves back after a glyph and draws it again. The glyph drawn again gets the owner of the first. */
function isDrawnAgain(first: Glyph, again: Glyph): boolean {
  // A glyph is wider than twice the distance, so that the two letters of a tight "ll" are not one letter.
  const furthest = Math.min(maxDoubleDistance * first.piece.size, (first.right - first.left) / 2);
  return (
    first.text === again.text &&
    first.symbol === again.symbol &&
    furthest > 0 &&
    Math.abs(first.left - again.left) < furthest
  );
}

/**
 * Returns the style of a text that is drawn twice. It is outlined if it is first filled and then stroked; otherwise it
 * is bold if the colors are equal and the letters are at visibly different positions.
 */
function drawnOver(earlier: Piece, piece: Piece): TextStyle {
  const { style } = piece;
  const { outline } = style;
  if (outline && !outline.isFilled && !earlier.style.outline)
    return { ...style, color: earlier.style.color, outline: { ...outline, isFilled: true } };
  const distance = Math.hypot(piece.left - earlier.left, piece.baseline - earlier.baseline);
  const isBolder = earlier.style.color === style.color && !outline && distance >= minBolder * piece.size;
  return { ...style, bold: style.bold || isBolder };
}

/**
 * Adds an earlier piece and its doubles to a list of doubles. The shorter list is appended to the longer one, so that
 * thousands of doubles at one position take linear time.
 */
function joinDoubles(doubles: Piece[], earlier: Piece): Piece[] {
  const [long, short] =
    doubles.length > earlier.doubles.length ? [doubles, earlier.doubles] : [earlier.doubles, doubles];
  long.push(earlier, ...short);
  earlier.doubles = [];
  return long;
}

function isDouble(one: Piece, other: Piece): boolean {
  const furthest = maxDoubleDistance * other.size;
  return (
    Math.abs(one.left - other.left) <= furthest &&
    Math.abs(one.right - other.right) <= furthest &&
    Math.abs(one.baseline - other.baseline) <= furthest
  );
}
