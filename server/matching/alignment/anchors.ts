/** A sign that a translation usually keeps, such as a number or a name. */
interface Anchor {
  key: string;
  /** Whether a translation nearly always has it: a number, an address, an identifier. Others are words that look alike. */
  isStrong: boolean;
}

/** A text of one side, as an alignment compares it. */
export interface Side {
  /** UTF-16 units. */
  length: number;
  anchors: readonly Anchor[];
  /** Whether it is the first one of its paragraph. */
  opens: boolean;
}

/** Words in Katakana; words, numbers and addresses in scripts with spaces, which can follow Japanese or Chinese without one. */
const tokens =
  /[\p{sc=Kana}ー]{3,}|(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])[\p{L}\p{M}\p{N}](?:(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}])[\p{L}\p{M}\p{N}\p{Pc}.,:@/\\'’#+=~-])*/gu;
const katakana = /^\p{sc=Kana}/u;
const latinWord = /^[\p{Script=Latin}\p{M}]{4,}/u;
/** The number of letters in which the words of two languages are compared (Simard, Foster and Isabelle, 1992). */
const cognateLetters = 4;
/** The number of consonants in which a word is compared with one in Katakana. */
const soundLetters = 3;

/** A text with more anchors has enough of them. */
const maxAnchors = 64;

/** @param sounds whether words are also compared by their sound, because a side has words in Katakana */
export function sideOf(text: string, opens = false, sounds = false): Side {
  const found = new Map<string, boolean>();
  for (const [token] of text.normalize('NFKC').matchAll(tokens)) {
    if (found.size >= maxAnchors) break;
    const sound = sounds ? soundOf(token) : '';
    if (sound.length > 1) found.set(`~${sound.slice(0, soundLetters)}`, false);
    const digits = token.replace(/\P{Nd}/gu, '');
    if (digits.length > 0) found.set(`#${digits}`, true);
    else if (/[/@\\_=]|\p{L}[.:]\p{L}/u.test(token)) found.set(token.replace(/[.,:]+$/, ''), true);
    const word = latinWord.exec(token.normalize('NFD').replace(/\p{M}/gu, ''));
    if (word) found.set(word[0].slice(0, cognateLetters).toLowerCase(), false);
  }
  return {
    length: text.length,
    anchors: Array.from(found, ([key, isStrong]) => ({ key, isStrong })),
    opens,
  };
}

/** Katakana by its consonant, as it is compared. Vowels, semivowels and long sounds are left out. */
const consonants = new Map(
  Object.entries({
    ...{ k: 'カキクケコ', g: 'ガギグゲゴ', s: 'サシスセソザジズゼゾ', t: 'タチツテト', d: 'ダヂヅデド' },
    ...{ n: 'ナニヌネノンマミムメモ', h: 'ハヒフヘホ', b: 'バビブベボヴ', p: 'パピプペポ', r: 'ラリルレロ' },
  }).flatMap(([consonant, signs]) => Array.from(signs, (sign) => [sign, consonant])),
);

/** How the consonants of an English word become those of Katakana, in this order. */
const respelled: readonly [RegExp, string][] = [
  [/s$/, ''],
  [/(?:[tc]i|ss?i)(?=[ao])|sh|th|[cg](?=[eiy])|[jz]/g, 's'],
  [/e$/, ''],
  [/r(?![aeiouy])/g, ''],
  [/ph|f/g, 'h'],
  [/x/g, 'ks'],
  [/ch/g, 't'],
  [/ck|[cq]/g, 'k'],
  [/v/g, 'b'],
  [/l/g, 'r'],
  [/m/g, 'n'],
  [/([a-z])\1/g, '$1'],
  [/[^bdghknprst]/g, ''],
];

/** Returns the consonants of a word as Japanese pronounces it: "dsk" for "disk" and for ディスク; nothing for a short word. */
function soundOf(token: string): string {
  if (katakana.test(token)) return Array.from(token, (sign) => consonants.get(sign) ?? '').join('');
  const word = latinWord.exec(token)?.[0].toLowerCase() ?? '';
  return respelled.reduce((sound, [pattern, by]) => sound.replace(pattern, by), word);
}

/** Returns for each anchor that both sides have how rare it is, in bits: 3 for one in eight texts of the side with more. */
export function rarityOf(from: readonly Side[], to: readonly Side[]): Map<string, number> {
  const [ours, theirs] = [countsOf(from), countsOf(to)];
  const rarity = new Map<string, number>();
  for (const [key, count] of ours) {
    const other = theirs.get(key);
    if (other !== undefined) rarity.set(key, -Math.log2(Math.max(count / from.length, other / to.length)));
  }
  return rarity;
}

function countsOf(side: readonly Side[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { anchors } of side) for (const { key } of anchors) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/**
 * Returns pairs of texts that are probably at the same place, in ascending order on both sides: those with an anchor that
 * no other text has. Of pairs that cross, the most that do not cross are kept.
 */
export function landmarks(from: readonly Side[], to: readonly Side[]): [source: number, target: number][] {
  const [ours, theirs] = [placesOf(from), placesOf(to)];
  const pairs: [number, number][] = [];
  for (const [key, place] of ours) {
    const other = theirs.get(key);
    if (place >= 0 && other !== undefined && other >= 0) pairs.push([place, other]);
  }
  pairs.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  return longestAscending(pairs);
}

/** Returns the place of each strong anchor; -1 for one that several texts have. */
function placesOf(side: readonly Side[]): Map<string, number> {
  const places = new Map<string, number>();
  for (const [index, { anchors }] of side.entries())
    for (const { key, isStrong } of anchors) if (isStrong) places.set(key, places.has(key) ? -1 : index);
  return places;
}

/** Returns a longest subsequence of the pairs whose targets ascend, by patience sorting. */
function longestAscending(pairs: readonly [number, number][]): [number, number][] {
  const tops: number[] = [];
  const before: number[] = [];
  for (const [index, [, target]] of pairs.entries()) {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]!]![1] < target) low = middle + 1;
      else high = middle;
    }
    before[index] = low > 0 ? tops[low - 1]! : -1;
    tops[low] = index;
  }
  const kept: [number, number][] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = before[at]!) kept.push(pairs[at]!);
  return kept.reverse();
}
