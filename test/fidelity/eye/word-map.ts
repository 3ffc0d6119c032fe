import type { InlineContent, InlineTag } from '#server/formats/inline-content.ts';

/** A language into which words are mapped, with the usual length of its texts. */
export interface Target {
  name: string;
  language: string;
  /** The length of a mapped word, in letters, for a word of this many letters. */
  lengthOf(letters: number): number;
  /** The first letters of mapped words, and all others. Without spaces, a word is found by its first letter. */
  first: readonly string[];
  next: readonly (readonly string[])[];
  hasSpaces: boolean;
}

const letters = (text: string): string[] => [...text];
const han = (start: number): string[] =>
  Array.from({ length: 3000 }, (_, index) => String.fromCodePoint(start + index));

/** Consonants and vowels alternate, as in real words, so that widths and possible line breaks are realistic. */
export const targets: readonly Target[] = [
  {
    name: 'Latin',
    language: 'de',
    lengthOf: (length) => Math.max(2, Math.round(length * 1.3)),
    first: letters('bcdfghjklmnprstvwz'),
    next: [letters('aeiouäöü'), letters('bdfghklmnprstz')],
    hasSpaces: true,
  },
  {
    name: 'Cyrillic',
    language: 'ru',
    lengthOf: (length) => Math.max(2, Math.round(length * 1.15)),
    first: letters('бвгджзклмнпрстфхцчш'),
    next: [letters('аеиоуыэюя'), letters('бвгдзклмнпрст')],
    hasSpaces: true,
  },
  {
    // Alef is left out: after lam, two letters have one glyph.
    name: 'Arabic',
    language: 'ar',
    lengthOf: (length) => Math.max(2, Math.round(length * 0.85)),
    first: letters('بتثجحخسشصضطظعغفقكمن'),
    next: [letters('بتثجحخسشصضطظعغفقكمنهي'), letters('بتجحسشعفقكمنهيرو')],
    hasSpaces: true,
  },
  {
    name: 'Devanagari',
    language: 'hi',
    lengthOf: (length) => Math.max(2, Math.round(length * 0.95)),
    first: letters('कखगघचछजझटठडढतथदधनपफबभमयलवशसह'),
    next: [['ा', 'ी', 'े', 'ो'], letters('कखगचजटडतदनपबमलवसह')],
    hasSpaces: true,
  },
  {
    name: 'Chinese',
    language: 'zh-Hans',
    lengthOf: (length) => Math.max(2, Math.round(length * 0.38)),
    first: han(0x4e00),
    next: [han(0x6000)],
    hasSpaces: false,
  },
];

/** A run of letters. In scripts without spaces, each character is a run. */
export const letterRun =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{M}])+/gu;

/** Two programs may write the same word with other marks or with ligatures. */
export function keyOf(word: string): string {
  const key = word.normalize('NFKC').replace(/[\u00ad\u0640]/g, '');
  return /\p{Script=Arabic}/u.test(key) ? key.replace(/\p{M}/gu, '') : key;
}

/**
 * Replaces each word by another of a realistic length that no other word has, so a word in a translated file names the
 * word that it stands for. The code that splits a file into segments has no influence on the names.
 */
export class WordMap {
  readonly target: Target;
  readonly #taken: Set<string>;
  readonly #mapped = new Map<string, string>();
  readonly #sources = new Map<string, string>();
  readonly #neighbors = new Set<string>();

  /** @param taken words that are not used, because they are in the file */
  constructor(target: Target, taken: Iterable<string>) {
    this.target = target;
    this.#taken = new Set(taken);
  }

  has(word: string): boolean {
    return this.#mapped.has(keyOf(word));
  }

  /** The key of the word that is mapped to this one. */
  sourceOf(mapped: string): string | undefined {
    return this.#sources.get(mapped.normalize('NFC').toLowerCase());
  }

  /** Whether two words are side by side in a translated text. */
  areTogether(key: string, next: string): boolean {
    return this.#neighbors.has(`${key} ${next}`);
  }

