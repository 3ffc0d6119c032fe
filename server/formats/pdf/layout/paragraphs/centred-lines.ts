import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/**
 * Whether a line and the line above it are centered. Lines of almost equal width are, if the lines next to them are.
 * Lines of a left-aligned text may have the same middle by chance.
 */
export function isCentredAt(chain: Chain, index: number): boolean {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  if (areCentred(above, line)) return !startsBelowOthers(chain, index);
  const size = Math.min(above.size, line.size);
  return (
    Math.abs(above.left + above.right - line.left - line.right) < 0.3 * size &&
    Math.abs(above.left - line.left) > 0.1 * size &&
    [index - 1, index + 1].some(
      (at) => at > 0 && chain[at] && areCentred(chain[at - 1]!, chain[at]) && !startsBelowOthers(chain, at),
    )
  );
}

/** Whether a line, or the line above it, starts exactly where lines near it start that have another middle. */
function startsBelowOthers(chain: Chain, index: number): boolean {
  const pair = [chain[index - 1]!, chain[index]!];
  return [...chain.slice(Math.max(0, index - 3), index - 1), ...chain.slice(index + 1, index + 3)].some(
    (other) =>
      pair.some(
        ({ left, right, size }) =>
          Math.abs(other.left - left) < 0.05 * size && Math.abs(other.right - right) > size,
      ),
  );
}

function areCentred(above: TextLine, line: TextLine): boolean {
  const size = Math.min(above.size, line.size);
  return (
    Math.abs(above.left + above.right - line.left - line.right) < 0.8 * size &&
    Math.abs(above.left - line.left) > 0.5 * size &&
    Math.abs(above.right - line.right) > 0.5 * size
  );
}
