import { advanceIn } from '../../../typesetting/fonts.ts';
import { median } from '../../statistics.ts';
import { type Point, pointOf } from '../path.ts';
import type { PdfjsFont, PdfjsGlyph, PdfjsText } from '../pdfjs-texts.ts';

/** The face of a font as its outlines show it, also against the file's own description. */
export interface MeasuredFace {
  weight: 'light' | 'regular' | 'bold';
  /** The width of the strokes, as a share of the height of capital letters; of narrow letters, as if they were as wide as Arimo's. */
  stroke?: number;
  italic: boolean;
  /** The height above the baseline at which letters stand, in em. It is not zero in a few fonts. */
  rise: number;
  /** Whether the letters have serifs; undefined if too few suitable letters are shown. */
  serif?: boolean | undefined;
}

/**
 * The letters whose leftmost stroke is upright between the heights below. The width of this stroke, as a share of the
 * height of the letter, is this factor times that of a capital letter: the median of the fonts named below. The height
 * of the letter in Arimo follows, in em.
 */
const measured = new Map<string, readonly [factor: number, height: number]>([
  ...[...'BDEFHIKLPRTU1t'].map((letter) => [letter, [1, 0.69]] as const),
  ...[...'bhil'].map((letter) => [letter, [0.9, 0.725]] as const),
  ...[...'nr'].map((letter) => [letter, [1.25, 0.54]] as const),
]);
/** The letters whose leftmost stroke stands on a serif in a font with serifs. In italic fonts only capitals do. */
const footed = { upright: /[FHKPRThnr]/, italic: /[FHKPRT]/ };
/** The height at which a serif is measured, as a share of the height of the letter. */
const footHeight = 0.02;
/** The minimum number of different letters from which they show serifs. */
const minFeet = 2;
/** The heights at which the strokes are measured, as shares of the height of the letter. They avoid bars and serifs. */
const heights = [0.3, 0.5] as const;
/** The minimum number of different letters from which they show a face. */
const minLetters = 2;
/**
 * The limits between faces. They were measured on the fonts of `typesetting/fonts.ts`, those of Debian (URW, DejaVu)
 * and about 200 fonts in PDF files whose names state the face. The width of strokes is a share of the height of capital
 * letters: light fonts have 0.02 (Lato Hairline) to 0.099 (Calibri Light), regular fonts 0.099 (Raleway) to 0.156 (CG
 * Times), bold fonts 0.165 (Gillius) to 0.26 (Verdana). As a share of the em, regular and bold fonts overlap. A regular
 * font that seems light would be worse than the contrary. The slope of strokes is at most 0.005 in upright fonts, and
 * 0.12 (Lato) to 0.34 (Garamond) in italic ones. The strokes of narrow letters are compared with those of Arimo's letters
 * that are made as narrow, because such letters replace them. At its foot, a stroke is at most 1.2 times as wide (Linux
 * Biolinum) in fonts without serifs, and at least 1.7 times (Cambria Bold) in those with serifs.
 */
const limits = { light: 0.09, bold: 0.16, boldNarrow: 0.17, boldMedium: 0.18, slope: 0.06, foot: 1.45 };
/** Names of fonts that are bold only with wider strokes (Futura Medium has 0.163). All weights of a variable font may have such a name. */
const regular = /regular|book|roman|medium/i;
/** The minimum width of letters, as a share of that of Arimo's. The widths in some files are errors. */
const minStretch = 0.5;
/** The width below which letters are narrow, in the same unit. */
const narrow = 0.8;
/** The rise below which letters stand on the baseline, in em: more than the depth of a round letter or a serif. */
const minRise = 0.05;

/** The strokes of the letters of a document, by font and code, because its pages share most fonts. */
export type KnownStrokes = Map<string, Stroke | undefined>;

/**
 * Measures the outlines of each font of a page. Fonts with too few suitable letters are left out.
 *
 * @param outlineOf returns the outline of a glyph
 */
