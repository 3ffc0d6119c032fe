import { Trie } from '#server/matching/terms/index.ts';
import type { TaskStyle } from '#server/platform/engines/engine.ts';
import type { Range } from '../integrity/found.ts';

type Words = TaskStyle['forbiddenWords'];

export interface FoundWord extends Range {
  /** The index of the word. */
  word: number;
}

/** Words whose letter case matters, or all others, as one trie. */
interface Group {
  cased: boolean;
  trie: Trie;
  /** For each pattern of the trie, the words that have it as their term, or as a replacement that contains their term. */
  uses: { word: number; isTerm: boolean }[][];
}

/**
 * Finds forbidden words as whole words; in scripts without spaces, wherever they occur. Korean adds particles to a word,
 * so only its start is compared. Letter case matters only if the term has capitals. A term inside of its replacement is
 * allowed: “mail” in “air mail”. Matches of one term do not overlap; those of different terms may.
 *
 * Reads the text once for all words: from each position, it follows the words in a trie. So the work is at most the
 * length of the text times that of the longest word, which has 100 characters, and hardly grows with the words.
 * @param prose the result of `proseOf`, with the spelling of the words
 * @yields the words in the order of their starts, so that a caller can stop early
 */
export function* forbiddenWords(prose: string, words: Words, language: string): Generator<FoundWord> {
  const groups = groupsOf(words).map((group) => ({ ...group, ...spellingOf(prose, group.cased) }));
  /** For each word, the ends of the latest match of its term, and of the latest match of its replacement. */
  const [reported, allowed] = [new Uint32Array(words.length), new Uint32Array(words.length)];
  const { starts, length } = groups[0] ?? { starts: new Uint32Array(), length: 0 };
  for (let from = 0; from < length; from++) {
    const start = starts[from]!;
    const found = groups.flatMap((group) => usesAt(group, from, prose, language));
    for (const { word, isTerm, end } of found) if (!isTerm) allowed[word] = end;
    for (const { word, isTerm, end } of found.sort((one, other) => one.word - other.word)) {
      if (!isTerm || start < reported[word]! || end <= allowed[word]!) continue;
      reported[word] = end;
      yield { start, end, word };
    }
  }
}

/** The patterns of a guide, by its words, because a page is checked in thousands of blocks. */
const known = new WeakMap<Words, Group[]>();

function groupsOf(words: Words): Group[] {
  const groups = known.get(words) ?? [true, false].flatMap((cased) => groupOf(words, cased));
  known.set(words, groups);
  return groups;
}

function groupOf(words: Words, cased: boolean): Group[] {
  const patterns = new Map<string, { units: Uint16Array; uses: Group['uses'][number] }>();
  const add = (text: string, units: Uint16Array, use: Group['uses'][number][number]) => {
    const known = patterns.get(text);
    if (known) known.uses.push(use);
    else patterns.set(text, { units, uses: [use] });
  };
  for (const [word, { term, use_instead: useInstead }] of words.entries()) {
    if (/\p{Lu}/u.test(term) !== cased) continue;
    const [own, replacement] = [spellingOf(term, cased).units, spellingOf(useInstead ?? '', cased).units];
    const [pattern, containing] = [String.fromCharCode(...own), String.fromCharCode(...replacement)];
    add(pattern, own, { word, isTerm: true });
    if (containing.includes(pattern)) add(containing, replacement, { word, isTerm: false });
  }
  if (patterns.size === 0) return [];
  const all = [...patterns.values()];
  return [{ cased, trie: new Trie(all.map(({ units }) => units)), uses: all.map(({ uses }) => uses) }];
}

/** Returns the patterns that begin at a position of a text and have their word boundaries, each with its end. */
function usesAt(
  { trie, uses, units, starts, length }: Group & Spelling,
  from: number,
  prose: string,
  language: string,
): { word: number; isTerm: boolean; end: number }[] {
  let node = trie.child(0, units[from]!);
  if (node === 0 || isInsideWord(prose, starts[from]!)) return [];
  const found: ReturnType<typeof usesAt> = [];
  for (let at = from; node !== 0; node = trie.child(node, units[at]!)) {
    const end = starts[at]! + 1;
    at += 1;
    const pattern = trie.terminal[node]!;
    if (pattern > 0 && (language === 'ko' || !isInsideWord(prose, end)))
      found.push(...uses[pattern - 1]!.map((use) => ({ ...use, end })));
    if (at === length) break;
  }
  return found;
}

/** Whether a position is between two letters of a script that puts spaces between words. */
function isInsideWord(prose: string, position: number): boolean {
  return isWordLetter(characterBefore(prose, position)) && isWordLetter(characterAt(prose, position));
}

function characterAt(text: string, position: number): string {
  const point = text.codePointAt(position);
  return point === undefined ? '' : String.fromCodePoint(point);
}

function characterBefore(text: string, position: number): string {
  const pair = characterAt(text, position - 2);
  return pair.length === 2 ? pair : (text[position - 1] ?? '');
}

function isWordLetter(character: string): boolean {
  return /[\p{L}\p{M}\p{N}_]/u.test(character) && !unspaced.test(character);
}

/** Letters of scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

interface Spelling {
  /** The UTF-16 units of the text, without letter case unless it matters, and with one space for each run of spaces. */
  units: Uint16Array;
  /** The offset of each unit in the text. */
  starts: Uint32Array;
  length: number;
}

function spellingOf(text: string, cased: boolean): Spelling {
  const spelled = cased ? text : text.replace(/[\u{10000}-\u{10ffff}]/gu, withoutCase);
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = spelledUnit(spelled.charCodeAt(at), cased);
    if (unit === space && units[length - 1] === space) continue;
    units[length] = unit;
    starts[length++] = at;
  }
  return { units: units.subarray(0, length), starts, length };
}

const space = 0x20;
/** The spelled units, which are computed when they occur; 0: not yet. */
const spelledUnits = { cased: new Uint16Array(0x10000), uncased: new Uint16Array(0x10000) };

function spelledUnit(unit: number, cased: boolean): number {
  const table = cased ? spelledUnits.cased : spelledUnits.uncased;
  if (table[unit] === 0) {
    const character = String.fromCharCode(unit);
    table[unit] = /\s/.test(character) ? space : cased ? unit : withoutCase(character).charCodeAt(0);
  }
  return table[unit]!;
}

/** Removes the letter case of a character by simple case folding, as the flag `i` of regular expressions does. */
function withoutCase(character: string): string {
  const upper = character.toUpperCase();
  const folded = (upper.length === character.length ? upper : character).toLowerCase();
  return foldedAs[character] ?? (folded.length === character.length ? folded : character);
}

/** Characters that case folding treats in another way than `toUpperCase` and `toLowerCase` do. */
const foldedAs: Readonly<Record<string, string>> = {
  ı: 'ı',
  '\u1fd3': '\u0390',
  '\u1fe3': '\u03b0',
  '\ufb05': '\ufb06',
};
