import { greatest, least, runsOf } from '../../statistics.ts';
import { lowerStart } from '../sentences.ts';
import { type Atom, textOf } from './atoms.ts';

/** The maximum difference between the spaces of a justified line, as a share of the font size. */
export const sameSpace = 0.05;
/** The minimum number of equal gaps in a row that are its spaces, whatever the other rows show. */
const minSpread = 4;
/** The same if less than half of the words after them start with small letters. */
const manySpread = 8;
/**
 * Returns the atoms of a row that start after the spaces of a justified line: these are all equally wide, and most words
 * after them start with small letters, or there are many. Labels in one row may have equal gaps, too.
 */
export function spreadWords(atoms: readonly Atom[]): Set<Atom> {
  const found = new Set<Atom>();
  for (const part of runsOf(atoms, (_, atom) => !atom.isApart)) {
    const gaps = part.slice(1).map((atom, at) => atom.left - part[at]!.right);
    const areEqual = greatest(gaps) - least(gaps) < sameSpace * part[0]!.size;
    const small = part.slice(1).filter((atom) => lowerStart.test(textOf(atom))).length;
    const areWords = small * 2 > gaps.length || (small > 0 && gaps.length >= manySpread);
    if (gaps.length >= minSpread && areEqual && areWords) for (const atom of part.slice(1)) found.add(atom);
  }
  return found;
}