export function measureFaces(
  texts: readonly PdfjsText[],
  measuredStrokes: KnownStrokes,
  outlineOf = ({ outline }: PdfjsGlyph): ArrayLike<number> | undefined => outline,
): ReadonlyMap<PdfjsFont, MeasuredFace> {
  const strokes = new Map<PdfjsFont, Map<string, Stroke & { stretch: number }>>();
  /** The codes whose outlines have been read, because those of a page may be large and shown many times. */
  const tried = new Map<PdfjsFont, Set<number>>();
  for (const { glyphs, font } of texts) {
    if (!font) continue;
    const known = strokes.get(font) ?? new Map<string, Stroke & { stretch: number }>();
    strokes.set(font, known);
    if (!tried.has(font)) tried.set(font, new Set());
    for (const glyph of glyphs) {
      if (typeof glyph === 'number' || known.has(glyph.unicode) || glyph.isGuess) continue;
      const [factor, usual] = measured.get(glyph.unicode) ?? [];
      if (!factor || tried.get(font)!.has(glyph.originalCharCode)) continue;
      tried.get(font)!.add(glyph.originalCharCode);
      const key = `${font.loadedName} ${glyph.originalCharCode}`;
      if (!measuredStrokes.has(key)) {
        const outline = outlineOf(glyph);
        measuredStrokes.set(key, outline && strokeOf(outline));
      }
      const stroke = measuredStrokes.get(key);
      if (!stroke) continue;
      const stretch = (glyph.width / 1000 / stroke.height) * (usual! / advanceIn('arimo', glyph.unicode)!);
      known.set(glyph.unicode, { ...stroke, width: stroke.width / factor, stretch });
    }
  }
  const faces = new Map<PdfjsFont, MeasuredFace>();
  for (const [font, letters] of strokes) {
    if (letters.size < minLetters) continue;
    const width = median([...letters.values()].map(({ width }) => width));
    const slope = median([...letters.values()].map(({ slope }) => slope));
    const rise = median([...letters.values()].map(({ bottom }) => bottom));
    const stretch = median([...letters.values()].map(({ stretch }) => stretch));
    const wide = width / Math.min(1, Math.max(minStretch, stretch));
    const stroke = stretch < narrow ? wide : width;
    const isBold = regular.test(font.name)
      ? width >= limits.boldMedium
      : width >= limits.bold || wide >= limits.boldNarrow;
    const weight = isBold ? 'bold' : stroke < limits.light ? 'light' : 'regular';
    const italic = slope > limits.slope;
    const standing = footed[italic ? 'italic' : 'upright'];
    const feet = [...letters].flatMap(([letter, { foot }]) => (standing.test(letter) ? foot : []));
    const serif = feet.length < minFeet ? undefined : median(feet) > limits.foot;
    faces.set(font, { weight, stroke, italic, rise: Math.abs(rise) < minRise ? 0 : rise, serif });
  }
  return faces;
}

/** The leftmost stroke of a letter. Its width is a share of the letter's height. */
export interface Stroke {
  width: number;
  slope: number;
  /** The lowest point and the height of the letter, in em. */
  bottom: number;
  height: number;
  /** The width at the bottom, as a factor of the width above. */
  foot: number;
}

function strokeOf(outline: ArrayLike<number>): Stroke | undefined {
  const lines = linesOf(outline);
  let [bottom, top] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [, from, , to] of lines) {
    bottom = Math.min(bottom, from, to);
    top = Math.max(top, from, to);
  }
  const height = top - bottom;
  const [low, high] = heights.map((share) => leftmostInk(lines, bottom + share * height));
  const foot = leftmostInk(lines, bottom + footHeight * height);
  if (!low || !high) return undefined;
  return {
    width: (low.right - low.left) / height,
    slope: (high.left - low.left) / ((heights[1] - heights[0]) * height),
    bottom,
    height,
    foot: foot ? (foot.right - foot.left) / (low.right - low.left) : 1,
  };
}

/** The number of operands of each operator in the outlines of pdf.js: a move, a line, two kinds of curves, a close. */
const operands = [2, 2, 6, 4, 0] as const;
/** The number of lines by which a curve is replaced. */
const linesOfCurve = 8;

type Line = readonly [x: number, y: number, toX: number, toY: number];

/** Returns an outline as straight lines. */
function linesOf(outline: ArrayLike<number>): Line[] {
  const lines: Line[] = [];
  let pen: Point = [0, 0];
  let start = pen;
  const draw = (to: Point): void => {
    if (pen[0] !== to[0] || pen[1] !== to[1]) lines.push([...pen, ...to]);
    pen = to;
  };
  for (let at = 0; at < outline.length; ) {
    const count = operands[outline[at++]!] ?? 0;
    const points = Array.from(
      { length: count / 2 },
      (_, index): Point => [outline[at + 2 * index]!, outline[at + 2 * index + 1]!],
    );
    const isMove = outline[at - 1] === 0;
    at += count;
    if (isMove || points.length === 0) draw(start);
    const curve = [pen, ...points];
    const steps = points.length > 1 ? linesOfCurve : 1;
    if (isMove) start = pen = points[0]!;
    else for (let step = 1; step <= steps; step++) draw(pointOf(curve, step / steps));
  }
  draw(start);
  return lines;
}

/** Returns the ends of the leftmost ink at a height; undefined if missing. */
function leftmostInk(lines: readonly Line[], height: number): { left: number; right: number } | undefined {
  const edges = lines
    .filter(([, from, , to]) => from <= height !== to <= height)
    .map(([x, from, toX, to]) => ({
      x: x + ((toX - x) * (height - from)) / (to - from),
      turn: Math.sign(to - from),
    }))
    .sort((one, other) => one.x - other.x);
  // Outlines may overlap, so the ink ends where as many of them have ended as have started.
  let winding = 0;
  const right = edges.find(({ turn }) => {
    winding += turn;
    return winding === 0;
  });
  return right && { left: edges[0]!.x, right: right.x };
}
