import { createRequire } from 'node:module';
import { type InlineContent, joinStrings, plainText } from '../../inline-content.ts';
import type { TextLine } from './paragraphs/text-lines.ts';

/*
 * The words of English, by which divided words are joined. Other languages have no list: most of them write compounds as
 * one word, and a list of parts would divide them.
 */

/** The numbers of the most frequent words of films and of an encyclopedia that may be parts of a compound. */
const [ofFilms, ofEncyclopedia] = [15_000, 20_000];
/** The minimum lengths of the parts. Shorter ones are parts of words by chance, as in `infer-ring`. */
const [minFirst, minSecond] = [3, 4];
/** Parts that are written without a hyphen in most words, although they are words. */
const prefixes = new Set(
  `after all anti auto back counter cross cyber down every extra fore here hyper inter intra kilo macro mega micro mid
  mini mono multi non off out over para per photo poly post pre pro pseudo semi some sub super tele there through trans
  type ultra under upper what when where with`.split(/\s+/),
);
const suffixes = new Set(
  `able ability board cast dom ful hood land less like maker makers most ness people person ping proof ship ting ward
  wards wise woman women work works yard`.split(/\s+/),
);
/** The place after a doubled consonant, before an ending. */
const doubled = /([b-df-hj-np-tv-z])-\1(?:ing|ings|ed|er|ers)$/;
/** The minimum number of different words of a text, and the share of them that must be English. Other languages have less than half. */
const [minWords, minShare] = [5, 0.6];

interface EnglishWords {
  all: ReadonlySet<string>;
  parts: ReadonlySet<string>;
}

let known: EnglishWords | undefined;

/** Returns the words; the list is read once, when it is needed first. */
function words(): EnglishWords {
  if (known) return known;
  const { dictionary } = createRequire(import.meta.url)('@zxcvbn-ts/language-en') as {
    dictionary: Record<string, readonly string[]>;
  };
  const [films, encyclopedia] = [dictionary['commonWords-en'] ?? [], dictionary['wikipedia-en'] ?? []];
  known = {
    all: new Set([...films, ...encyclopedia]),
    parts: new Set([...films.slice(0, ofFilms), ...encyclopedia.slice(0, ofEncyclopedia)]),
  };
  return known;
}

/** Whether a text is English, by its words. */
function isEnglish(text: string): boolean {
  const own = new Set(text.toLowerCase().match(/\p{L}{2,}/gu));
  const share = [...own].filter((word) => words().parts.has(word)).length / own.size;
  return own.size >= minWords && share >= minShare;
}

/** Whether a word in small letters is English. */
function isEnglishWord(word: string): boolean {
  return words().all.has(word);
}

/** Whether two parts in small letters are the words of a compound that is written with a hyphen, such as `cost-benefit`. */
function areCompound(first: string, second: string): boolean {
  if (first.length < minFirst || second.length < minSecond) return false;
  if (prefixes.has(first) || suffixes.has(second) || doubled.test(`${first}-${second}`)) return false;
  const { all, parts } = words();
  return parts.has(first) && parts.has(second) && !all.has(first + second);
}

/**
 * A character that replaces a hyphen at the end of a line until all words of the document are known. These words show
 * whether the divided word is spelled with this hyphen.
 */
export const openHyphen = '\u00ad';

