import type { LanguageCode } from '#server/languages.ts';
import {
  checkTerms,
  type ExpectedTerm,
  findInText,
  type GlossaryEntry,
  type TermTables,
  tabulateTerms,
} from '#server/matching/terms/index.ts';
import { serveThread } from '#server/platform/threads/threads.ts';
import { shared } from './shared-tables.ts';

/** The tasks of a thread. A thread keeps nothing between tasks. */
const work = {
  /** Compiles a glossary. The returned tables are in shared memory. */
  tabulate: ({ entries, language }: { entries: readonly GlossaryEntry[]; language: LanguageCode }) =>
    shared(tabulateTerms(entries, language)),
  /** Finds the terms in a text. */
  find: ({
    tables,
    text,
    language,
  }: {
    tables: Pick<TermTables, 'patterns' | 'ranks'>;
    text: string;
    language: LanguageCode;
  }) => findInText(tables, text, language),
  /** Checks whether a translation has the terms that are expected in it. */
  check: ({
    expected,
    translation,
    language,
  }: {
    expected: readonly ExpectedTerm[];
    translation: string;
    language: LanguageCode;
  }) => checkTerms(expected, translation, language),
};

export type TermWork = typeof work;

serveThread(work);
