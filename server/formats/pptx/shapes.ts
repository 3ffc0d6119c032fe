import type { XmlStartTag } from '../office/xml-reader.ts';
import { isOnValue } from './drawing-xml.ts';

/** The number of English Metric Units in a point. */
export const emusPerPoint = 12_700;

/** A rectangle on a slide, in English Metric Units. */
export interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The role by which a shape inherits from a shape of the layout or the master. */
export interface Placeholder {
  /** `title`, `body`, `ftr`, …; `obj` if missing. */
  type: string;
  index: string | undefined;
}

/** The scale and the move from the coordinates in a group to those of the slide. */
interface Transform {
  scaleX: number;
  scaleY: number;
  x: number;
  y: number;
}

const identity: Transform = { scaleX: 1, scaleY: 1, x: 0, y: 0 };

/** A shape, a table or a group. */
export interface Shape {
  placeholder: Placeholder | undefined;
  /** The place of the shape on its slide; undefined if it inherits its place. */
  frame: Frame | undefined;
  isHidden: boolean;
}

interface OpenShape extends Shape {
  depth: number;
  isGroup: boolean;
  /** The coordinates in which the shape is placed, and for a group those of its shapes. */
  outer: Transform;
  inner: Transform;
}

const shapes: ReadonlySet<string> = new Set('sp cxnSp pic graphicFrame grpSp'.split(' '));

/** Follows the shapes around the current position of a part. */
export class ShapeStack {
  readonly #open: OpenShape[] = [];
  #placeAt = 0;

  /** The innermost shape around the current position. */
  get current(): Shape | undefined {
    return this.#open.at(-1);
  }

  open(tag: XmlStartTag, depth: number): void {
    const { local, attributes } = tag;
    const shape = this.#open.at(-1);
    if (shapes.has(local)) {
      const outer = shape?.inner ?? identity;
      this.#open.push({
        ...{
          depth,
          isGroup: local === 'grpSp',
          outer,
          inner: outer,
          frame: undefined,
          placeholder: undefined,
        },
        isHidden: shape?.isHidden === true,
      });
    } else if (!shape) return;
    else if (local === 'cNvPr') shape.isHidden ||= isOnValue(attributes['hidden']);
    else if (local === 'ph')
      shape.placeholder = { type: attributes['type'] ?? 'obj', index: attributes['idx'] };
    else if (local === 'xfrm' && !shape.frame && this.#placeAt === 0) {
      this.#placeAt = depth;
      shape.frame = { x: 0, y: 0, width: 0, height: 0 };
    } else if (this.#placeAt === depth - 1) this.#place(shape, tag);
  }

  close(depth: number): void {
    if (depth === this.#placeAt) this.#placeAt = 0;
    if (depth === this.#open.at(-1)?.depth) this.#open.pop();
  }

  #place(shape: OpenShape, { local, attributes }: XmlStartTag): void {
    const [one, other] = [
      Number(attributes['x'] ?? attributes['cx']),
      Number(attributes['y'] ?? attributes['cy']),
    ];
    if (!Number.isFinite(one) || !Number.isFinite(other)) return;
    const { outer, frame } = shape;
    if (local === 'off')
      Object.assign(frame!, { x: outer.x + one * outer.scaleX, y: outer.y + other * outer.scaleY });
    else if (local === 'ext')
      Object.assign(frame!, { width: one * outer.scaleX, height: other * outer.scaleY });
    else if (!shape.isGroup) return;
    else if (local === 'chExt' && one > 0 && other > 0)
      Object.assign(shape.inner, { scaleX: frame!.width / one, scaleY: frame!.height / other });
    else if (local === 'chOff') shape.inner = { ...shape.inner, x: one, y: other };
    // The offset of the children is read before their size.
    if (local === 'chExt')
      shape.inner = {
        ...shape.inner,
        x: frame!.x - shape.inner.x * shape.inner.scaleX,
        y: frame!.y - shape.inner.y * shape.inner.scaleY,
      };
  }
}
