import { around, type Box, centerOf, contains } from './geometry.ts';
import { runPoppler } from './poppler.ts';

/** What is drawn on a page besides text. */
export interface Graphics {
  rules: Rules;
  /** Filled rectangles, in the order in which they are painted. */
  fills: Fill[];
  pictures: Box[];
  /** Small drawn shapes, as bullets and boxes are. */
  marks: Box[];
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
  marks: [],
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
  const all = svg.replace(/xlink:href="data:[^"]*"/g, '').replace(/<symbol[\s\S]*?<\/symbol>/g, '');
  const clips = readClips(all);
  const body = all.replace(/<(clipPath|mask|pattern)[\s\S]*?<\/\1>/g, '');
  const graphics: Graphics = {
    rules: { vertical: [], horizontal: [] },
    fills: [],
    pictures: readPictures(body),
    marks: [],
    fields: [],
  };
  // Groups have the part of the page outside of which nothing is drawn.
  const open: Box[] = [everywhere];
  const moved = readMoved(all);
  for (const [, name, attributes] of body.matchAll(/<(g|\/g|path)\b([^>]*)>/g)) {
    const clip = clips.get(/clip-path="url\(#([^)]+)\)"/.exec(attributes!)?.[1] ?? '') ?? everywhere;
    const id = /(?:^| )id="([^"]+)"/.exec(attributes!)?.[1] ?? '';
    if (name === '/g') open.pop();
    else if (moved.has(id)) open.push(nowhere);
    else if (name === 'path') addPath(attributes!, common(open.at(-1) ?? everywhere, clip), graphics);
    else if (!attributes!.endsWith('/')) open.push(common(open.at(-1) ?? everywhere, clip));
  }
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

const everywhere: Box = [-Infinity, -Infinity, Infinity, Infinity];

const nowhere: Box = [Infinity, Infinity, -Infinity, -Infinity];

/** The names of transparent groups that are drawn at another place or behind a mask, which may hide them. */
function readMoved(svg: string): Set<string> {
  const uses = [...svg.matchAll(/<use xlink:href="#(surface\d+)"([^>]*)>/g)];
  const isMoved = (attributes: string) =>
    attributes.includes('mask=') ||
    matrixOf(attributes).some((value, index) => Math.abs(value - unmoved[index]!) > 0.01);
  return new Set(uses.filter(([, , attributes]) => isMoved(attributes!)).map(([, id]) => id!));
}

const unmoved: Matrix = [1, 0, 0, 1, 0, 0];

function common(one: Box, other: Box): Box {
  return [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ];
}

/** The boxes around the paths that limit what is drawn, by their names. */
function readClips(svg: string): Map<string, Box> {
  const clips = new Map<string, Box>();
  for (const [, id, attributes] of svg.matchAll(/<clipPath id="([^"]+)">\s*<path ([^>]*)>/g)) {
    const numbers = /(?:^| )d="([^"]*)"/.exec(attributes!)?.[1]?.match(/-?[\d.]+(?:e-?\d+)?/g) ?? [];
    const points = Array.from(
      { length: Math.floor(numbers.length / 2) },
      (_, index): Point =>
        apply(matrixOf(attributes!), Number(numbers[2 * index]), Number(numbers[2 * index + 1])),
    );
    if (points.length > 0) clips.set(id!, around(points.map(([x, y]): Box => [x, y, x, y])));
  }
  return clips;
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

/** The color below a place: that of the last rectangle that was painted there. */
export function colorAt(fills: readonly Fill[], place: Box): string {
  const middle = centerOf(place);
  return fills.findLast(({ box }) => contains(box, middle))?.color ?? 'rgb(100%,100%,100%)';
}

/** The sides of a bullet or a check box. In points. */
const [smallest, largest] = [1, 14];

/** A shape with curves is as large as its control points. */
function markOf(data: string, matrix: Matrix, clip: Box): Box | null {
  const numbers = data.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number) ?? [];
  const points = Array.from({ length: numbers.length >> 1 }, (_, index) =>
    apply(matrix, numbers[2 * index]!, numbers[2 * index + 1]!),
  );
  if (points.length < 3) return null;
  const box = common(around(points.map(([x, y]): Box => [x, y, x, y])), clip);
  const [width, height] = [box[2] - box[0], box[3] - box[1]];
  const isSmall = Math.min(width, height) >= smallest && Math.max(width, height) <= largest;
  return isSmall && Math.max(width, height) <= 2 * Math.min(width, height) ? box : null;
}

function addPath(attributes: string, clip: Box, { rules, fills, marks }: Graphics): void {
  const data = /(?:^| )d="([^"]*)"/.exec(attributes)?.[1];
  if (!data || data.length > longestPath) return;
  const matrix = matrixOf(attributes);
  const stroke = /(?:^|[;"\s])stroke:(?!none)(rgb\([^)]*\)|url)/.exec(attributes)?.[1];
  const fill = /(?:^|[;"\s])fill:(?!none)(rgb\([^)]*\))/.exec(attributes)?.[1];
  if (/fill-opacity:0;/.test(attributes) || (!stroke && !fill)) return;
  const mark = markOf(data, matrix, clip);
  if (mark && (stroke || fill !== colorAt(fills, mark))) marks.push(mark);
  for (const points of subpathsOf(data, matrix)) {
    const whole = rectangleOf(points);
    const box = whole && common(whole, clip);
    if (fill && box && box[0] < box[2] && box[1] < box[3]) {
      const [width, height] = [box[2] - box[0], box[3] - box[1]];
      if (width <= thin || height <= thin) {
        if (fill !== colorAt(fills, box)) addLine([box[0], box[1]], [box[2], box[3]], clip, rules);
      } else fills.push({ box, color: fill });
    }
    // Some programs draw the borders of tables in the color of the page.
    if (stroke && stroke !== colorAt(fills, around(points.map(([x, y]): Box => [x, y, x, y]))))
      for (const [index, point] of points.slice(1).entries()) addLine(points[index]!, point, clip, rules);
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

function addLine([x1, y1]: Point, [x2, y2]: Point, clip: Box, { vertical, horizontal }: Rules): void {
  const line: Box = [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
  const [left, top, right, bottom] = common(line, clip);
  const [width, height] = [right - left, bottom - top];
  if (width < 0 || height < 0) return;
  if (width <= thin && height >= shortest) vertical.push({ at: (left + right) / 2, from: top, to: bottom });
  else if (height <= thin && width >= shortest)
    horizontal.push({ at: (top + bottom) / 2, from: left, to: right });
}
