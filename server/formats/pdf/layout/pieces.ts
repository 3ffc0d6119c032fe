import { apply, invert, type Matrix } from '../geometry.ts';
import { type KeptReason, outlineKey, type PageContent, type ShownText } from '../page-content.ts';
import type { TextStyle } from '../text-block.ts';

/** Texts of one direction, in a space in which they run along the x axis: the block's space of all their blocks. */
export interface DirectedTexts {
  /** From that space to the page's user space. It only turns. */
  matrix: Matrix;
  /** From the page's user space to that space. */
  inverse: Matrix;
  pieces: Piece[];
}

/** What one operator shows, placed in the space of its direction. */
export interface Piece {
  shown: ShownText;
  /** At least one of them is not blank. */
  glyphs: Glyph[];
  /** The outer edges of its glyphs that are not blank. */
  left: number;
  right: number;
  baseline: number;
  size: number;
  style: TextStyle;
  /** Why the text that it belongs to cannot be set again; null if it can. */
  unread: KeptReason | null;
  /** Set in a font of mathematical symbols and variables. */
  isMath: boolean;
  /** The same text, drawn at nearly the same place before. */
  doubles: Piece[];
}

export interface Glyph {
  piece: Piece;
  /** In the operator's glyphs. */
  index: number;
  /** In Normalization Form C; letters instead of their presentation forms. */
  text: string;
  left: number;
  right: number;
  isBlank: boolean;
}

/** In UTF-16 units. A few fonts have a glyph for a phrase; a font that says more is made to fill the memory. */
const longestGlyph = 64;
const unknown = '\ufffd';

/** What sets black in so many words. */
const blackOperators = /^(?:0 g|0 0 0 rg|0 0 0 1 k)$/;

/** Ligatures, and letters of the Arabic script by their shape in a word. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]+/g;
const mathFont =
  /^(?:CMMI|CMSY|CMEX|CMBSY|MSAM|MSBM|EUFM|EUSM|RSFS|StandardSymL|TXSY|TXMI|PXSY|PXMI|MTMI|MTSY|MTEX|LMMath)|[- ]?Math(?:$|[-\d ])|^(?:Symbol|MT-?Extra|Euclid)/i;

/**
 * Groups the texts that a page shows by their direction: first the one that most glyphs have. Texts whose matrix is mirrored
 * or flat are left out, and so are those that show only blanks.
 */
export function directTexts(page: PageContent): DirectedTexts[] {
  const directions = new Map<number, DirectedTexts>();
  const styles = new Styles();
  for (const shown of page.texts) {
    if ((shown.kept !== null && !isUnread(shown.kept)) || !isUpright(shown.matrix)) continue;
    const [a, b] = shown.matrix;
    const degrees = (Math.round((Math.atan2(b, a) * 180) / Math.PI) + 360) % 360;
    let direction = directions.get(degrees);
    if (!direction) {
      direction = turned(degrees);
      directions.set(degrees, direction);
    }
    const piece = placePiece(shown, direction.inverse, styles);
    if (piece) direction.pieces.push(piece);
  }
  const count = ({ pieces }: DirectedTexts) => pieces.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  return [...directions.values()]
    .filter(({ pieces }) => pieces.length > 0)
    .sort((a, b) => count(b) - count(a));
}

function hasUnknown(reason: KeptReason | null): boolean {
  return reason === 'undecodable' || reason === 'unpaired';
}

/** Such a text is seen. What stands around it cannot be set anew without it. */
function isUnread(reason: KeptReason): boolean {
  return hasUnknown(reason) || reason === 'partly_covered' || reason === 'stencil';
}

/** Whether a text is neither mirrored nor flat. */
export function isUpright([a, b, c, d]: Matrix): boolean {
  return a * d - b * c > 1e-6;
}

function turned(degrees: number): DirectedTexts {
  const radians = (degrees * Math.PI) / 180;
  const quarter = degrees % 90 === 0;
  const cosine = quarter ? Math.round(Math.cos(radians)) : Math.cos(radians);
  const sine = quarter ? Math.round(Math.sin(radians)) : Math.sin(radians);
  const matrix: Matrix = [cosine, sine, -sine, cosine, 0, 0];
  return { matrix, inverse: invert(matrix)!, pieces: [] };
}

