import type { LanguageCode } from '#server/languages.ts';
import { classAt, joinsWord } from './character-class.ts';
import { type FoldedText, unitsToString } from './fold.ts';

/**
 * Rules for clitics, which are particles attached to another word. A term may end before Korean particles (계약을) and
 * before Nepali postpositions (सम्झौताको). In Arabic, particles and an article may precede a term, and pronouns may
 * follow it (وبالعقد).
 */
export interface Clitics {
  /** Matches the text between the start of the word and the term. */
  before?: RegExp;
  /** Matches the text between the term and the end of the word. */
  after: RegExp;
  /** The minimum length of a term in UTF-16 units. Shorter terms occur in other words by chance. */
  minUnits: number;
}

const korean = [
  '은|는|이|가|을|를|의|에|에서|에게|에게서|께|께서|한테|로|으로|로서|으로서|로써|으로써|와|과|하고|도|만|부터|까지|처럼|같이|보다|마다',
  '조차|마저|밖에|뿐|라도|이라도|나|이나|든지|이든지|란|이란|라는|이라는|라고|이라고|야|이야|여|이여|만큼|대로|별|당|간|상|시',
  '이다|입니다|이며|이고|인|인지|이므로|이어야|이었다|였다|이지만|이면|임|적|적인|적으로',
].join('|');

const nepali = [
  'को|का|की|ले|लाई|मा|बाट|सँग|संग|देखि|सम्म|द्वारा|भित्र|बाहिर|माथि|बारे|बारेमा|लागि|विरुद्ध|अनुसार|बमोजिम|सहित|बीच|पछि|अघि|नै|पनि',
].join('|');

const cliticsOf: Partial<Record<LanguageCode, Clitics>> = {
  ko: { after: new RegExp(`^들?(?:${korean}){0,3}$`, 'u'), minUnits: 1 },
  ne: { after: new RegExp(`^(?:हरू|हरु)?(?:${nepali}){0,2}$`, 'u'), minUnits: 2 },
  ar: {
    before: /^(?:[وف]?(?:[بك]?ال|لل|[بكلس])?)$/u,
    after: /^(?:ه|ها|هم|هما|هن|ك|كم|كما|كن|ي|نا)?$/u,
    minUnits: 3,
  },
};

/** The maximum length of attached text before or after a term, in UTF-16 units. Longer texts are not examined. */
const maxUnits = 12;

/**
 * Returns functions that check a term whose start or end is inside a word: they return whether the rest of the word
 * consists only of clitics.
 */
export function cliticChecker(
  text: FoldedText,
  language: LanguageCode,
): { opens(start: number, end: number): boolean; closes(start: number, end: number): boolean } | undefined {
  const clitics = cliticsOf[language];
  if (clitics === undefined) return undefined;
  const { before, after, minUnits } = clitics;
  const units = text.folded;
  const inWord = (index: number): boolean => joinsWord(classAt(units, index));
  return {
    opens: (start, end) => {
      if (before === undefined || end - start < minUnits) return false;
      let from = start;
      while (from > 0 && start - from <= maxUnits && inWord(from - 1)) from--;
      return start - from <= maxUnits && before.test(unitsToString(units.subarray(from, start)));
    },
    closes: (start, end) => {
      if (end - start < minUnits) return false;
      let to = end;
      while (to < units.length && to - end <= maxUnits && inWord(to)) to++;
      return to - end <= maxUnits && after.test(unitsToString(units.subarray(end, to)));
    },
  };
}
