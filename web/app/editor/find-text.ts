import { isSpacedLetter } from './marks.ts';

/** A text to find. */
export interface TextQuery {
  text: string;
  /** The language of the searched texts, which determines how letters are compared. */
  language: string;
  /** If true, upper and lower case letters differ. */
  matchesCase?: boolean;
  /** If true, a match must not be part of a longer word. Scripts without spaces between words ignore it. */
  wholeWords?: boolean;
}

/** A part of a text, in UTF-16 units; `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** A function that lists all matches in a text, in order. Matches do not overlap. */
export type TextFinder = (text: string) => TextRange[];

/** One character as readers see it, such as a letter with its accents. */
interface Character extends TextRange {
  folded: string;
}

/**
 * Creates a finder. Different spellings of the same character are equal: é as one code point and as e with an accent,
 * and without `matchesCase` also ß and SS. A match begins and ends between characters as readers see them, so replacing
 * it never splits a character or moves an accent to another letter.
 */
export function createTextFinder({
  text: sought,
  language,
  matchesCase = false,
  wholeWords = false,
}: TextQuery): TextFinder {
  const fold = matchesCase ? normalize : createFold(language);
  const wanted = charactersOf(sought, fold)
    .map(({ folded }) => folded)
    .join('');
  const isWord = (edge: 'start' | 'end') =>
    wholeWords && isSpacedLetter(edge === 'start' ? [...sought][0] : [...sought].at(-1));
  const [startsWord, endsWord] = [isWord('start'), isWord('end')];
  return (text) => {
    if (wanted === '') return [];
    const characters = charactersOf(text, fold);
    const found: TextRange[] = [];
    for (let index = 0; index < characters.length; index += 1) {
      const last = matchAt(characters, index, wanted);
      if (last === undefined) continue;
      const { start } = characters[index] as Character;
      const { end } = characters[last] as Character;
      if (startsWord && inWord.test(text.slice(characters[index - 1]?.start ?? start, start))) continue;
      if (endsWord && inWord.test(text.slice(end, characters[last + 1]?.end ?? end))) continue;
      found.push({ start, end });
      index = last;
    }
    return found;
  };
}

/** Replaces parts of a text. @param ranges in order, without overlaps */
export function replaceRanges(text: string, ranges: readonly TextRange[], replacement: string): string {
  let end = 0;
  const parts = ranges.flatMap((range) => {
    const before = text.slice(end, range.start);
    end = range.end;
    return [before, replacement];
  });
  return parts.join('') + text.slice(end);
}

/**
 * The part of a sought text that the service can search for: it compares letters one by one, so it does not find STRASSE
 * for "straße". The result is the longest part without such letters, or the whole text if that part is empty.
 */
export function searchablePart(text: string, language: string): string {
  const parts = text.split(isTurkic(language) ? /ß|ẞ|ss|ς|σ|[iıİ]/iu : /ß|ẞ|ss|ς|σ|İ/iu);
  const longest = parts.toSorted((one, other) => other.length - one.length)[0]?.trim() ?? '';
  return longest === '' ? text : longest;
}

const inWord = /[\p{L}\p{N}\p{M}_]/u;

/** @returns the index of the last character of a match that begins at `index`; undefined without a match */
function matchAt(characters: readonly Character[], index: number, wanted: string): number | undefined {
  let length = 0;
  for (let last = index; last < characters.length; last += 1) {
    const { folded } = characters[last] as Character;
    if (!wanted.startsWith(folded, length)) return undefined;
    length += folded.length;
    if (length === wanted.length) return last;
  }
  return undefined;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function charactersOf(text: string, fold: (character: string) => string): Character[] {
  // In ASCII texts, each unit is a character. Only CR LF is one character of two units.
  if (/^[\x20-\x7e\n\t]*$/.test(text))
    return Array.from(text, (unit, start) => ({ start, end: start + 1, folded: fold(unit) }));
  return Array.from(segmenter.segment(text), ({ segment, index }) => ({
    start: index,
    end: index + segment.length,
    folded: fold(segment),
  }));
}

function normalize(character: string): string {
  return character.normalize('NFC');
}

/** Unicode's full case folding: the lower case of the upper case also makes ß and SS, and both forms of σ, equal. */
function createFold(language: string): (character: string) => string {
  const locale = isTurkic(language) ? 'tr' : 'en';
  const known = new Map<string, string>();
  return (character) => {
    const folded =
      known.get(character) ??
      normalize(normalize(character).toLocaleUpperCase(locale).toLocaleLowerCase(locale));
    known.set(character, folded);
    return folded;
  };
}

/** Whether the language has a dotted and a dotless i. */
function isTurkic(language: string): boolean {
  return /^(tr|az)\b/i.test(language);
}