function placePiece(shown: ShownText, inverse: Matrix, styles: Styles): Piece | undefined {
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
  for (const [index, glyph] of shown.glyphs.entries()) {
    const ends = [x + glyph.x * em, x + (glyph.x + glyph.advance) * em] as const;
    const isBlank = glyph.text.trim() === '' && glyph.text !== '';
    const [left, right] = [Math.min(ends[0], ends[1]), Math.max(ends[0], ends[1])];
    if (glyph.text.length > longestGlyph) piece.unread = 'undecodable';
    const text = hasUnknown(piece.unread) && !isBlank ? unknown : readable(glyph.text);
    piece.glyphs.push({ piece, index, text, left, right, isBlank });
    if (isBlank) continue;
    piece.left = Math.min(piece.left, left);
    piece.right = Math.max(piece.right, right);
  }
  return piece.left <= piece.right ? piece : undefined;
}

/** The styles of a page. Pieces that look alike share one, so that most comparisons are of one with itself. */
class Styles {
  readonly #known = new Map<string, TextStyle>();
  #last: { shown: ShownText; size: number; style: TextStyle } | undefined;

  of(shown: ShownText, size: number): TextStyle {
    const last = this.#last;
    const isLast =
      last?.size === size &&
      last.shown.font === shown.font &&
      last.shown.color === shown.color &&
      last.shown.outline === shown.outline;
    if (isLast) return last.style;
    const { family, bold, italic } = shown.font;
    const color = blackOperators.test(shown.color) ? '' : shown.color;
    const { outline } = shown;
    const key = `${family} ${bold} ${italic} ${size} ${color} ${outlineKey(outline)}`;
    const style = this.#known.get(key) ?? { family, bold, italic, size, rise: 0, color, outline };
    this.#known.set(key, style);
    this.#last = { shown, size, style };
    return style;
  }
}

/** What a text says, with a sign for each glyph that stands for more than any glyph does. */
export function plainTextOf({ glyphs }: ShownText): string {
  return glyphs.map(({ text }) => (text.length > longestGlyph ? unknown : text)).join('');
}

function readable(text: string): string {
  // Most characters are of ASCII, and nothing of that changes.
  if (text.length === 1 && text >= ' ' && text <= '~') return text;
  return text
    .replace(presentationForms, (letters) => letters.normalize('NFKC'))
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .normalize();
}

/** As a share of the size: how far apart the same text may be drawn twice. Narrower than any letter. */
const furthestDouble = 0.15;

/**
 * Takes out texts that are drawn again at nearly the same place, which makes them look bold or gives them a shadow. The one
 * painted last stays and has the others as its doubles.
 */
export function withoutDoubles(pieces: readonly Piece[]): Piece[] {
  const places = new Map<string, Piece>();
  const hidden = new Set<Piece>();
  for (const piece of pieces) {
    const text = piece.glyphs.map((glyph) => glyph.text).join('');
    const step = 2 * furthestDouble * piece.size;
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
      piece.style = drawnOver(earlier.style, piece.style);
    }
    places.set(`${column} ${row} ${text}`, piece);
  }
  return pieces.filter((piece) => !hidden.has(piece));
}

/** How text looks that is drawn twice: filled and then stroked, or thicker. */
function drawnOver(earlier: TextStyle, style: TextStyle): TextStyle {
  const { outline } = style;
  if (outline && !outline.isFilled && !earlier.outline)
    return { ...style, color: earlier.color, outline: { ...outline, isFilled: true } };
  return { ...style, bold: style.bold || (earlier.color === style.color && !outline) };
}

/** Adds a piece and its own doubles. The longer list is kept, so that thousands at one place take linear time. */
function joinDoubles(doubles: Piece[], earlier: Piece): Piece[] {
  const [long, short] =
    doubles.length > earlier.doubles.length ? [doubles, earlier.doubles] : [earlier.doubles, doubles];
  long.push(earlier, ...short);
  earlier.doubles = [];
  return long;
}

function isDouble(one: Piece, other: Piece): boolean {
  const furthest = furthestDouble * other.size;
  return (
    Math.abs(one.left - other.left) <= furthest &&
    Math.abs(one.right - other.right) <= furthest &&
    Math.abs(one.baseline - other.baseline) <= furthest
  );
}
