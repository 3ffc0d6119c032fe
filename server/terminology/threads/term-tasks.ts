import type { LanguageCode } from '#server/languages.ts';
import type {
  ExpectedTerm,
  FoundTerms,
  GlossaryEntry,
  TermCompliance,
  TermTables,
} from '#server/matching/terms/index.ts';

/** What a thread is asked. All of it is plain data, and nothing is kept between two tasks. */
export interface TermTasks {
  /** A glossary made ready; its tables are in shared memory. */
  tabulate: { entries: readonly GlossaryEntry[]; language: LanguageCode };
  /** The terms in a text. */
  find: { tables: Pick<TermTables, 'patterns' | 'ranks'>; text: string; language: LanguageCode };
  /** A translation held against the terms that are expected in it. */
  check: { expected: readonly ExpectedTerm[]; translation: string; language: LanguageCode };
}

export interface TermAnswers {
  tabulate: TermTables;
  find: FoundTerms;
  check: TermCompliance;
}

export type TermTask = { [Name in keyof TermTasks]: { name: Name; task: TermTasks[Name] } }[keyof TermTasks];

export type TermThreadAnswer = { answer: TermAnswers[keyof TermAnswers] } | { failed: string };
