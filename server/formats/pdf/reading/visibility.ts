import {
  apply,
  area,
  Bands,
  holds,
  intersection,
  invert,
  type Rectangle,
  transformRectangle,
  union,
  widen,
} from '../geometry.ts';
import { type KeptReason, type Paint, type ShownText, unknownText } from '../page-content.ts';
import { firstFrom, least, median, runsOf } from '../statistics.ts';
import type { Coverage } from './coverage.ts';
import { drawsNothing } from './fonts/type3-outlines.ts';
import type { TextOperator } from './interpretation.ts';

/** The visibility of a text is tested at no more than this number of positions. */
const maxPoints = 64;

/** The maximum gap between glyphs of one word, in em. */
const maxGapInWord = 0.2;

type PlacedText = ShownText & { operator: TextOperator; isEmpty?: boolean };

/** The size below which a text is hidden, in points, and as a share of the page's usual size. */
const unreadable = { size: 1.5, share: 0.25 };

/** A text with the reason why it is hidden; undefined if it is visible. */
interface SeenText {
  text: PlacedText;
  hidden: KeptReason | undefined;
}

/**
 * Marks the texts that must not be translated because they are hidden: invisible texts, texts that are too small to read,
 * and texts that are partly covered. The translation of a partly covered text would reveal the covered part.
 *
 * Many programs show each letter by a separate operator, so the letters of a word are judged together. If only the end
 * of a word is clipped, the whole word counts as visible. If only a part of a word is covered, the whole word is kept.
 *
 * @param texts the texts of the page in painting order; their `kept` is changed
 */
export function keepHidden(texts: readonly PlacedText[], paints: readonly Paint[], coverage: Coverage): void {
  const shapes = new Bands<Paint>();
  for (const paint of paints) if (paint.kind !== 'image') shapes.add(paint.box, paint);
  const drawnOver = new Set(
    runsOf(texts, areLetters)
      .filter((run) => isDrawnOver(run, shapes))
      .flat(),
  );
  const hasTiny = texts.some((text) => sizeOf(text) < unreadable.size);
  const usual = hasTiny ? median(texts.flatMap((text) => text.glyphs.map(() => sizeOf(text)))) : 0;
  const least = Math.min(unreadable.size, unreadable.share * usual);
  const drawn = [...Map.groupBy(texts.filter(isUndrawn), ({ operator }) => operator.filled())].flatMap(
    ([shapes, letters]) => {
      if (shapes.length === 0 || !areLettersOf(letters, shapes)) return [];
      const own = isParted(shapes) ? shapesOfTexts(letters, shapes) : undefined;
      for (const text of letters)
        Object.assign(text, {
          shapes: own ? (own.get(text) ?? []) : shapes,
          color: shapes[0]!.color,
        });
      return [...Map.groupBy(letters, ({ matrix }) => Math.round(matrix[5])).values()].map((line) => ({
        line,
        size: Math.round(sizeOf(line[0]!)),
        byStraight: areBold(line, shapes, /[Ii|]/),
        byL: areBold(line, shapes, /l/),
        blackness: blacknessOf(line, shapes),
      }));
    },
  );
  // In some fonts an l has a tail.
  const isStraight = drawn.some(({ byStraight }) => byStraight !== undefined);
  const judged = drawn.map((one) => ({ ...one, isBold: isStraight ? one.byStraight : one.byL }));
  const known = judged
    .filter(({ isBold }) => isBold !== undefined)
    .sort((one, other) => one.blackness - other.blackness);
  const unknown = judged.filter(({ isBold }) => isBold === undefined);
  // A few letters can be lighter than the others of their style.
  for (const lines of Map.groupBy(unknown, ({ size }) => size).values()) {
    const usual = median(lines.map(({ blackness }) => blackness));
    for (const one of lines) {
      const [less, more] = [one.blackness, usual].toSorted((a, b) => a - b) as [number, number];
      one.isBold = areAsBold(more < less * alike ? usual : one.blackness, known);
    }
  }
  for (const { line, isBold } of judged)
    for (const text of line) text.font = { ...text.font, bold: isBold ?? isBoldByDefault(text) };
  const seen = texts.map((text): SeenText => {
    const hidden = sizeOf(text) < least ? 'tiny' : hiddenReason(text, coverage);
    return { text, hidden: hidden ?? (drawnOver.has(text) ? 'stencil' : undefined) };
  });
  let word: SeenText[] = [];
  for (const item of seen) {
    const last = word.at(-1);
    if (last && !isSameWord(last.text, item.text)) {
      judgeWord(word);
      word = [];
    }
    word.push(item);
    // If the text contains several words, only the last of them can continue in the next text.
    if (word.length > 1 && item.text.glyphs.some(({ text }) => isBlank(text))) {
      judgeWord(word);
      word = [item];
    }
  }
  judgeWord(word);
  for (const { text, hidden } of seen) text.kept = hidden ?? text.kept;
}

