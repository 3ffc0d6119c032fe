import { PDFDict, PDFName, PDFStream } from '@cantoo/pdf-lib';
import { intersection, type Rectangle, transformRectangle, union, widen } from '../geometry.ts';
import { decodeStream, get, getNumber, getNumbers } from '../objects.ts';
import type { OperatorPlace, Paint } from '../page-content.ts';
import type { Color } from './color.ts';
import type { ContentScanner } from './content-scanner.ts';
import type { GraphicsState } from './graphics-state.ts';
import type { Operand } from './operand.ts';
import { boxesAlong, isUpright, Path, type Subpath, slicesOf } from './path.ts';

/** The operators that end a path, each with whether it fills and strokes the path. */
const pathEnds: Record<string, { fills: boolean; strokes: boolean }> = {
  n: { fills: false, strokes: false },
  f: { fills: true, strokes: false },
  F: { fills: true, strokes: false },
  'f*': { fills: true, strokes: false },
  S: { fills: false, strokes: true },
  s: { fills: false, strokes: true },
  B: { fills: true, strokes: true },
  'B*': { fills: true, strokes: true },
  b: { fills: true, strokes: true },
  'b*': { fills: true, strokes: true },
};

const pathParts: ReadonlySet<string> = new Set(['m', 'l', 'c', 'v', 'y', 'h', 're', 'W', 'W*']);
/** The maximum number of bytes between two operators of a path, and what may be there: blanks and operators of a color. */
const maxBetween = 100;
const between = /^\s*(?:(?:[\d.]+|\/\w+)\s+|(?:g|rg|k|cs|scn?|gs)\s+)*$/i;

/** The maximum number of parts of a path that are compared with each other. */
const maxParts = 64;
/** The number of boxes along the lines of a page from which a further line has only one box: it limits the memory. */
const maxBoxes = 40_000;

/** Collects the painted objects of a page except text, and applies clipping paths to the graphics state. */
export class Painter {
  readonly paints: Paint[] = [];
  /** The number of objects that are not shown, because their layer is off. */
  hidden = 0;
  /** Returns the objects of the last path, if it was only filled and can be removed, if possible without the others. */
  filled: () => readonly Paint[] = () => [];
  readonly #path = new Path();
  #boxes = 0;
  readonly #nextOrder: () => number;
  #clips = false;
  /**
   * The position of the operators of the open path, in the stream of a painting, and the operators of a color between
   * them. Undefined if the path is empty; null if other operators are between them.
   */
  #place: (OperatorPlace & { colors: string }) | null | undefined;

  /** @param nextOrder returns the order number of the next painted object */
  constructor(nextOrder: () => number) {
    this.#nextOrder = nextOrder;
  }

