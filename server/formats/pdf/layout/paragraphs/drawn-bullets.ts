import { Bands, type Matrix, type Rectangle, transformRectangle } from '../../geometry.ts';
import type { Paint } from '../../page-content.ts';
import { append } from '../../statistics.ts';
import type { TextLine } from './text-lines.ts';

/** The sides of a bullet, its distance from its item, and its height above the baseline, in em. */
const bullet = { least: 0.08, most: 0.8, distance: 3, lowest: 0, highest: 0.75 };
/** The maximum height of a bullet, in points. */
const maxBullet = 26;
/** The minimum distance of a bullet from other objects above and below it, in em. */
const minFromOther = 0.3;

/** Whether a painted object is a bullet in front of a line. All positions are in one space. */
export function isDrawnBullet(
  { kind }: Pick<Paint, 'kind'>,
  box: Rectangle,
  { baseline, left, size }: { baseline: number; left: number; size: number },
): boolean {
  const [width, height] = [box.right - box.left, box.top - box.bottom];
  const middle = (box.bottom + box.top) / 2 - baseline;
  return (
    kind === 'fill' &&
    [width, height].every((side) => side > bullet.least * size && side < bullet.most * size) &&
    width < 2 * height &&
    height < 2 * width &&
    box.right < left + 0.1 * size &&
    box.left > left - bullet.distance * size &&
    middle > bullet.lowest * size &&
    middle < bullet.highest * size
  );
}

/**
 * Finds the lines after drawn bullets. At least two of one width are at the same position, or at the same
 * distance from their lines.
 */
export function linesWithBullets(
  paints: readonly Paint[],
  lines: readonly TextLine[],
  inverse: Matrix,
): Set<TextLine> {
  const bands = new Bands<{ paint: Paint; box: Rectangle }>();
  for (const paint of paints) {
    const box = transformRectangle(inverse, paint.box);
    if (paint.kind === 'fill' && box.top - box.bottom <= maxBullet) bands.add(box, { paint, box });
  }
  const found = new Map<string, TextLine[]>();
  for (const line of lines) {
    const near = [...bands.near(line.baseline, line.baseline + maxBullet)];
    const own = near.find(({ paint, box }) => isDrawnBullet(paint, box, line));
    if (!own || isInStack(own.box, minFromOther * line.size, bands)) continue;
    const { left, right } = own.box;
    for (const place of [`at ${Math.round(left)}`, `before ${Math.round(line.left - left)}`])
      append(found, `${place} ${Math.round(right - left)}`, line);
  }
  return new Set([...found.values()].filter(({ length }) => length > 1).flat());
}

/** Whether another object is directly above or below a box, as in a vertical label whose letters are shapes. */
function isInStack(box: Rectangle, distance: number, bands: Bands<{ box: Rectangle }>): boolean {
  const isOver = ({ box: other }: { box: Rectangle }) => {
    const gap = Math.max(other.bottom - box.top, box.bottom - other.top);
    const isBeside = Math.min(other.right, box.right) <= Math.max(other.left, box.left);
    return gap >= 0 && gap < distance && !isBeside;
  };
  return [...bands.near(box.bottom - distance, box.top + distance)].some(isOver);
}