const sizeOf = ({ matrix: [, , c, d] }: ShownText): number => Math.hypot(c, d);

/** The maximum number of comparisons of letters or texts with shapes, to limit the time: a page of text in one path has less. */
const maxCompared = 1e7;
/** The minimum share of the width of transparent letters that their shapes have, and their heights in em. */
const shareFilled = 0.8;
const [lowest, highest] = [-0.4, 1.2];

/**
 * Whether shapes are those of transparent letters, which make the shapes searchable. Each letter has one or more of them: a
 * bar over a removed text is not a letter.
 */
function areLettersOf(texts: readonly PlacedText[], shapes: readonly Paint[]): boolean {
  let letters = 0;
  const boxes = texts.flatMap(({ glyphs, matrix }) => {
    const shown = glyphs.filter(({ text }) => !isBlank(text));
    letters += shown.length;
    const [first, last] = [shown[0], shown.at(-1)];
    if (!first || !last) return [];
    const [left, right] = [first.x - maxOutside, last.x + last.advance + maxOutside];
    return [transformRectangle(matrix, { left, right, bottom: lowest, top: highest })];
  });
  if (letters === 0 || shapes.length < letters || shapes.some(({ color }) => color === undefined))
    return false;
  if (Math.max(letters, texts.length) * shapes.length > maxCompared) return false;
  const [area, drawn] = [boxes.reduce(union), shapes.map(({ box }) => box).reduce(union)];
  const lengthOf = ({ left, right, bottom, top }: Rectangle): number => Math.max(right - left, top - bottom);
  return holds(area, drawn) && lengthOf(drawn) > shareFilled * lengthOf(area);
}

/** The width of an upright stroke from which letters are bold, in em: Arimo's have 0.09, and 0.14 if they are bold. */
const boldStroke = 0.115;

/** The minimum height of an upright stroke, in em. The dot of an i is lower. */
const minStrokeHeight = 0.3;

/**
 * Whether letters are bold by those that are only an upright stroke; undefined without such letters. Programs that have no
 * bold font draw shapes, and others draw all letters as shapes.
 */
function areBold(
  texts: readonly PlacedText[],
  shapes: readonly Paint[],
  upright: RegExp,
): boolean | undefined {
  const strokes = texts.flatMap((text) =>
    boxesOf(text, upright).flatMap((letter) => {
      const size = Math.hypot(text.matrix[0], text.matrix[1]);
      return shapes.flatMap(({ box }) => {
        const sides = [box.right - box.left, box.top - box.bottom].map((side) => side / size);
        return holds(letter, box) && Math.max(...sides) > minStrokeHeight ? [Math.min(...sides)] : [];
      });
    }),
  );
  return strokes.length > 0 ? median(strokes) > boldStroke : undefined;
}

/** The minimum factor by which bold letters are blacker than regular ones, and the maximum one between texts of one style. */
const [bolder, alike] = [1.2, 1.3];

/**
 * Whether letters without upright strokes are bold, by the lines that are as black; undefined without such lines.
 * @param known lines in the order of their blackness: a page can have very many
 */
function areAsBold(
  blackness: number,
  known: readonly { isBold?: boolean | undefined; blackness: number }[],
): boolean | undefined {
  const at = firstFrom(known, (one) => one.blackness < blackness);
  const [below, above] = [known[at - 1], known[at]];
  const isNearBelow = below && (!above || blackness - below.blackness < above.blackness - blackness);
  const nearest = isNearBelow ? below : above;
  if (!nearest) return undefined;
  return nearest.isBold ? blackness * bolder > nearest.blackness : blackness > nearest.blackness * bolder;
}

