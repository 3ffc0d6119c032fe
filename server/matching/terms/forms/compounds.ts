import type { Endings, Stem, WordContext } from './paradigm.ts';

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
