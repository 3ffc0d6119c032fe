import { type Endings, matching } from './paradigm.ts';

/** Suffixes that make another word of a stem, in the Germanic languages: what begins with one is no second word. */
const suffixes =
  'ungen|ung|heit|keit|ige|lich|ig|isch|schaft|bar|los|haft|sam|chen|lein|nis|tum|ier|igen|ing|baar|lijk|zaam|loos|achtig|elijk|ering|ning|lig|het|hed|skap|else|else|ande|erin|erisch|ator|ation|istisch|ist|aal|eel|ieel|iteit|atie|eur|lös|fri|are|ere|sam';
const suffix = new RegExp(`^(?:${suffixes})(?:e[nrsm]?|n|s|a|t|ar|er|en)?$`, 'u');

/**
 * What follows a word that begins a compound: an element that links them, and another word of at least four letters.
 *
 * @param links alternatives of an expression
 */
export function compoundEndings(links: string): Endings {
  const rest = new RegExp(`^(?:${links})?-?(?=\\p{L}{4})`, 'u');
  const plain = matching(/^-?\p{L}{4,}$/u);
  return {
    has: (ending) => {
      if (!plain.has(ending) || suffix.test(ending)) return false;
      const second = ending.replace(rest, '');
      return !suffix.test(second);
    },
  };
}

/**
 * Whether a word may begin so and end with a form of another: three letters at least, and more than prefixes.
 *
 * @param prefixes separated by spaces
 */
export function headAfter(prefixes: string): (beginning: string) => boolean {
  const onlyPrefixes = new RegExp(`^(?:${prefixes.replaceAll(' ', '|')}){1,2}$`, 'u');
  return (beginning) => beginning.length >= 3 && !onlyPrefixes.test(beginning);
}