/** Returns the area of letters as a share of the area of their line: it shows which lines are as bold as others. */
function blacknessOf(texts: readonly PlacedText[], shapes: readonly Paint[]): number {
  const letters = texts.flatMap((text) => boxesOf(text, /\S/u));
  if (letters.length === 0) return 0;
  const line = letters.reduce(union);
  const own = shapes.filter(({ box }) => holds(line, box));
  const ink = own.reduce((sum, { ink = 0 }) => sum + ink, 0);
  return Math.abs(ink) / letters.reduce((sum, letter) => sum + area(letter), 0);
}

/** Returns the boxes of the glyphs with some characters. */
function boxesOf({ glyphs, matrix }: PlacedText, characters: RegExp): Rectangle[] {
  return glyphs.flatMap(({ text, x, advance }) =>
    characters.test(text)
      ? transformRectangle(matrix, { left: x, right: x + advance, bottom: lowest, top: highest })
      : [],
  );
}

/** Whether each of the shapes can be removed without the others. */
const isParted = ([one, other]: readonly Paint[]): boolean => one?.place?.start !== other?.place?.start;

/** Returns the shapes of each text: those nearest to it, without those of unknown letters, which cannot be written again. */
function shapesOfTexts(texts: readonly PlacedText[], shapes: readonly Paint[]): Map<PlacedText, Paint[]> {
  const unknown = texts.flatMap((text) => boxesOf(text, new RegExp(unknownText)));
  const known = shapes.filter(({ box }) => !unknown.some((letter) => holds(letter, box)));
  const lines = texts.map((text) => {
    const { x = 0, advance = 0 } = text.glyphs.at(-1) ?? {};
    return { text, inverse: invert(text.matrix) ?? text.matrix, end: x + advance };
  });
  return Map.groupBy(known, ({ box: { left, right, bottom, top } }) => {
    const distances = lines.map(({ inverse, end }) => {
      const [x, y] = apply(inverse, (left + right) / 2, (bottom + top) / 2);
      return Math.hypot(Math.max(0, -x, x - end), y - (lowest + highest) / 2);
    });
    return lines[distances.indexOf(least(distances))]!.text;
  });
}

function judgeWord(word: readonly SeenText[]): void {
  if (word.length < 2) return;
  const isSeen = word.some(({ hidden }) => hidden === undefined || hidden === 'partly_covered');
  if (!isSeen) return;
  const isCovered = word.some(({ hidden }) => hidden === 'covered' || hidden === 'partly_covered');
  for (const item of word) {
    if (isCovered) item.hidden ??= 'partly_covered';
    else if (item.hidden === 'clipped') item.hidden = undefined;
  }
}

function isSameWord(one: PlacedText, other: PlacedText): boolean {
  const [last, first] = [one.glyphs.at(-1), other.glyphs[0]];
  if (!last || !first || isBlank(last.text) || isBlank(first.text)) return false;
  const [a, b, c, d, e, f] = one.matrix;
  const determinant = a * d - b * c;
  const [x, y] = [other.matrix[4] - e, other.matrix[5] - f];
  const along = (d * x - c * y) / determinant - last.x - last.advance;
  const above = (a * y - b * x) / determinant;
  return Math.abs(along) <= maxGapInWord && Math.abs(above) <= maxGapInWord;
}

function isBlank(text: string): boolean {
  return text !== '' && text.trim() === '';
}

function hiddenReason(text: PlacedText, coverage: Coverage): KeptReason | undefined {
  const { operator, glyphs, matrix, order, shapes } = text;
  if (isUndrawn(text) && !shapes) return 'invisible';
  if (glyphs.length === 0) return undefined;
  const [a, b, c, d] = matrix;
  if (!(Math.abs(a * d - b * c) > 1e-6)) return 'invisible';
  const { clip } = operator;
  const last = glyphs.at(-1)!;
  const box = transformRectangle(matrix, { left: 0, bottom: 0, right: last.x + last.advance, top: 0.5 });
  if (clip === null || intersection(clip, widen(box, 0.01)) === undefined) return 'clipped';
  const mayBeCovered = coverage.mayCover(order);
  if (!mayBeCovered && holds(clip, box)) return undefined;
  const points = pointsOf(text, clip);
  if (points.length === 0) return 'clipped';
  if (!mayBeCovered) return undefined;
  const isCovered = points.map(({ x, y }) => coverage.covers(x, y, order));
  if (isCovered.every((covered) => covered)) return 'covered';
  // Only letters and digits are considered. Dots before a page number, for example, may be partly covered without loss.
  const hasLetter = (covered: boolean): boolean =>
    points.some(({ isLetter }, index) => isLetter && isCovered[index] === covered);
  return hasLetter(true) && hasLetter(false) ? 'partly_covered' : undefined;
}

