import { Bands, type Rectangle, transformRectangle } from '../geometry.ts';
import type { PageContent } from '../page-content.ts';
import { greatest, least } from '../statistics.ts';
import { DrawnAreas } from './drawn-areas.ts';
import { Elements } from './elements.ts';
import { blankBetween, FormFields } from './form-fields.ts';
import { isSign, mayBeBullet } from './item-signs.ts';
import { ColumnEnds } from './paragraphs/column-ends.ts';
import { linesWithBullets } from './paragraphs/drawn-bullets.ts';
import { LineElements } from './paragraphs/line-elements.ts';
import { type Chain, chainLines } from './paragraphs/line-links.ts';
import { detachLabels, LooseLabels } from './paragraphs/list-labels.ts';
import { findListings } from './paragraphs/listings.ts';
import { ParagraphBreaks } from './paragraphs/paragraph-breaks.ts';
import { TableRows } from './paragraphs/table-rows.ts';
import { type TextLine, toTextLine } from './paragraphs/text-lines.ts';
import { type DirectedTexts, type Glyph, withoutDoubles } from './pieces.ts';
import { placeDropCaps } from './rows/drop-caps.ts';
import { groupFormulaRows } from './rows/large-signs.ts';
import { splitRows } from './rows/lines.ts';
import type { FindRules } from './rule-index.ts';

/** Lines of one direction that are read as one text. */
export interface PageText {
  role: 'paragraph' | 'label' | 'listing';
  /** The lines of the text from the top; at least one. */
  lines: TextLine[];
  /** The lines of the column that contains the text. */
  chain: Chain;
  /** The box from the first line's ascent to the last line's descent. */
  box: Rectangle;
  container: Rectangle | null;
  isCell: boolean;
  /** The bullet or number next to the text; null if missing. */
  label: TextLine | null;
}

/** Returns the texts of one direction on a page, their lines in their order on the page, and the drawn areas between them. */
export function findTexts(
  page: PageContent,
  { pieces, inverse }: DirectedTexts,
  rulesIn: FindRules,
): { texts: PageText[]; lines: TextLine[]; areas: DrawnAreas } {
  // Drawn areas are only used for upright texts. Texts in other directions are labels, for example on a map, and not in
  // table cells.
  const isUpright = inverse[0] === 0 || inverse[1] === 0;
  const areas = new DrawnAreas(isUpright ? page : { ...page, paints: [] }, inverse);
  const fields = new FormFields(isUpright ? page.annotations : [], inverse);
  const images = page.paints.filter(({ kind }) => isUpright && kind === 'image');
  const hasBlank = (before: Glyph, after: Glyph) => blankBetween(before, after, rulesIn) !== undefined;
  const icons = new FormFields(
    images.map(({ box }) => ({ kind: 'other', box })),
    inverse,
  );
  const dropCaps = placeDropCaps(withoutDoubles(pieces));
  const rows = groupFormulaRows(dropCaps.pieces);
  const elements = new Elements(rows);
  const split = splitRows(rows, { areas, fields, icons, elements, hasBlank });
  dropCaps.widen(split);
  const lines = split.map(toTextLine);
  const listings = findListings(lines);
  const inListings = new Set(listings.flat());
  const prose = lines.filter((line) => !inListings.has(line));
  const chains = chainLines(prose);
  const bullets = new Set([...lines.filter(({ text }) => isSign(text)), ...repeatedBullets(lines)]);
  const table = new TableRows(prose, chains, bullets);
  const columns = new ColumnEnds(lines, transformRectangle(inverse, page.box), areas, fields);
  const bulleted = linesWithBullets(isUpright ? page.paints : [], prose, inverse);
  const breaks = new ParagraphBreaks(chains, {
    areas,
    fields,
    columns,
    table,
    elements: new LineElements(elements, chains),
    bulleted: new Set([...bulleted, ...linesWithLetter(prose)]),
    bullets,
  });
  const texts: PageText[] = listings.map((listing) => toText('listing', listing, listing, areas));
  const paragraphs = chains.flatMap((chain) => breaks.split(chain).map((lines) => ({ chain, lines })));
  for (const [index, { label, text }] of detachLabels(paragraphs.map(({ lines }) => lines)).entries()) {
    const { chain, lines } = paragraphs[index]!;
    if (label) texts.push(toText('label', [label], chain, areas));
    const own = toText('paragraph', text, chain, areas);
    own.label = label;
    own.isCell = lines.some((line) => table.isCell(line));
    texts.push(own);
  }
  const cells = findCells(texts.flatMap(({ container }) => container ?? []));
  for (const text of texts) text.isCell ||= text.container !== null && cells.has(text.container);
  const labels = new LooseLabels(
    texts.flatMap(({ isCell, lines: [line] }) => (isCell && !bullets.has(line!) ? [] : [line!])),
    bullets,
  );
  for (const text of texts) {
    const label = text.label ?? labels.before(text.lines[0]!);
    // The number before a cell is a cell too.
    if (label && (!text.isCell || text.label || bullets.has(label))) text.label = label;
  }
  return { texts, lines, areas };
}

