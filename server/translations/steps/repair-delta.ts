/** How much of a text a repair may change before a person looks at it. */
export const highRepairDelta = 0.5;

/**
 * How much repair changed, 0 (nothing) to 1 (everything): the share of pieces (words; characters where a script has
 * no spaces) that the two texts do not have in common, wherever they stand. Linear in the texts.
 */
export function repairDelta(before: string, after: string): number {
  if (before === after) return 0;
  const counts = new Map<string, number>();
  let total = 0;
  for (const piece of pieces(before)) {
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
    total += 1;
  }
  let common = 0;
  for (const piece of pieces(after)) {
    total += 1;
    const left = counts.get(piece) ?? 0;
    if (left === 0) continue;
    counts.set(piece, left - 1);
    common += 1;
  }
  return total === 0 ? 0 : 1 - (2 * common) / total;
}

const piece =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+|[^\s]/gu;

function pieces(text: string): Iterable<string> {
  return text.match(piece) ?? [];
}
