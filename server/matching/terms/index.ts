/** Finds glossary terms in a source, and checks whether its translation contains them. Uses no database, network or clock. */

export type { GlossaryEntry } from './cased-terms.ts';
export { checkTerms, type ExpectedTerm, expectTerms, type TermCompliance } from './glossary-compliance.ts';
export {
  compileTerms,
  type FoundTerms,
  findInText,
  openTerms,
  type TermMatch,
  type TermMatcher,
  type TermTables,
  tabulateTerms,
} from './matcher.ts';
