import type { Translations } from '#server/platform/engines/engine.ts';

/**
 * Returns how much a repair changed, from 0 (nothing) to 1 (everything): the share of words that only one of the texts
 * has, in any order. In scripts without spaces, each character counts as a word. The time is linear in the texts.
 */
export function repairDelta(before: Translations, after: Translations): number {
  const counts = new Map<string, number>();
  let total = 0;
  for (const piece of before.flatMap(pieces)) {
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
    total += 1;
  }
  let common = 0;
  for (const piece of after.flatMap(pieces)) {
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

function pieces(text: string): string[] {
  return text.match(piece) ?? [];
}