  /** Applies an operator that builds a path, paints, or clips. Other operators have no effect. */
  operate(scanner: ContentScanner, state: GraphicsState, isHidden: boolean, use: number): void {
    const { operator } = scanner;
    const end = pathEnds[operator];
    if (end !== undefined) {
      this.#extend(scanner, use);
      const own = this.#place;
      const keepsPath = own?.colors !== '';
      this.#endPath(state, end, isHidden, scanner.start, {
        place: keepsPath ? { use, start: scanner.start, end: scanner.end } : own,
        ...(keepsPath && { keepsPath }),
        ...(own && state.clip && { ctm: state.ctm, clip: state.clip }),
        ...(own && keepsPath && { path: own }),
      });
      this.#place = undefined;
      return;
    }
    if (pathParts.has(operator)) this.#extend(scanner, use);
    switch (operator) {
      case 'm':
      case 'l': {
        const [x, y] = scanner.numbers(2) ?? [];
        if (x === undefined || y === undefined) break;
        if (operator === 'm') this.#path.moveTo(state.ctm, x, y, scanner.start);
        else this.#path.lineTo(state.ctm, x, y);
        break;
      }
      case 'h':
        this.#path.lineToStart();
        break;
      case 'c':
      case 'v':
      case 'y':
        this.#path.curveTo(state.ctm, scanner.numbers(operator === 'c' ? 6 : 4) ?? []);
        break;
      case 're': {
        const [x, y, width, height] = scanner.numbers(4) ?? [];
        if (height !== undefined) {
          const place = { use, start: scanner.start, end: scanner.end };
          this.#path.rectangle(state.ctm, x!, y!, width!, height, place);
        }
        break;
      }
      case 'W':
      case 'W*':
        this.#clips = true;
        break;
      case 'sh':
        if (state.clip) this.#add('fill', state.clip, state, false, isHidden);
        break;
    }
  }

  #extend({ bytes, start, end }: ContentScanner, use: number): void {
    const place = this.#place;
    if (place === undefined) this.#place = { use, start, end, colors: '' };
    else if (place) {
      const isNear = place.use === use && start >= place.end && start - place.end <= maxBetween;
      const added = isNear ? Buffer.from(bytes.subarray(place.end, start)).toString('latin1') : '';
      this.#place =
        isNear && between.test(added)
          ? { ...place, end, colors: `${place.colors} ${added.trim()}`.trim() }
          : null;
    }
  }

  paintImage(
    dictionary: ReadonlyMap<string, Operand> | PDFDict,
    state: GraphicsState,
    isHidden: boolean,
    place?: OperatorPlace,
  ): void {
    const keys = ['SMask', 'Mask', 'ImageMask', 'IM', 'SMaskInData'];
    const isMasked =
      dictionary instanceof Map
        ? keys.some((key) => dictionary.has(key))
        : keys.some((key) => (dictionary as PDFDict).has(PDFName.of(key)));
    const box = transformRectangle(state.ctm, { left: 0, bottom: 0, right: 1, top: 1 });
    const mask = dictionary instanceof PDFDict ? get(dictionary, 'SMask') : undefined;
    const shadow = place && mask instanceof PDFStream ? { place, isFaint: () => meanOf(mask) < 128 } : {};
    const isSolid = !isMasked || (mask instanceof PDFStream && isPlain(mask) && meanOf(mask) === 255);
    const covers = isSolid && state.fillAlpha === 1 && isUpright(state.ctm);
    this.#add('image', box, state, covers, isHidden, shadow);
  }

  #endPath(
    state: GraphicsState,
    { fills, strokes }: { fills: boolean; strokes: boolean },
    isHidden: boolean,
    endOfParts: number,
    whole: Pick<Paint, 'place' | 'keepsPath' | 'ctm' | 'clip' | 'path'>,
  ): void {
    const subpaths = this.#path.take();
    const added: (Paint | undefined)[] = [];
    /** A path of one part is removed as a whole; of other paths, only rectangles can be removed. */
    const removable = (subpath: Subpath) =>
      this.#clips ? {} : subpaths.length === 1 ? whole : optional('place', subpath.place);
    const colored = ({ operators, isPortable, isPattern }: Color) =>
      optional('color', isPortable && !isPattern ? operators : undefined);
    if (fills && state.fillAlpha > 0) {
      const covers = state.fillAlpha === 1 && !state.fill.isPattern && areApart(subpaths);
      for (const subpath of subpaths) {
        const { box, sides, isPattern, isThin } = subpath;
        const isShape = sides && isWide(box) && this.#boxes < maxBoxes;
        const isWave = isPattern && isThin && isWide(box);
        const parts = isShape ? slicesOf(sides, box) : isWave ? [box] : undefined;
        this.#boxes += parts?.length ?? 0;
        added.push(
          this.#add('fill', box, state, covers && subpath.isRectangle, isHidden, {
            ...optional('parts', parts),
            ...removable(subpath),
            ...colored(state.fill),
          }),
        );
      }
    }
    if (strokes && state.strokeAlpha > 0) {
      const [a, b, c, d] = state.ctm;
      const half = (Math.abs(state.lineWidth) * Math.sqrt(Math.abs(a * d - b * c))) / 2;
      for (const subpath of subpaths) {
        const { box, curve, isPattern } = subpath;
        const isLine = curve && isWide(box);
        const along =
          isLine && this.#boxes < maxBoxes ? boxesAlong(curve) : isLine || isPattern ? [box] : undefined;
        const parts = along?.map((part) => widen(part, half));
        this.#boxes += parts?.length ?? 0;
        this.#add('stroke', widen(box, half), state, false, isHidden, {
          ...optional('parts', parts),
          ...removable(subpath),
          ...colored(state.stroke),
        });
      }
    }
    if (fills || strokes) {
      const isWhole = fills && !strokes && !this.#clips && state.fillAlpha === 1 && whole.place;
      const starts = [...subpaths.map((subpath) => subpath.start), endOfParts];
      const isParted = !whole.keepsPath && !starts.includes(undefined);
      let objects: readonly Paint[] = [];
      this.filled = () => {
        if (isWhole && objects.length === 0)
          objects = added.flatMap((paint, at) => {
            const place = { use: isWhole.use, start: starts[at]!, end: starts[at + 1]! };
            const { area } = subpaths[at]!;
            return paint ? [{ ...paint, ...whole, ink: area, ...(isParted && { place }) }] : [];
          });
        return objects;
      };
    }
    if (this.#clips) {
      const box = subpaths.map((subpath) => subpath.box).reduce<Rectangle | null>(joined, null);
      clipTo(state, box, subpaths.length === 1 && subpaths[0]!.isRectangle);
    }
    this.#clips = false;
  }

  /** @param covers whether the object is opaque, regardless of the graphics state */
  #add(
    kind: Paint['kind'],
    box: Rectangle,
    state: GraphicsState,
    covers: boolean,
    isHidden: boolean,
    details: Omit<Paint, 'kind' | 'box' | 'order' | 'opaque'> = {},
  ): Paint | undefined {
    const { clip, isClipExact, isBlended, isGroupOpaque } = state;
    if (isHidden) this.hidden++;
    if (isHidden || clip === null) return undefined;
    // A line may have no width and therefore no area, although it is visible.
    const visible = intersection(clip, box) ?? intersection(clip, widen(box, 0.01));
    if (visible === undefined) return undefined;
    if (state.stencil) state.stencil.isPainted = true;
    const opaque = covers && isClipExact && !isBlended && isGroupOpaque;
    const paint: Paint = { kind, box: visible, order: this.#nextOrder(), opaque, ...details };
    this.paints.push(paint);
    return paint;
  }
}

