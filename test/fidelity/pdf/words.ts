/** Counts of words. */
type Bag = Map<string, number>;

/** In scripts without spaces, each character counts separately. */
const spaceless = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
const word = new RegExp(String.raw`${spaceless}|(?:(?!${spaceless})[\p{L}\p{M}\p{N}])+`, 'gu');

/**
 * The words of a text without signs, in compatibility form: programs differ in signs, ligatures and spaces, but not in
 * letters.
 */
export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(word) ?? [];
}

/** The differences between two readings of one text. */
export interface WordDifference {
  /** Words of the first that the second does not have. */
  missing: string[];
  /** Words of the second that the first does not have. */
  surplus: string[];
}

/**
 * Compares words as multisets. Programs divide words differently at line ends and between separately placed letters: a word
 * counts as found if its parts remain on the other side, each letter once.
 */
export function compareWords(first: readonly string[], second: readonly string[]): WordDifference {
  const bag: Bag = new Map();
  for (const word of second) bag.set(word, (bag.get(word) ?? 0) + 1);
  const missing = first.filter((word) => !take(bag, word));
  const surplus = [...bag].flatMap(([word, count]) => Array<string>(count).fill(word));
  return joinParts(missing, surplus);
}

function take(bag: Bag, word: string): boolean {
  const count = bag.get(word) ?? 0;
  if (count === 0) return false;
  if (count === 1) bag.delete(word);
  else bag.set(word, count - 1);
  return true;
}

/** Matches words of either side that are the parts of one word of the other. */
function joinParts(missing: readonly string[], surplus: readonly string[]): WordDifference {
  const [rest, others] = withoutWholes([...missing], [...surplus]);
  const [left, right] = withoutWholes(others, rest);
  return withoutPairs({ missing: right, surplus: left });
}

/** Removes two words of either side with the same letters, divided differently: `stop theworld` and `stopthe world`. */
function withoutPairs({ missing, surplus }: WordDifference): WordDifference {
  const pairs = new Map(pairsOf(missing).map((pair) => [pair.join(''), pair]));
  for (const other of pairsOf(surplus)) {
    const pair = pairs.get(other.join(''));
    if (pair) return withoutPairs({ missing: without(missing, pair), surplus: without(surplus, other) });
  }
  return { missing, surplus };
}

function pairsOf(words: readonly string[]): [string, string][] {
  return words.flatMap((one, index) =>
    words.toSpliced(index, 1).map((other): [string, string] => [one, other]),
  );
}

function without(words: readonly string[], taken: readonly string[]): string[] {
  const left = [...words];
  for (const word of taken) left.splice(left.indexOf(word), 1);
  return left;
}

/** Removes each word of `wholes` that consists of words of `parts`, and these words. */
function withoutWholes(wholes: readonly string[], parts: string[]): [string[], string[]] {
  const left = [...parts];
  const rest = wholes.filter((whole) => {
    const used = partsOf(whole, left);
    for (const part of used ?? []) left.splice(left.indexOf(part), 1);
    return used === null;
  });
  return [rest, left];
}

/** Returns null if the word cannot be put together. */
function partsOf(whole: string, parts: readonly string[]): string[] | null {
  if (whole === '') return [];
  const tried = new Set<string>();
  for (const [index, part] of parts.entries()) {
    if (tried.has(part) || !whole.startsWith(part)) continue;
    tried.add(part);
    const rest = partsOf(whole.slice(part.length), parts.toSpliced(index, 1));
    if (rest) return [part, ...rest];
  }
  return null;
}
