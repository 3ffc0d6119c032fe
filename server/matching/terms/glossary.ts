import type { Database } from '#db/client.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { ExpectedTerm, TermCompliance, TermMatch } from './index.ts';

/** An entry of a glossary, as it is applied to texts. */
export interface TermRow {
  sourceTerm: string;
  targetTerm: string;
  caseSensitive: boolean;
  priority: number;
  setId: string;
  setName: string;
}

/** A translation, and the terms expected in it. */
export interface TermCheck {
  expected: readonly ExpectedTerm[];
  translation: string;
  language: LanguageCode;
}

/** The terms of a text. */
export interface GlossaryMatches {
  matches: TermMatch<TermRow>[];
  /** Entries whose source term equals the `whole` given to `find`, best first. */
  whole: TermRow[];
}

/** A tenant's glossary of a language pair. The object itself contains no terms. */
export interface Glossary {
  /**
   * Returns the terms in a text; null if no term applies to the language pair. With `whole`, also returns the entries whose
   * source term equals that text.
   * @throws AppError rate_limit if too many such tasks are queued
   */
  find(text: string, whole: string | null, signal?: AbortSignal): Promise<GlossaryMatches | null>;
  /** Runs `checkTerms`; a long check runs in a worker slot. @throws AppError rate_limit as above */
  check(asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}

/** Compiles glossaries, caches the most recently used ones, and checks texts against them. */
export interface Glossaries {
  /**
   * @param revision of the tenant's glossaries (`readGlossaryRevision`). The cached glossary of this revision is used if there
   *   is one; otherwise the current terms are read and cached under their current revision
   */
  of(
    database: Database,
    tenantId: string,
    revision: string,
    pair: { sourceLang: LanguageCode; targetLang: LanguageCode },
  ): Glossary;
  /** Runs `checkTerms` if it is short enough to run inline; otherwise returns undefined. */
  checkInline(asked: TermCheck): TermCompliance | undefined;
  /** Runs `checkTerms`; a long check runs in a worker slot. @throws AppError rate_limit if too many such tasks are queued */
  check(tenantId: string, asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}
