/** Glossary terms: where they stand in a source, and whether its translation has them. No database, network or clock. */
export { checkTerms, type ExpectedTerm, expectTerms, type TermCompliance } from './compliance.ts';
export type { GlossaryEntry } from './gather.ts';
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