const means = new WeakMap<PDFStream, number>();

/** Returns the mean of a soft mask of 8 bits, from transparent (0) to opaque (255); 254 if it cannot be read. */
function meanOf(mask: PDFStream): number {
  const known = means.get(mask);
  if (known !== undefined) return known;
  const values = decodeStream(mask);
  const isRead = values.length > 0 && values.length === pixelsOf(mask);
  const sum = values.reduce((sum, value) => sum + value, 0);
  const mean = isRead ? sum / values.length : 254;
  const [first = 0, last = 1] = getNumbers(mask.dict, 'Decode', 2) ?? [];
  means.set(mask, isRead && first > last ? 255 - mean : mean);
  return means.get(mask)!;
}

/** Whether a mask is so well compressed that it may have only one value. */
function isPlain(mask: PDFStream): boolean {
  return 100 * mask.getContentsSize() < pixelsOf(mask);
}

function pixelsOf({ dict }: PDFStream): number {
  return (getNumber(dict, 'Width') ?? 0) * (getNumber(dict, 'Height') ?? 0);
}

/** Returns an object with the property, or without it if the value is undefined. */
function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}

/** Reduces the clip of a graphics state to its intersection with a rectangle. */
export function clipTo(state: GraphicsState, box: Rectangle | null, isExact: boolean): void {
  state.clip = (box && state.clip && intersection(state.clip, box)) ?? null;
  state.isClipExact &&= isExact;
}

/** Whether no two parts of a path overlap. If parts overlap, the common area may be a hole. */
function areApart(subpaths: readonly Subpath[]): boolean {
  if (subpaths.length > maxParts) return false;
  return subpaths.every(({ box }, index) =>
    subpaths.slice(index + 1).every((other) => intersection(box, other.box) === undefined),
  );
}

function joined(whole: Rectangle | null, box: Rectangle): Rectangle {
  return whole ? union(whole, box) : box;
}

/** Whether both sides of a line's box are longer than the thickness of a rule, so that most of the box is empty. */
function isWide({ left, bottom, right, top }: Rectangle): boolean {
  return Math.min(right - left, top - bottom) > 3;
}