  /** Replaces the letters, and leaves digits, punctuation and tags. A word around tags is divided by them again. */
  translate(content: InlineContent): InlineContent {
    const words = textOf(content).match(letterRun) ?? [];
    for (const [index, word] of words.slice(1).entries())
      this.#neighbors.add(`${keyOf(words[index]!)} ${keyOf(word)}`);
    const result: InlineContent = [];
    for (const part of partsOf(content)) {
      if (part.length === 1 && typeof part[0] !== 'string') result.push(part[0]!);
      else result.push(...this.#translatePart(part));
    }
    return result;
  }

  #translatePart(part: readonly (string | InlineTag)[]): InlineContent {
    const text = part.filter((item) => typeof item === 'string').join('');
    const pieces: string[] = [...text].length === 0 ? [] : this.#replace(text);
    let at = 0;
    return part.flatMap((item): InlineContent => {
      if (typeof item !== 'string') return [item];
      const piece = pieces.slice(at, at + item.length).join('');
      at += item.length;
      return piece === '' ? [] : [piece];
    });
  }

  /** The replacement of each code unit; a longer word is spread over those of the source. */
  #replace(text: string): string[] {
    const units = text.split('');
    for (const match of text.matchAll(letterRun)) {
      const mapped = [...this.#map(match[0])];
      const length = match[0].length;
      for (let index = 0; index < length; index++) {
        const [from, to] = [index, index + 1].map((each) => Math.round((each * mapped.length) / length));
        units[match.index + index] = mapped.slice(from, to).join('');
      }
      const after = text[match.index + length];
      if (this.target.hasSpaces && match[0].length === 1 && /\p{L}/u.test(after ?? ''))
        units[match.index] += ' ';
      // A script without spaces has no space between words.
      if (!this.target.hasSpaces && after === ' ' && /\p{L}/u.test(text[match.index + length + 1] ?? ''))
        units[match.index + length] = '';
    }
    return units;
  }

  #map(word: string): string {
    const key = keyOf(word);
    const known = this.#mapped.get(key);
    if (known !== undefined) return known;
    const mapped = this.#make(key);
    this.#mapped.set(key, mapped);
    this.#sources.set(mapped.normalize('NFC').toLowerCase(), key);
    return mapped;
  }

  #make(word: string): string {
    const isWide = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(word);
    const wanted = this.target.lengthOf(isWide ? 2 : [...word].length);
    let state = seedOf(word);
    for (let attempt = 0; ; attempt++) {
      // A short word may have no free name of its length.
      const length = wanted + Math.floor(attempt / 40);
      let mapped = '';
      for (let index = 0; index < length; index++) {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const set =
          index === 0 ? this.target.first : this.target.next[(index - 1) % this.target.next.length]!;
        mapped += set[(state >>> 8) % set.length]!;
      }
      if (this.#taken.has(mapped)) continue;
      this.#taken.add(mapped);
      if (word === word.toLowerCase()) return mapped;
      return word === word.toUpperCase() && word.length > 1
        ? mapped.toUpperCase()
        : mapped[0]!.toUpperCase() + mapped.slice(1);
    }
  }
}

function seedOf(word: string): number {
  let seed = 2166136261;
  for (const letter of word) seed = Math.imul(seed ^ letter.codePointAt(0)!, 16777619);
  return seed >>> 0;
}

/** The text without that of formulas and other signs. */
function textOf(content: InlineContent): string {
  const texts = content.map((item) => (typeof item === 'string' ? item : item.type === 'void' ? ' ' : ''));
  return texts.join('');
}

/** Divides a text at its breaks, tabs and images: a word does not continue after them. */
function partsOf(content: InlineContent): (string | InlineTag)[][] {
  const parts: (string | InlineTag)[][] = [[]];
  for (const item of content)
    if (typeof item !== 'string' && item.type === 'void') parts.push([item], []);
    else parts.at(-1)!.push(item);
  return parts.filter((part) => part.length > 0);
}
