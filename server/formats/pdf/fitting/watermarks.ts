import { apply, invert, type Matrix } from '../geometry.ts';
import type { TextBlock } from '../text-block.ts';

/** The height above the baseline at which a line is read, in em. */
const middleOfLetters = 0.3;

/**
 * Returns the ids of the watermarks: sloped texts over other texts of the page. They do not share the free space with
 * those texts.
 */
export function watermarksOf(blocks: readonly TextBlock[]): Set<string> {
  const sloped = blocks.filter(isSloped);
  if (sloped.length === 0) return new Set();
  const others = blocks.filter((block) => !isSloped(block)).flatMap(pointsOf);
  return new Set(sloped.filter((block) => lieIn(others, block)).map(({ id }) => id));
}

/** Whether a text is drawn at an angle. */
export function isSloped({ matrix: [a, b] }: { matrix: Matrix }): boolean {
  return Math.min(Math.abs(a), Math.abs(b)) > 0.02 * Math.max(Math.abs(a), Math.abs(b));
}

function pointsOf({ lines, matrix, style: { size } }: TextBlock): [number, number][] {
  return lines.flatMap(({ left, right, baseline }) =>
    [left, (left + right) / 2, right].map((x) => apply(matrix, x, baseline + middleOfLetters * size)),
  );
}

function lieIn(points: readonly [number, number][], { matrix, box }: TextBlock): boolean {
  const toBlock = invert(matrix);
  return (
    toBlock !== undefined &&
    points.some(([pageX, pageY]) => {
      const [x, y] = apply(toBlock, pageX, pageY);
      return x > box.left && x < box.right && y > box.bottom && y < box.top;
    })
  );
}
