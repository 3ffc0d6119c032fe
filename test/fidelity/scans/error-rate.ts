/** Returns the number of characters that must be inserted, deleted or replaced to change one text into the other. */
export function editDistance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]];
  let row = Uint32Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, character] of from.entries()) {
    const next = new Uint32Array(to.length + 1);
    next[0] = index + 1;
    for (let at = 1; at <= to.length; at++)
      next[at] = Math.min(row[at]! + 1, next[at - 1]! + 1, row[at - 1]! + (character === to[at - 1] ? 0 : 1));
    row = next;
  }
  return row[to.length]!;
}

/** Makes texts comparable: one space for any white space, and no difference between forms of the same sign. */
export function comparable(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[\u200e\u200f\u061c\u200b-\u200d]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
