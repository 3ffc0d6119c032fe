import type { Font } from 'harfbuzzjs';
import { readTables, viewOf, writeTables } from './truetype.ts';

/** The maximum distance between a curve and the curves that replace it, in font units. */
const tolerance = 0.5;

interface Point {
  x: number;
  y: number;
  isOnCurve: boolean;
}

/**
 * Returns a TrueType font with the outlines of these glyphs, of a font whose outlines are those of PostScript. Glyph ids
 * stay the same. So all embedded fonts have one format, whatever that of the file is.
 */
export function withQuadraticOutlines(file: Uint8Array, font: Font, glyphIds: Iterable<number>): Uint8Array {
  const source = readTables(file);
  const count = viewOf(source.get('maxp')!).getUint16(4);
  const glyphs = new Map([...new Set([0, ...glyphIds])].map((id) => [id, glyphOf(font.glyphToPath(id))]));
  const loca = new Uint8Array(4 * (count + 1));
  const parts: Uint8Array[] = [];
  let end = 0;
  for (let id = 0; id < count; id++) {
    const { bytes } = glyphs.get(id) ?? {};
    if (bytes) parts.push(bytes);
    end += bytes?.length ?? 0;
    viewOf(loca).setUint32(4 * (id + 1), end);
  }
  const most = (key: 'points' | 'contours') => Math.max(...[...glyphs.values()].map((glyph) => glyph[key]));
  const maxp = new Uint8Array(32);
  for (const [offset, value] of [1, 0, count, most('points'), most('contours')].entries())
    viewOf(maxp).setUint16(2 * offset, value);
  viewOf(maxp).setUint16(14, 2);
  const head = source.get('head')!.slice();
  viewOf(head).setInt16(50, 1); // long offsets in loca
  return writeTables(
    new Map([
      ['glyf', Buffer.concat(parts)],
      ['head', head],
      ['hhea', source.get('hhea')!],
      ['hmtx', source.get('hmtx')!],
      ['loca', loca],
      ['maxp', maxp],
    ]),
  );
}

/** Encodes a path as a glyph of the table `glyf`, with two bytes for each coordinate. */
function glyphOf(path: string): { bytes: Uint8Array | undefined; points: number; contours: number } {
  const contours = contoursOf(path).filter((contour) => contour.length > 1);
  const points = contours.flat();
  if (points.length === 0) return { bytes: undefined, points: 0, contours: 0 };
  const bytes = new Uint8Array((10 + 2 * contours.length + 2 + 5 * points.length + 3) & ~3);
  const view = viewOf(bytes);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  for (const [index, value] of [contours.length, ...box].entries()) view.setInt16(2 * index, value);
  let last = -1;
  for (const [index, contour] of contours.entries()) {
    last += contour.length;
    view.setUint16(10 + 2 * index, last);
  }
  const flags = 12 + 2 * contours.length;
  for (const [index, { isOnCurve }] of points.entries()) bytes[flags + index] = isOnCurve ? 1 : 0;
  for (const [row, values] of [xs, ys].entries())
    for (const [index, value] of values.entries())
      view.setInt16(
        flags + points.length * (1 + 2 * row) + 2 * index,
        value - (index > 0 ? values[index - 1]! : 0),
      );
  return { bytes, points: points.length, contours: contours.length };
}

function contoursOf(path: string): Point[][] {
  const contours: Point[][] = [];
  let [x, y] = [0, 0];
  const add = (toX: number, toY: number, isOnCurve: boolean): void => {
    contours.at(-1)!.push({ x: Math.round(toX), y: Math.round(toY), isOnCurve });
  };
  for (const [, kind, values] of path.matchAll(/([MLQC])([^A-Z]*)/g)) {
    const n = values!.split(/[ ,]+/).map(Number);
    if (kind === 'M') contours.push([]);
    if (kind === 'C') addCubic([x, y, ...n], add);
    else for (let at = 0; at < n.length; at += 2) add(n[at]!, n[at + 1]!, at === n.length - 2);
    [x, y] = n.slice(-2) as [number, number];
  }
  // The last point of a closed contour is its first one.
  for (const contour of contours) {
    const [first, last] = [contour[0]!, contour.at(-1)!];
    if (contour.length > 1 && last.isOnCurve && first.x === last.x && first.y === last.y) contour.pop();
  }
  return contours;
}

/** Replaces a cubic curve by quadratic ones. */
function addCubic(
  [x0, y0, x1, y1, x2, y2, x3, y3]: number[],
  add: (x: number, y: number, isOnCurve: boolean) => void,
): void {
  const error =
    (Math.sqrt(3) / 36) * Math.hypot(x3! - 3 * x2! + 3 * x1! - x0!, y3! - 3 * y2! + 3 * y1! - y0!);
  const pieces = Math.max(1, Math.ceil(Math.cbrt(error / tolerance)));
  const at = (t: number, [a, b, c, d]: number[]): number =>
    (1 - t) ** 3 * a! + 3 * (1 - t) ** 2 * t * b! + 3 * (1 - t) * t ** 2 * c! + t ** 3 * d!;
  const slope = (t: number, [a, b, c, d]: number[]): number =>
    3 * ((1 - t) ** 2 * (b! - a!) + 2 * (1 - t) * t * (c! - b!) + t ** 2 * (d! - c!));
  const axes = [
    [x0!, x1!, x2!, x3!],
    [y0!, y1!, y2!, y3!],
  ];
  for (let piece = 0; piece < pieces; piece++) {
    const [from, to] = [piece / pieces, (piece + 1) / pieces];
    // The control point of the piece, by the ends of the piece and the slopes there.
    const [cx, cy] = axes.map(
      (axis) =>
        (at(from, axis) + at(to, axis)) / 2 + ((slope(from, axis) - slope(to, axis)) * (to - from)) / 4,
    );
    add(cx!, cy!, false);
    add(at(to, axes[0]!), at(to, axes[1]!), true);
  }
}
