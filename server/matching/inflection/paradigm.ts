/** What may follow a stem. */
export interface Endings {
  has(ending: string): boolean;
}

/** The start of a word's forms, and what they end in after it. */
export interface Stem {
  stem: string;
  endings: Endings;
  /** The stem may start inside a word whose beginning this allows: compounds, "Kauf" in "Kaufvertrag". */
  after?: (beginning: string) => boolean;
}

/** What is known of a word of a term beside its letters. */
export interface WordContext {
  /** One of several words, so an adjective, article or noun that agrees with others. */
  inPhrase: boolean;
  last: boolean;
  /** Written with a capital letter, which for German means a noun. */
  capitalised: boolean;
}

/** How a language's words change. Words are without case, and with the letters of `alike` in place of theirs. */
export interface Inflection {
  stems(word: string, context: WordContext): Stem[];
  /** Letters that a form may have in place of others (accents that move, e for ё), both as single UTF-16 units. */
  alike?: Readonly<Record<string, string>>;
  /** What may be written onto the beginning of a form. */
  before?: RegExp;
  /** Forms of a noun have its capital letter. */
  capitalisesNouns?: true;
}

/** One pattern of inflection. */
export interface Paradigm {
  /** The end of the words that follow it, in the form that glossaries have; what it matches is not part of the stem. */
  citation: RegExp;
  endings: Endings;
  /** The stems in place of the one that is left, such as those with an umlaut. */
  stems?: (stem: string) => readonly string[];
  /** The shortest stem, in letters; 2 where it does not say. */
  shortest?: number;
  /** Only for words of a term of several. */
  inPhrase?: true;
}

/** @param endings separated by spaces, `-` for none; or an expression for the whole ending */
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
    for (const { citation, endings, stems: change, shortest = 2, inPhrase: phraseOnly } of paradigms) {
      if (phraseOnly && !inPhrase) continue;
      const at = word.search(citation);
      if (at < shortest) continue;
      const stem = word.slice(0, at);
      for (const changed of change?.(stem) ?? [stem]) stems.push({ stem: changed, endings });
    }
    if (Object.hasOwn(irregular, word))
      for (const form of irregular[word]!.split(' ')) stems.push({ stem: form, endings: whole });
    return stems;
  };
}

/** Nothing follows. */
const whole = endingsOf('-');

/** Words of which each may stand for each other: articles and prepositions with them. */
export function interchangeable(...groups: string[]): Record<string, string> {
  return Object.fromEntries(groups.flatMap((group) => group.split(' ').map((word) => [word, group])));
}

/** Suffixes that make another word of a stem, in the Germanic languages: what begins with one is no second word. */
const suffixes = [
  'igkeit|ung|heit|keit|lich|ig|isch|schaft|bar|los|haft|sam|chen|lein|nis|tum|ier|ment|erin|ismus|ist',
  'igheid|ing|heid|p?e?lijk|zaam|loos|achtig|baar|atie|iteit|eel|aal|eur|erij|schap',
  'lighet|ning|lig|het|hed|skap|skab|else|lös|løs|ande|ende|sjon|tion|fri',
  'ator|ation|al|ell|isk',
].join('|');
const suffix = new RegExp(`^e?(?:${suffixes})(?:e[nrsm]?|s|a|t|ar|er|et|erna)?$`, 'u');

/**
 * A word as part of others: as the last, in any of its forms ("Kaufvertrag"), or the first ("Vertragspartner"). Only
 * words of five letters: shorter ones stand in too many others.
 *
 * @param prefixes separated by spaces: after them alone a word is another one, not the last of a compound
 * @param links what may stand between the two, as alternatives of an expression
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
