import type { Database, Tx } from '#db/client.ts';
import { createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { LanguageCode } from '#server/languages.ts';
import {
  checkTerms,
  type ExpectedTerm,
  openTerms,
  type TermCompliance,
  type TermMatch,
  type TermMatcher,
  type TermTables,
  tabulateTerms,
} from '#server/matching/terms/index.ts';
import { type CachedGlossary, createGlossaryCache } from './glossary-cache.ts';
import { selectTerms, type TermRow } from './terms.ts';
import { bytesOfTables } from './threads/shared-tables.ts';
import { runOnTermThread, termThreadCount } from './threads/term-threads.ts';

/**
 * What is done at once, without a thread, in UTF-16 units: a glossary's source terms, a text in which terms are found, and for a check
 * the translation and the expected terms. Nearly every job is within, and takes a millisecond; the worst input takes less than 50
 * (`npm run bench -- glossary-slices`).
 */
const inlineLimits = { sources: 20_000, text: 5000, translation: 5000, expected: 2500 };

/** A translation, and what is expected in it. */
export interface TermCheck {
  expected: readonly ExpectedTerm[];
  translation: string;
  language: LanguageCode;
}

/** The terms of a text. */
export interface TermsFound {
  matches: TermMatch<TermRow>[];
  /** Entries whose whole source term is the text that was asked for, best first. */
  whole: TermRow[];
}

/** A tenant's glossary of a language pair as it stood at a revision; it holds no term itself. */
export interface Glossary {
  /**
   * The terms in a text; null where no term applies to the pair. `whole` asks also for entries that are, as a whole, another
   * form of the text.
   * @throws AppError rate_limit where too much work of this kind waits
   */
  find(text: string, whole: string | null, signal?: AbortSignal): Promise<TermsFound | null>;
  /** `checkTerms`, in turn where it takes long. @throws AppError rate_limit as above */
  check(asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}

/** Compiles glossaries, keeps those that were used last, and holds texts against them. */
export interface Glossaries {
  /** @param revision of the tenant's glossaries (`selectRevision`): what is kept of another one is not used */
  of(
    database: Database,
    tenantId: string,
    revision: string,
    pair: { sourceLang: LanguageCode; targetLang: LanguageCode },
  ): Glossary;
  /** `checkTerms`, where it takes so little time that nobody waits for it; else undefined. */
  checkAtOnce(asked: TermCheck): TermCompliance | undefined;
  /** `checkTerms`, in turn where it takes long. @throws AppError rate_limit where too much work of this kind waits */
  check(tenantId: string, asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance>;
}

interface Compiled extends CachedGlossary {
  /** Null where no term applies. */
  terms: { matcher: TermMatcher<TermRow>; tables: TermTables } | null;
}

/**
 * A large glossary, a long text and a check of many terms are a thread's work, one tenant's after the other's; anything else is
 * done at once. A glossary is compiled once for all who ask for it at the same time.
 */
export function createGlossaries(): Glossaries {
  const kept = createGlossaryCache<Compiled>();
  const loading = new Map<string, Promise<Compiled>>();
  const turns = createConcurrencyLimit({
    slots: termThreadCount,
    places: 2000,
    refusal: 'too many large glossaries are in use; try again later',
  });

  function checkAtOnce({ expected, translation, language }: TermCheck): TermCompliance | undefined {
    if (translation.length > inlineLimits.translation || unitsOf(expected) > inlineLimits.expected)
      return undefined;
    return checkTerms(expected, translation, language);
  }

  async function check(tenantId: string, asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance> {
    return (
      checkAtOnce(asked) ?? (await turns.run({ tenantId, signal }, () => runOnTermThread('check', asked)))
    );
  }

  return {
    checkAtOnce,
    check,
    of(database, tenantId, revision, { sourceLang, targetLang }) {
      // Who began before an upload goes on with what was: two revisions are two glossaries.
      const key = `${tenantId} ${sourceLang} ${targetLang} ${revision}`;
      const read = () =>
        database.inTenant(tenantId, (tx: Tx) => selectTerms(tx, tenantId, sourceLang, targetLang));
      const keep = (rows: TermRow[], tables: TermTables | null): Compiled => {
        const terms = tables && { matcher: openTerms(rows, tables, sourceLang), tables };
        const bytes = tables ? bytesOfRows(rows) + bytesOfTables(tables) : 0;
        const compiled = { tenantId, terms, bytes };
        kept.keep(key, compiled);
        return compiled;
      };

      /** Whoever calls it has a turn. */
      async function loadInTurn(): Promise<Compiled> {
        const known = kept.get(key);
        if (known) return known;
        const rows = await read();
        if (sourceUnits(rows) <= inlineLimits.sources) return keep(rows, tabulateAtOnce(rows, sourceLang));
        const entries = rows.map(plainEntry);
        return keep(rows, await runOnTermThread('tabulate', { entries, language: sourceLang }));
      }

      async function load(): Promise<Compiled> {
        const rows = await read();
        if (sourceUnits(rows) <= inlineLimits.sources) return keep(rows, tabulateAtOnce(rows, sourceLang));
        // Read again when its turn has come: what waits holds no glossary.
        return turns.run({ tenantId }, loadInTurn);
      }

      function loadOnce(): Promise<Compiled> {
        const known = loading.get(key);
        if (known) return known;
        const underWay = load().finally(() => loading.delete(key));
        loading.set(key, underWay);
        return underWay;
      }

      return {
        check: (asked, signal) => check(tenantId, asked, signal),
        async find(text, whole, signal) {
          if (text.length <= inlineLimits.text) {
            const { terms } = kept.get(key) ?? (await loadOnce());
            return terms && answer(terms, terms.matcher.find(text), whole);
          }
          return turns.run({ tenantId, signal }, async () => {
            const { terms } = await loadInTurn();
            if (!terms) return null;
            const { patterns, ranks } = terms.tables;
            const found = await runOnTermThread('find', {
              tables: { patterns, ranks },
              text,
              language: sourceLang,
            });
            return answer(terms, terms.matcher.matchesOf(found), whole);
          });
        },
      };
    },
  };
}

function answer(
  { matcher }: NonNullable<Compiled['terms']>,
  matches: TermMatch<TermRow>[],
  whole: string | null,
): TermsFound {
  return { matches, whole: whole === null ? [] : matcher.whole(whole) };
}

function tabulateAtOnce(rows: readonly TermRow[], language: LanguageCode): TermTables | null {
  return rows.length === 0 ? null : tabulateTerms(rows, language);
}

/** Without its set, which a thread has no use for. */
function plainEntry({ sourceTerm, targetTerm, caseSensitive, priority }: TermRow) {
  return { sourceTerm, targetTerm, caseSensitive, priority };
}

function sourceUnits(rows: readonly TermRow[]): number {
  return rows.reduce((sum, { sourceTerm }) => sum + sourceTerm.length, 0);
}

function unitsOf(expected: readonly ExpectedTerm[]): number {
  let units = 0;
  for (const { targetTerms } of expected) for (const term of targetTerms) units += term.length;
  return units;
}

/** About 150 bytes of an object, and two of each unit of its terms. */
function bytesOfRows(rows: readonly TermRow[]): number {
  return rows.reduce(
    (sum, { sourceTerm, targetTerm }) => sum + 150 + 2 * (sourceTerm.length + targetTerm.length),
    0,
  );
}