/**
 * The minimum number and share of the letters of a text over which shapes are drawn that look like them, and the maximum
 * number of letters, which limits the time.
 */
const [minDrawn, shareDrawn, maxDrawn] = [4, 0.8, 500];
/** The minimum width of such a shape, and its maximum distance outside the letter, as shares of the letter's width. */
const [minWidth, maxOutside] = [0.4, 0.15];
/** The maximum number of shapes a letter: a letter has up to three, and its edge may be drawn apart. */
const maxShapes = 8;

/** Whether a text is the next letter on the line of others that are each shown by a separate operator. */
function areLetters(run: readonly PlacedText[], text: PlacedText): boolean {
  const last = run.at(-1)!;
  if (last.glyphs.length > 1 || text.glyphs.length > 1) return false;
  const [a, b, c, d, e, f] = last.matrix;
  const [x, y] = [text.matrix[4] - e, text.matrix[5] - f];
  const determinant = a * d - b * c;
  const isOnLine = Math.abs((a * y - b * x) / determinant) < maxGapInWord;
  return isOnLine && (d * x - c * y) / determinant > 0 && text.font === last.font;
}

/**
 * Whether the letters of texts are drawn again as shapes, for example with a gradient over them, or as their edges, which
 * may also be below them. The shapes cannot be translated.
 */
function isDrawnOver(texts: readonly PlacedText[], shapes: Bands<Paint>): boolean {
  const letters = texts.flatMap(({ glyphs, matrix }) =>
    glyphs.flatMap(({ text, x, advance }) => (/^\p{L}$/u.test(text) ? [{ matrix, x, advance }] : [])),
  );
  if (letters.length < minDrawn || letters.length > maxDrawn) return false;
  const { order } = texts.at(-1)!;
  const placed = letters.map(({ matrix, x, advance }) =>
    transformRectangle(matrix, { left: x, right: x + advance, bottom: -0.3, top: 1.1 }),
  );
  const whole = placed.reduce(union);
  // The shapes of other texts and drawings are left out once, and not for each letter.
  const near = [...shapes.near(whole.bottom, whole.top)].filter(
    ({ box, kind, order: place }) => (place > order || kind === 'stroke') && intersection(box, whole),
  );
  if (near.length < minDrawn || near.length > maxShapes * letters.length) return false;
  const drawn = placed.filter((own) => {
    const [width, height] = [own.right - own.left, own.top - own.bottom];
    return near.some(
      ({ box }) =>
        box.left > own.left - maxOutside * width &&
        box.right < own.right + maxOutside * width &&
        box.right - box.left > minWidth * width &&
        box.bottom > own.bottom &&
        box.top < own.top &&
        box.top - box.bottom > height / 4,
    );
  });
  return drawn.length >= shareDrawn * letters.length;
}

/**
 * Whether a text is not painted at all: it is neither filled nor stroked, and nothing is painted through its letters.
 */
function isUnpainted({ renderMode, stencil }: TextOperator): boolean {
  return renderMode === 3 || (renderMode === 7 && !stencil?.isPainted);
}

/** Whether a text draws no letters: its letters may be shapes. */
function isUndrawn({ operator, isEmpty }: PlacedText): boolean {
  return operator.isHidden || isEmpty === true || isUnpainted(operator);
}

/** Whether letters whose strokes are unknown are bold. Transparent letters have the font of a program without a bold one. */
function isBoldByDefault({ operator, isEmpty, font }: PlacedText): boolean {
  return isEmpty || isUnpainted(operator) ? font.bold : !drawsNothing(operator.font);
}

/** Returns the middles of some glyphs of a text, except those outside the clip. */
function pointsOf({ glyphs, matrix }: PlacedText, { left, right, bottom, top }: Rectangle) {
  const points: { x: number; y: number; isLetter: boolean }[] = [];
  const step = Math.max(1, Math.ceil(glyphs.length / maxPoints));
  for (let index = 0; index < glyphs.length; index += step) {
    const glyph = glyphs[index]!;
    const [x, y] = apply(matrix, glyph.x + glyph.advance / 2, 0.25);
    if (x < left || x > right || y < bottom || y > top) continue;
    points.push({ x, y, isLetter: glyph.text === unknownText || /[\p{L}\p{N}]/u.test(glyph.text) });
  }
  return points;
}
