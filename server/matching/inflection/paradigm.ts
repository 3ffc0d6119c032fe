/** The endings that may follow a stem. */
export interface Endings {
  has(ending: string): boolean;
}

/** The start of some forms of a word, and their endings. */
export interface Stem {
  stem: string;
  endings: Endings;
  /**
   * If present, the stem may also start inside a word, after a beginning that this function accepts. Used for compounds: "Kauf"
   * in "Kaufvertrag".
   */
  after?: (beginning: string) => boolean;
}

/** Properties of a word in a term, apart from its letters. */
export interface WordContext {
  /** The term has several words, so this one may be an adjective, article or noun that agrees with others. */
  inPhrase: boolean;
  last: boolean;
  /** Starts with a capital letter, which marks a noun in German. */
  capitalized: boolean;
}

/** The inflection of a language. It receives words without case and with the letters of `equivalents` replaced. */
export interface Inflection {
  stems(word: string, context: WordContext): Stem[];
  /**
   * Letters to replace before a comparison, because forms of a word differ in them (accents that move, е for ё). Keys and
   * values are single UTF-16 units.
   */
  equivalents?: Readonly<Record<string, string>>;
  /** Particles and articles that may be attached to the beginning of a form. */
  before?: RegExp;
  /** Forms of a noun keep its capital letter. */
  capitalizesNouns?: true;
}

/** One pattern of inflection. */
export interface Paradigm {
  /**
   * The end of the words that follow this pattern, in the form that glossaries use. The matched part is not part of the stem.
   */
  citation: RegExp;
  endings: Endings;
  /** Returns the stems to use instead of the plain one, such as those with an umlaut. */
  stems?: (stem: string) => readonly string[];
  /** The minimum number of letters of the stem; 2 by default. */
  minLetters?: number;
  /** Applies only to words of a term with several words. */
  inPhrase?: true;
}

/** @param endings separated by spaces, with `-` for the empty ending; or an expression for the whole ending */
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

/** The empty ending only. */
const whole = endingsOf('-');

/** Groups of words that may replace each other, such as articles, or prepositions joined with articles. */
export function interchangeable(...groups: string[]): Record<string, string> {
  return Object.fromEntries(groups.flatMap((group) => group.split(' ').map((word) => [word, group])));
}

/**
 * Suffixes that derive another word from a stem in the Germanic languages. A part of a word that begins with one is not the
 * second word of a compound.
 */
const suffixes = [
  'igkeit|ung|heit|keit|lich|ig|isch|schaft|bar|los|haft|sam|chen|lein|nis|tum|ier|ment|erin|ismus|ist',
  'igheid|ing|heid|p?e?lijk|zaam|loos|achtig|baar|atie|iteit|eel|aal|eur|erij|schap',
  'lighet|ning|lig|het|hed|skap|skab|else|lös|løs|ande|ende|sjon|tion|fri',
  'ator|ation|al|ell|isk',
].join('|');
const suffix = new RegExp(`^e?(?:${suffixes})(?:e[nrsm]?|s|a|t|ar|er|et|erna)?$`, 'u');

/**
 * Finds a word in compounds: as the last part, in any of its forms ("Kaufvertrag"), or as the first ("Vertragspartner").
 * Applies only to words of at least five letters, because shorter ones occur in too many other words.
 * @param prefixes separated by spaces; a word that follows only prefixes is a different word, not the last part of a compound
 * @param links the letters that may join the two parts, as alternatives of a regular expression
 */
export function compounding(
  prefixes: string,
  links: string,
): (word: string, own: readonly Stem[], context: WordContext) => Stem[] {
  const isPrefix = new RegExp(`^(?:${prefixes.replaceAll(' ', '|')}){1,2}$`, 'u');
  const after = (beginning: string): boolean => beginning.length >= 3 && !isPrefix.test(beginning);
  const link = new RegExp(`^(?:${links})`, 'u');
  const another: Endings = {
    has: (ending) =>
      /^\p{L}{4,}$/u.test(ending) && !suffix.test(ending) && !suffix.test(ending.replace(link, '')),
  };
  return (word, own, { inPhrase, last }) => {
    if (word.length < 5 || (inPhrase && !last) || isPrefix.test(word)) return [];
    const lasts = own.filter(({ stem }) => stem.length >= 5).map((stem) => ({ ...stem, after }));
    return [...lasts, { stem: word, endings: another }];
  };
}