const openHyphens = /\u00ad/gu;
const wordBefore = /[\p{L}\p{M}'’-]*\p{L}$/u;
const wordAfter = /^\p{L}[\p{L}\p{M}]*/u;
/** The maximum length of a word in UTF-16 units; longer words are not read completely. */
const maxWordLength = 80;

/** First parts of compounds that keep their hyphen, as in `self-test`. */
const hyphenatedPrefix = /^(?:self|well|quasi|half)$/u;
/** An abbreviation before small letters, as in `EU-wide`, and compounds that always have a hyphen: `web-based`. */
const hyphenated = /^(?:\p{Lu}{2,}-\p{Ll}+|\p{L}{3,}-based)$/u;
/** First parts of compounds that are written without a hyphen: `under-stand`, `some-thing`. */
const joiningWord = /^(?:after|every|here|over|some|there|through|under|upper|what|when|where|with)$/u;
/**
 * Participles as the first part of a compound. Such a compound keeps its hyphen if the second part is a word, as in
 * `mixed-mode`.
 */
const participle = /^\p{L}{3,}ed$/u;
const compound = /^\p{Ll}{3,}(?:-\p{Ll}{2,})+$/u;
/** The minimum number of hyphenated compounds in the document that shows that its language joins words by hyphens. */
const minCompounds = 2;
/**
 * The minimum number of letters of each part of a compound. Shorter parts of a divided word may be words by chance, as
 * in `per-form`.
 */
const minPart = 4;

/**
 * The words of a document, except the first and the last word of each line. They show how a word that is divided
 * between two lines is spelled.
 */
export class Vocabulary {
  readonly #words = new Set<string>();
  /**
   * The words that occur in lower case. German nouns always start with a capital letter, and parts of divided words do
   * not.
   */
  readonly #lowerCase = new Set<string>();
  readonly #compounds = new Set<string>();

  add(lines: readonly TextLine[]): void {
    for (const { text } of lines)
      for (const written of text.split(' ').slice(1, -1)) {
        const word = bare(written);
        this.#words.add(word.toLowerCase());
        if (word === word.toLowerCase()) this.#lowerCase.add(word);
        if (this.#compounds.size < minCompounds && compound.test(word)) this.#compounds.add(word);
      }
  }

  /** Replaces each open hyphen of a text by a hyphen, or removes it. */
  settle(content: InlineContent): InlineContent {
    const text = plainText(content);
    if (!text.includes(openHyphen)) return content;
    const english = isEnglish(text);
    const hyphens = [...text.matchAll(openHyphens)].map(({ index }) => {
      const before = text.slice(Math.max(0, index - maxWordLength), index).replaceAll(openHyphen, '');
      const after = text.slice(index + 1, index + maxWordLength).replaceAll(openHyphen, '');
      const tail = wordAfter.exec(after)?.[0] ?? '';
      const goesOn = after[tail.length] === '-';
      return this.#keepsHyphen(wordBefore.exec(before)?.[0] ?? '', tail, { goesOn, english }) ? '-' : '';
    });
    let count = 0;
    return joinStrings(
      content.map((item) =>
        typeof item === 'string' ? item.replace(openHyphens, () => hyphens[count++]!) : item,
      ),
    );
  }

  /**
   * Whether a word that is divided at the end of a line is spelled with a hyphen at this position.
   *
   * @param goesOn whether another hyphen follows `tail`
   * @param english whether the text is English
   */
  #keepsHyphen(
    head: string,
    tail: string,
    { goesOn, english }: { goesOn: boolean; english: boolean },
  ): boolean {
    const [first, second] = [head.toLowerCase(), tail.toLowerCase()];
    if (this.#words.has(first + second)) return false;
    // If the second part starts with a capital letter, it is a separate word, as in `Franco-German`.
    if (tail === '' || tail !== second) return true;
    if (this.#words.has(`${first}-${second}`)) return true;
    if (english && !goesOn && isEnglishWord(first + second)) return false;
    if (hyphenatedPrefix.test(first)) return true;
    if (hyphenated.test(`${head}-${tail}`)) return true;
    const last = first.split('-').at(-1)!;
    // The first part itself contains a hyphen, so the word may be a compound of three or more words, such as
    // `stop-the-world`.
    if (last !== first) return last.length > 1 && this.#words.has(last);
    if (goesOn) return this.#words.has(first) && this.#words.has(second);
    if (english && areCompound(first, second)) return true;
    if (!this.#lowerCase.has(second) || second.length < minPart) return false;
    if (participle.test(first)) return true;
    return (
      first.length >= minPart &&
      this.#words.has(first) &&
      !joiningWord.test(first) &&
      this.#compounds.size >= minCompounds
    );
  }
}

function bare(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}
