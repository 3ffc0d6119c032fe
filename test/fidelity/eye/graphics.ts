import type { Box } from './geometry.ts';
import { runPoppler } from './poppler.ts';

/** What is drawn on a page besides text. */
export interface Graphics {
  rules: Rules;
  /** Filled rectangles, in the order in which they are painted. */
  fills: Fill[];
  pictures: Box[];
  /** Form fields. Their values stay. */
  fields: Box[];
}

/** Straight ruled lines and edges of frames. */
export interface Rules {
  /** `at` is the distance from the left edge; `from` and `to` are distances from the top. */
  vertical: Rule[];
  /** `at` is the distance from the top; `from` and `to` are distances from the left edge. */
  horizontal: Rule[];
}

export interface Rule {
  at: number;
  from: number;
  to: number;
}

export interface Fill {
  box: Box;
  color: string;
}

export const noGraphics: Graphics = {
  rules: { vertical: [], horizontal: [] },
  fills: [],
  pictures: [],
  fields: [],
};

/** A page with more drawn lines is a drawing, whose lines have nothing to do with text. */
const mostRules = 4000;
const longestSvg = 60_000_000;

/** Reads the drawn lines, filled rectangles and pictures of a page from poppler's SVG. */
export function readGraphics(path: string, page: number): Graphics {
  const number = `${page}`;
  let svg: string;
  try {
    svg = runPoppler('pdftocairo', ['-svg', '-f', number, '-l', number, path, '-']).toString('latin1');
  } catch {
    return noGraphics;
  }
  if (svg.length > longestSvg) return noGraphics;
  const body = svg.replace(/xlink:href="data:[^"]*"/g, '').replace(/<symbol[\s\S]*?<\/symbol>/g, '');
  const graphics: Graphics = {
    rules: { vertical: [], horizontal: [] },
    fills: [],
    pictures: readPictures(body),
    fields: [],
  };
  for (const [, attributes] of body.matchAll(/<path ([^>]*)>/g)) addPath(attributes!, graphics);
  const { vertical, horizontal } = graphics.rules;
  if (vertical.length + horizontal.length > mostRules) graphics.rules = noGraphics.rules;
  return graphics;
}

type Matrix = [number, number, number, number, number, number];

function matrixOf(attributes: string): Matrix {
  const found = /transform="matrix\(([^)]*)\)"/.exec(attributes)?.[1];
  return found ? (found.split(',').map(Number) as Matrix) : [1, 0, 0, 1, 0, 0];
}

function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): Point {
  return [a * x + c * y + e, b * x + d * y + f];
}

function readPictures(svg: string): Box[] {
  const sizes = new Map<string, [number, number]>();
  for (const [, id, width, height] of svg.matchAll(/<image id="([^"]+)" width="([\d.]+)" height="([\d.]+)"/g))
    sizes.set(id!, [Number(width), Number(height)]);
  return [...svg.matchAll(/<use xlink:href="#([^"]+)"([^>]*)>/g)].flatMap(([, id, attributes]): Box[] => {
    const size = sizes.get(id!);
    if (!size) return [];
    const matrix = matrixOf(attributes!);
    const [x1, y1] = apply(matrix, 0, 0);
    const [x2, y2] = apply(matrix, ...size);
    return [[Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)]];
  });
}

type Point = [x: number, y: number];

/** A line or rectangle that is thinner is a ruled line. In points. */
const thin = 3;
/** Shorter lines are parts of letters and symbols. In points. */
const shortest = 5;
/** The number of characters of a path that can be a frame or some lines. Longer paths are drawings. */
const longestPath = 4000;

function addPath(attributes: string, { rules, fills }: Graphics): void {
  const data = /(?:^| )d="([^"]*)"/.exec(attributes)?.[1];
  if (!data || data.length > longestPath) return;
  const matrix = matrixOf(attributes);
  const stroke = /(?:^|;|")\s*stroke:(?!none)/.test(attributes);
  const fill = /(?:^|[;"\s])fill:(?!none)(rgb\([^)]*\))/.exec(attributes)?.[1];
  if (/fill-opacity:0;/.test(attributes) || (!stroke && !fill)) return;
  for (const points of subpathsOf(data, matrix)) {
    const box = rectangleOf(points);
    if (fill && box) {
      const [width, height] = [box[2] - box[0], box[3] - box[1]];
      if (width <= thin || height <= thin) addLine([box[0], box[1]], [box[2], box[3]], rules);
      else fills.push({ box, color: fill });
    }
    if (stroke) for (const [index, point] of points.slice(1).entries()) addLine(points[index]!, point, rules);
  }
}

/** The corners of each part of a path. A part with curves is left out. */
function subpathsOf(data: string, matrix: Matrix): Point[][] {
  return data
    .split(/(?=M)/)
    .filter((part) => !part.includes('C'))
    .map((part) => {
      const points = [...part.matchAll(/[ML] (-?[\d.e-]+) (-?[\d.e-]+)/g)].map(([, x, y]) =>
        apply(matrix, Number(x), Number(y)),
      );
      if (part.includes('Z') && points.length > 0) points.push(points[0]!);
      return points;
    })
    .filter((points) => points.length > 1);
}

function rectangleOf(points: readonly Point[]): Box | null {
  if (points.length < 4 || points.length > 6) return null;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const box: Box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  const isCorner = ([x, y]: Point) =>
    Math.min(x - box[0], box[2] - x) < 0.5 && Math.min(y - box[1], box[3] - y) < 0.5;
  return points.every(isCorner) ? box : null;
}

function addLine([x1, y1]: Point, [x2, y2]: Point, { vertical, horizontal }: Rules): void {
  const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)];
  if (width <= thin && height >= shortest)
    vertical.push({ at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) });
  else if (height <= thin && width >= shortest)
    horizontal.push({ at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) });
}
