import type { Database } from '#db/client.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { ExpectedTerm, GlossaryEntry, TermCompliance, TermMatch } from './index.ts';

/** A glossary entry in the form that is applied to texts. */
export interface TermRow extends GlossaryEntry {
  /** For models: the start of the definition and of the note, and the part of speech. */
  definition?: string;
  note?: string;
  partOfSpeech?: string;
  setId: string;
  setName: string;
}

/** A request to check a translation: the translation, and the terms that it should contain. */
export interface TermCheck {
  expected: readonly ExpectedTerm[];
  translation: string;
  language: LanguageCode;
}

/** The glossary terms of a text. */
export interface GlossaryMatches {
  matches: TermMatch<TermRow>[];
  /** The entries whose source term equals the text `whole` that was passed to `find`, best first. */
  whole: TermRow[];
}

/**
 * A tenant's glossary for one language pair. This object does not contain the terms; they are loaded when they are
 * needed.
 */
export interface Glossary {
  /**
   * Returns the glossary terms of a text; null if the glossary has no term for the language pair. If `whole` is not
   * null, also returns the entries whose source term equals this text.
   *
   * @throws AppError `rate_limit` if too many such tasks are queued
   */
  find(text: string, whole: string | null, signal?: AbortSignal): Promise<GlossaryMatches | null>;
  /** Runs `checkTerms`. A long check runs in a worker slot. @throws AppError `rate_limit` as `find` does */
  check(asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}

/** Compiles glossaries, caches the most recently used ones, and checks texts against them. */
export interface Glossaries {
  /**
   * @param revision the revision of the tenant's glossaries (`readGlossaryRevision`). If the glossary of this revision
   *   is cached, it is used. Otherwise the current terms are read and cached with their current revision
   */
  of(
    database: Database,
    tenantId: string,
    revision: string,
    pair: { sourceLang: LanguageCode; targetLang: LanguageCode },
  ): Glossary;
  /** Runs `checkTerms` if this takes little time; otherwise returns undefined. */
  checkInline(asked: TermCheck): TermCompliance | undefined;
  /**
   * Runs `checkTerms`. A long check runs in a worker slot. @throws AppError `rate_limit` if too many such tasks are
   * queued
   */
  check(tenantId: string, asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}
