/** The number of occurrences of each word. */
type Bag = Map<string, number>;

/** In scripts without spaces, each character counts separately. */
const spaceless = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
const word = new RegExp(String.raw`${spaceless}|(?:(?!${spaceless})[\p{L}\p{M}\p{N}])+`, 'gu');

/**
 * The words of a text without punctuation, in compatibility form: programs differ in punctuation, ligatures, spaces and
 * the dot below an accent, but not in letters.
 */
export function wordsOf(text: string): string[] {
  const composed = text.replace(/ı(?=\p{M})/gu, 'i').normalize('NFKC');
  return composed.toLowerCase().match(word) ?? [];
}

/** The differences between the words that two programs have read from the same text. */
export interface WordDifference {
  /** Words that only the first program has read. */
  missing: string[];
  /** Words that only the second program has read. */
  surplus: string[];
}

/**
 * Compares words and the number of their occurrences. Programs split words differently at line ends and between letters
 * that are placed separately. A word therefore counts as found if the other side contains its parts; each part counts
 * only once.
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

/** Removes words of one side that together are one word of the other side. */
function joinParts(missing: readonly string[], surplus: readonly string[]): WordDifference {
  const [rest, others] = withoutWholes([...missing], [...surplus]);
  const [left, right] = withoutWholes(others, rest);
  return withoutPairs({ missing: right, surplus: left });
}

/**
 * Removes pairs of words that have the same letters on both sides but are split differently, such as `stop theworld`
 * and `stopthe world`.
 */
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

/** Removes each word in `wholes` that can be joined from words in `parts`, and removes these parts. */
function withoutWholes(wholes: readonly string[], parts: string[]): [string[], string[]] {
  const left = [...parts];
  const rest = wholes.filter((whole) => {
    const used = partsOf(whole, left);
    for (const part of used ?? []) left.splice(left.indexOf(part), 1);
    return used === null;
  });
  return [rest, left];
}

/** The parts that together are the word; null if it cannot be joined from them. */
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
