/** The set of endings that may follow a stem. */
export interface Endings {
  has(ending: string): boolean;
}

/** A stem, which is the start of some forms of a word, and the endings of these forms. */
export interface Stem {
  stem: string;
  endings: Endings;
  /**
   * For compounds: the stem may also be inside a word, after any beginning for which this function returns true. For
   * example, "vertrag" in "Kaufvertrag".
   */
  after?: (beginning: string) => boolean;
}

/** Properties of a word in a glossary term, apart from its letters. */
export interface WordContext {
  /**
   * Whether the term has several words. The word may then be an adjective, an article or a noun that agrees with the
   * other words.
   */
  inPhrase: boolean;
  last: boolean;
  /** Whether the word starts with a capital letter. In German this marks a noun. */
  capitalized: boolean;
  /** Whether the term is only searched for because it is forbidden. */
  isForbidden: boolean;
}

/** The inflection of a language. Words are passed in lower case and with the letters of `equivalents` replaced. */
export interface Inflection {
  stems(word: string, context: WordContext): Stem[];
  /**
   * Letters that are replaced before words are compared, because forms of the same word may differ in them: for
   * example, accents that move, or е for ё. Keys and values are single UTF-16 units.
   */
  equivalents?: Readonly<Record<string, string>>;
  /** Matches the particles and articles that may be attached before a form. */
  before?: RegExp;
  /** If all forms of a noun start with a capital letter: whether a capitalized word of a glossary is a noun. */
  isNoun?: (word: string) => boolean;
}

/** One pattern of inflection: a class of words that have the same endings. */
export interface Paradigm {
  /**
   * Matches the end of the words that have this pattern, in the form that glossaries use. The matched part is not part
   * of the stem.
   */
  citation: RegExp;
  endings: Endings;
  /** Returns the stems that are used instead of the unchanged stem, such as stems with an umlaut. */
  stems?: (stem: string) => readonly string[];
  /** The minimum number of letters that the stem must have; 2 by default. */
  minLetters?: number;
  /** Set if the pattern applies only to words in terms of several words. */
  inPhrase?: true;
}

/**
 * Creates a paradigm.
 *
 * @param endings the endings separated by spaces, with `-` for the empty ending; or an expression that matches the
 *   whole ending
 */
export function paradigm(
  citation: RegExp,
  endings: string | RegExp,
  more: Omit<Paradigm, 'citation' | 'endings'> = {},
): Paradigm {
  return { citation, endings: typeof endings === 'string' ? endingsOf(endings) : matching(endings), ...more };
}

function endingsOf(list: string): Endings {
  return new Set(list.split(' ').map((ending) => (ending === '-' ? '' : ending)));
}

export function matching(pattern: RegExp): Endings {
  return { has: (ending) => pattern.test(ending) };
}

export function stemsBy(
  paradigms: readonly Paradigm[],
  irregular: Readonly<Record<string, string>> = {},
): (word: string, context: WordContext) => Stem[] {
  return (word, { inPhrase }) => {
    const stems: Stem[] = [];
    for (const { citation, endings, stems: change, minLetters = 2, inPhrase: phraseOnly } of paradigms) {
      if (phraseOnly && !inPhrase) continue;
      const at = word.search(citation);
      if (at < minLetters) continue;
      const stem = word.slice(0, at);
      for (const changed of change?.(stem) ?? [stem]) stems.push({ stem: changed, endings });
    }
    if (Object.hasOwn(irregular, word))
      for (const form of irregular[word]!.split(' ')) stems.push({ stem: form, endings: whole });
    return stems;
  };
}

/** The set that contains only the empty ending. */
const whole = endingsOf('-');

/**
 * Returns, for each word of a group, the words of the same group, which may replace each other. Such groups are
 * articles, or prepositions joined with articles.
 */
export function interchangeable(...groups: string[]): Record<string, string> {
  return Object.fromEntries(groups.flatMap((group) => group.split(' ').map((word) => [word, group])));
}

/**
 * Suffixes that form another word from a stem in the Germanic languages. If a part of a word starts with such a suffix,
 * it is not the second word of a compound.
 */
const suffixes = [
  'igkeit|ung|heit|keit|lich|ig|isch|schaft|bar|los|haft|sam|chen|lein|nis|tum|ier|ment|erin|ismus|ist',
  'igheid|ing|heid|p?e?lijk|zaam|loos|achtig|baar|atie|iteit|eel|aal|eur|erij|schap',
  'lighet|ning|lig|het|hed|skap|skab|else|lös|løs|ande|ende|sjon|tion|fri',
  'ator|ation|al|ell|isk',
].join('|');
const suffix = new RegExp(`^e?(?:${suffixes})(?:e[nrsm]?|s|a|t|ar|er|et|erna)?$`, 'u');

/** The rules for compounds of a language. */
interface Compounds {
  /** The prefixes, separated by spaces. A word that only has prefixes before it is a different word. */
  prefixes: string;
  /** The letters that may join two parts, as alternatives of a regular expression. */
  links: string;
  /** A last vowel that a word may lose as the first part, as in "Sprache", "Sprachpaket". */
  dropped?: string;
  /** Matches what may follow a word in a word that is derived from it, if that is not a Germanic suffix. */
  derived?: RegExp;
}

/**
 * Returns a function that returns the additional stems of a word by which it is found in compounds: as the last part,
 * in any of its forms ("Kaufvertrag"), as the first part ("Vertragspartner"), or between other parts
 * ("Mietvertragsrecht"). It returns none for words of fewer than four letters, because such words occur in too many
 * other words. Words of four letters are found only next to a part of four letters, and not between others. For a term
 * that is forbidden, such words and parts between others do not count, because a match then blocks the translation.
 */
export function compounding({
  prefixes,
  links,
  dropped,
  derived,
}: Compounds): (word: string, own: readonly Stem[], context: WordContext) => Stem[] {
  const isPrefix = new RegExp(`^(?:${prefixes.replaceAll(' ', '|')}){1,2}$`, 'u');
  const link = new RegExp(`^(?:${links})`, 'u');
  const isSuffix = (ending: string): boolean => suffix.test(ending) || derived?.test(ending) === true;
  const another: Endings = {
    has: (ending) => /^\p{L}{4,}$/u.test(ending) && !isSuffix(ending) && !isSuffix(ending.replace(link, '')),
  };
  const afterParts = (letters: number) => (beginning: string) =>
    beginning.length >= letters && !isPrefix.test(beginning);
  return (word, own, { inPhrase, last, isForbidden }) => {
    if (word.length < 4 || (inPhrase && !last) || isPrefix.test(word)) return [];
    const isShort = word.length === 4;
    if (isShort && (isForbidden || isSuffix(word) || isSuffix(word.slice(1)))) return [];
    const after = afterParts(isShort ? 4 : 3);
    const minLetters = isShort ? 4 : 5;
    const lasts = own.filter(({ stem }) => stem.length >= minLetters).map((stem) => ({ ...stem, after }));
    const first = { stem: word, endings: another };
    // If a language has many endings, they look like a part after a short word.
    if (isShort && derived) return lasts;
    if (isForbidden || isShort) return [...lasts, first];
    const short =
      word.length > 5 && word.at(-1) === dropped ? [{ stem: word.slice(0, -1), endings: another }] : [];
    return [...lasts, first, { ...first, after }, ...short];
  };
}
