/** Glossary terms: where they stand in a source, and whether its translation has them. No database, network or clock. */

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
