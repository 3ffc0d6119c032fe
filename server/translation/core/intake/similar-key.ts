/** With fewer letters, a typo cannot be distinguished from another word. */
const minLetters = 6;

/**
 * Returns the key that a caller may have meant: a key with one typo (one character more, one fewer, one different, or
 * two exchanged), or in another spelling (`minQualityScore`). Undefined if the key is exact, or resembles none.
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
