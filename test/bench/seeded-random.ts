/** Returns a random number in [0, 1). */
export type Random = () => number;

/** Creates a generator that always returns the same numbers for the same seed (Mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a random item. The list must not be empty. */
export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}

/** Returns the items in random order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  for (let end = left.length - 1; end > 0; end--) {
    const at = Math.floor(random() * (end + 1));
    [left[end], left[at]] = [left[at]!, left[end]!];
  }
  return left;
}
