/** With fewer letters, a typo cannot be told from another word. */
const minLetters = 6;

/**
 * The key that a caller may have meant: one typo away (a character more, less, different, or two exchanged), or in another
 * spelling (`minQualityScore`). Undefined for an exact key.
 */
export function similarKey(key: string, keys: readonly string[]): string | undefined {
  if (key.length < minLetters || keys.includes(key)) return undefined;
  const plain = spelled(key);
  return keys.find((one) => spelled(one) === plain || isOneTypoAway(key, one));
}

function spelled(key: string): string {
  return key
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z\d]/g, '');
}

function isOneTypoAway(one: string, other: string): boolean {
  const difference = one.length - other.length;
  if (Math.abs(difference) > 1) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  if (difference > 0) return one.slice(at + 1) === other.slice(at);
  if (difference < 0) return one.slice(at) === other.slice(at + 1);
  return (
    one.slice(at + 1) === other.slice(at + 1) ||
    (one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2))
  );
}