/** The maximum distance of a bullet from its text, in em. */
const maxBulletDistance = 4;

/** Returns the lines that are only the same sign, or the letter that Word uses as a bullet, at one place before several texts. */
function repeatedBullets(lines: readonly TextLine[]): TextLine[] {
  const bands = new Bands<TextLine>();
  for (const line of lines) bands.add({ bottom: line.baseline, top: line.baseline }, line);
  const isBullet = ({ text, baseline, right, size }: TextLine) =>
    (text === 'o' || mayBeBullet(text)) &&
    [...bands.near(baseline - 1, baseline + 1)].some(
      (other) => other.left > right && other.left - right < maxBulletDistance * size && other.hasLetters,
    );
  const places = Map.groupBy(lines.filter(isBullet), ({ text, left }) => `${text} ${Math.round(left)}`);
  return [...places.values()].flatMap((own) => (own.length > 1 ? own : []));
}

/** The minimum space after a letter that is a bullet, in em. The word `o` has a narrower one. */
const minTab = 0.6;

/** Returns the lines that start at one place with the letter that Word uses as a bullet. */
function linesWithLetter(lines: readonly TextLine[]): TextLine[] {
  const items = lines.filter(({ text, characters, size }) => {
    const [bullet, next] = [
      characters[0]?.glyph,
      characters.slice(1).find(({ glyph }) => glyph && !glyph.isBlank),
    ];
    return text.startsWith('o ') && bullet && next?.glyph && next.glyph.left - bullet.right > minTab * size;
  });
  const places = Map.groupBy(items, ({ left }) => Math.round(left));
  return [...places.values()].flatMap((own) => (own.length > 1 ? own : []));
}

function toText(role: PageText['role'], lines: TextLine[], chain: Chain, areas: DrawnAreas): PageText {
  const box = boxOf(lines);
  return { role, lines, chain, box, container: areas.container(box), isCell: false, label: null };
}

function boxOf(lines: readonly TextLine[]): Rectangle {
  const extents = lines.map((line) => ({ ...line, ...verticalExtent(line) }));
  return {
    left: least(extents.map(({ left }) => left)),
    bottom: least(extents.map(({ baseline, descent }) => baseline - descent)),
    right: greatest(extents.map(({ right }) => right)),
    top: greatest(extents.map(({ baseline, ascent }) => baseline + ascent)),
  };
}

/**
 * Returns the ascent and the descent of the line's usual font, in points. They are limited, because some fonts declare
 * heights that none of their letters has.
 */
function verticalExtent({ glyphs, style, size }: TextLine): { ascent: number; descent: number } {
  const glyph = glyphs.find(({ piece, isBlank }) => !isBlank && piece.style === style) ?? glyphs[0]!;
  const { ascent, descent } = glyph.piece.shown.font;
  return { ascent: within(ascent, 0.6, 1.1) * size, descent: within(descent, 0.1, 0.4) * size };
}

function within(value: number, least: number, greatest: number): number {
  return Math.min(greatest, Math.max(least, value));
}

/** The maximum distance between neighboring cells, and how far they may overlap each other, in points. */
const [maxNeighborDistance, overlap] = [8, 1];

/**
 * Returns which boxes around texts are cells of a table: those with another box directly next to them, above them or
 * below them. Boxes with the same edges count as one.
 */
function findCells(boxes: readonly Rectangle[]): Set<Rectangle> {
  const places = Map.groupBy(boxes, ({ left, bottom, right, top }) =>
    [left, bottom, right, top].map(Math.round).join(' '),
  );
  const alone = [...places.values()].map(([box]) => box!);
  const bands = new Bands<Rectangle>();
  for (const box of alone) bands.add(box, box);
  const isCell = (box: Rectangle) => {
    const near = bands.near(box.bottom - maxNeighborDistance, box.top + maxNeighborDistance);
    return [...near].some((other) => areNeighbors(box, other));
  };
  return new Set([...places.values()].filter(([box]) => isCell(box!)).flat());
}

function areNeighbors(one: Rectangle, other: Rectangle): boolean {
  const isNext = (gap: number) => gap >= -overlap && gap <= maxNeighborDistance;
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  const narrow = Math.min(one.right - one.left, other.right - other.left);
  const low = Math.min(one.top - one.bottom, other.top - other.bottom);
  return (isNext(-width) && height > 0.5 * low) || (isNext(-height) && width > 0.5 * narrow);
}
