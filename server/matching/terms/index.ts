/**
 * Finds glossary terms in a source, and checks whether its translation contains them. Does not use a database, the
 * network or the clock.
 */

export { Trie } from './automaton.ts';
export type { GlossaryEntry } from './cased-terms.ts';
export { foldText, unitsToString } from './fold.ts';
export {
  checkTerms,
  type ExpectedTerm,
  expectTerms,
  type ForbiddenTerm,
  type TermCompliance,
} from './glossary-compliance.ts';
export {
  compileTerms,
  findInText,
  openTerms,
  type TermMatch,
  type TermMatcher,
  type TermTables,
  tabulateTerms,
} from './matcher.ts';
