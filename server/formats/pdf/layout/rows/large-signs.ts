import { firstFrom } from '../../statistics.ts';
import type { Glyph, Piece } from '../pieces.ts';
import { byPlace, groupRows, type Row } from './rows.ts';

/** The fonts of TeX with large brackets, large operators and wide accents, which hang below their baseline. */
const largeSigns =
  /^(?:CMEX|EUEX|MTEX|r?[tp]xb?ex|(?:New|n)[TP]XM?EX|LMMathExtension|stix-?mathex|esint|fourier-mext)/i;
/** The fonts of TeX with a radical that hangs below its baseline. */
const radicals = /^(?:CMB?SY|LMMathSymbols|MTSY|[tp]xsy)/i;
/** The codes of the parts of a horizontal brace in these fonts. A text below a brace is its label, not its row. */
const [firstBrace, lastBrace] = [122, 125];
/** The minimum and maximum height of such a sign's baseline above the baseline of its row, as shares of its size. */
const [minRise, maxRise] = [-0.1, 2.2];
/** The maximum height of an accent that is raised to the top of its letter. */
const maxAccentRise = 0.6;
const accent = /^(?:\p{M}|(?![ -~])\p{Sk})$/u;
/** The maximum distance of a sign from the glyphs next to it, as a share of its size. */
const maxDistance = 0.4;

/** The maximum number of rows that are compared with a sign. */
const maxRowsCompared = 24;

/**
 * Groups the pieces of a page into rows, from the top of the page. A large sign of a formula, or an accent, belongs to the
 * next row below its baseline with a glyph at its side.
 */
export function groupFormulaRows(pieces: readonly Piece[]): Row[] {
  const isLarge = (piece: Piece) => {
    const { shown, glyphs } = piece;
    if (isAccent(piece)) return true;
    if (largeSigns.test(shown.font.name)) return !glyphs.every(isBrace);
    return radicals.test(shown.font.name) && glyphs[0]!.text === '√';
  };
  const signs = pieces.filter(isLarge);
  if (signs.length === 0) return groupRows(pieces);
  const rows = groupRows(pieces.filter((piece) => !isLarge(piece)));
  const added = new Map<Row, Piece[]>();
  const rest: Piece[] = [];
  for (const sign of signs) {
    const row = rowOf(sign, rows);
    if (!row) rest.push(sign);
    else if (added.get(row)?.push(sign) === undefined) added.set(row, [sign]);
  }
  return [...rows.map((row) => withSigns(row, added.get(row) ?? [])), ...groupRows(rest)].sort(
    (one, other) => other.baseline - one.baseline,
  );
}

function isBrace({ symbol = 0 }: Glyph): boolean {
  return symbol >= firstBrace && symbol <= lastBrace;
}

function isAccent({ glyphs }: Piece): boolean {
  return glyphs.length === 1 && accent.test(glyphs[0]!.text);
}

function rowOf(sign: Piece, rows: readonly Row[]): Row | undefined {
  const { baseline, size } = sign;
  const highest = isAccent(sign) ? maxAccentRise : maxRise;
  const low = firstFrom(rows, (row) => row.baseline > baseline - minRise * size);
  return rows
    .slice(low, low + maxRowsCompared)
    .find((row) => baseline - row.baseline < highest * size && isBeside(sign, row));
}

/** Whether a sign is next to a glyph of a row, or over one. */
function isBeside({ left, right, size }: Piece, { glyphs }: Row): boolean {
  const low = firstFrom(glyphs, (glyph) => glyph.left + glyph.right < left + right);
  return glyphs
    .slice(Math.max(0, low - 2), low + 2)
    .some((glyph) => !glyph.isBlank && Math.max(glyph.left - right, left - glyph.right) < maxDistance * size);
}

function withSigns(row: Row, signs: readonly Piece[]): Row {
  if (signs.length === 0) return row;
  const rises = new Map(row.rises);
  for (const sign of signs) rises.set(sign, sign.baseline - row.baseline);
  const glyphs = [...row.glyphs, ...signs.flatMap((sign) => sign.glyphs)].sort(byPlace);
  return { ...row, glyphs, rises };
}
