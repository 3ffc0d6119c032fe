const pairs: Readonly<Record<string, string>> = { '(': ')', '{': '}' };

/** The maximum length of a group. */
const maxLength = 2_000;

/**
 * Returns the offset after a group in brackets: after the bracket that closes the one at `start`. Brackets in strings do not
 * count.
 *
 * @returns -1 without such a bracket
 */
export function endOfGroup(source: string, start: number): number {
  const open = source[start]!;
  const close = pairs[open];
  let depth = 0;
  const end = Math.min(source.length, start + maxLength);
  for (let at = start; at < end; at++) {
    const sign = source[at]!;
    if (sign === open) depth++;
    else if (sign === close && --depth === 0) return at + 1;
    else if (sign === '"' || sign === "'" || sign === '`') {
      const last = source.indexOf(sign, at + 1);
      // Not a quote, but an apostrophe.
      if (last < 0 || last >= end || /[\r\n]/.test(source.slice(at, last))) continue;
      at = last;
    }
  }
  return -1;
}
