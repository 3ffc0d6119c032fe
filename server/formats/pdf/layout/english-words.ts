import { createRequire } from 'node:module';

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
export function isEnglish(text: string): boolean {
  const own = new Set(text.toLowerCase().match(/\p{L}{2,}/gu));
  const share = [...own].filter((word) => words().parts.has(word)).length / own.size;
  return own.size >= minWords && share >= minShare;
}

/** Whether a word in small letters is English. */
export function isEnglishWord(word: string): boolean {
  return words().all.has(word);
}

/** Whether two parts in small letters are the words of a compound that is written with a hyphen, such as `cost-benefit`. */
export function areCompound(first: string, second: string): boolean {
  if (first.length < minFirst || second.length < minSecond) return false;
  if (prefixes.has(first) || suffixes.has(second) || doubled.test(`${first}-${second}`)) return false;
  const { all, parts } = words();
  return parts.has(first) && parts.has(second) && !all.has(first + second);
}
