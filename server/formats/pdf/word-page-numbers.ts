import type { Rectangle } from './geometry.ts';
import type { Item } from './word-items.ts';

/** The height of the margins whose numbers are page numbers, as a share of the page's height. */
const margin = 0.1;
/** The height at the top and bottom of a page in which a detached number is a page number. */
const outerPart = 0.2;
/** The minimum distance of a page number from other text, as a factor of its font size. */
const minDistance = 1;

/**
 * Returns the page numbers, which a Word file does not have: signs in the margins, and a number above or below all other
 * texts.
 */
export function pageNumbersOf(items: readonly Item[], page: Rectangle): Set<Item> {
  const found = new Set<Item>();
  const height = page.top - page.bottom;
  const shown = items
    .filter(({ role }) => role !== 'leader')
    .sort((one, other) => one.box.bottom - other.box.bottom);
  const isNear = (item: Item, share: number): boolean =>
    item.box.bottom > page.top - share * height || item.box.top < page.bottom + share * height;
  const isDetached = (item: Item, gap: number): boolean => gap > minDistance * item.size;
  const [lowest, above] = shown;
  const fromTop = shown.toSorted((one, other) => other.box.top - one.box.top);
  const [highest, below] = fromTop;
  const detached = [
    lowest && above && isDetached(lowest, above.box.bottom - lowest.box.top) ? lowest : undefined,
    highest && below && isDetached(highest, highest.box.bottom - below.box.top) ? highest : undefined,
  ];
  for (const item of detached) if (item?.role === 'sign' && isNear(item, outerPart)) found.add(item);
  const rows = new Map<number, number>();
  const rowOf = ({ box }: Item): number => Math.round((box.bottom + box.top) / 4);
  for (const item of shown) rows.set(rowOf(item), (rows.get(rowOf(item)) ?? 0) + 1);
  for (const item of shown)
    if (item.role === 'sign' && isNear(item, margin) && rows.get(rowOf(item)) === 1) found.add(item);
  return found;
}
