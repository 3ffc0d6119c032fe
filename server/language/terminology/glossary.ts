import type { Tx } from '#db/client.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { Glossaries, GlossaryMatches, TermCheck, TermRow } from '#server/matching/terms/glossary.ts';
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
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { createThreads, threadCount } from '#server/platform/threads/threads.ts';
import { selectTerms } from './terms.ts';
import { bytesOfTables } from './threads/shared-tables.ts';
import type { TermWork } from './threads/term-thread.ts';

/**
 * The largest work that runs inline, without a thread, in UTF-16 units: a glossary's source terms, a text in which to
 * find terms, and for a check the translation and the expected terms. Nearly every job is within these limits and takes
 * a millisecond; the worst input takes less than 50 ms. `npm run bench -- abuse/glossary` measures the longest block.
 */
const inlineLimits = { sources: 20_000, text: 5000, translation: 5000, expected: 2500 };

/** A minute is far more than the largest glossary and text take. */
const runOnTermThread = createThreads<TermWork>(
  new URL('./threads/term-thread.ts', import.meta.url),
  'matches glossary terms',
  60_000,
);

interface Compiled extends CachedGlossary {
  /** The compiled terms; null if no term applies to the language pair. */
  terms: { matcher: TermMatcher<TermRow>; tables: TermTables } | null;
}

/**
 * Creates the interface to the tenants' glossaries. Large glossaries, long texts and checks of many terms run on
 * threads; tenants get the slots of the threads in turn. Everything else runs inline. If several requests need the same
 * glossary at the same time, it is compiled once.
 */
export function createGlossaries(): Glossaries {
  const kept = createGlossaryCache<Compiled>();
  const loading = new Map<string, Promise<Compiled>>();
  const threadSlots = createConcurrencyLimit({
    slots: threadCount,
    maxWaiting: 2000,
    refusal: 'too many large glossaries are in use; try again later',
  });

  function checkInline({ expected, translation, language }: TermCheck): TermCompliance | undefined {
    if (translation.length > inlineLimits.translation || unitsOf(expected) > inlineLimits.expected)
      return undefined;
    return checkTerms(expected, translation, language);
  }

  async function check(tenantId: string, asked: TermCheck, signal?: AbortSignal): Promise<TermCompliance> {
    return (
      checkInline(asked) ??
      (await threadSlots.run({ tenantId, signal }, () => runOnTermThread('check', asked)))
    );
  }

  return {
    checkInline,
    check,
    of(database, tenantId, revision, { sourceLang, targetLang }) {
      const keyOf = (revision: string | null) => `${tenantId} ${sourceLang} ${targetLang} ${revision}`;
      const key = keyOf(revision);
      /**
       * Reads the current terms, with the revision that they have now. After an upload, it differs from the caller's
       * revision.
       */
      const read = async () => {
        const { revision, terms } = await database.inTenant(tenantId, (tx: Tx) =>
          selectTerms(tx, tenantId, sourceLang, targetLang),
        );
        const own = keyOf(revision);
        return { own, rows: terms, known: kept.get(own) };
      };
      const keep = (own: string, rows: TermRow[], tables: TermTables | null): Compiled => {
        const terms = tables && { matcher: openTerms(rows, tables, sourceLang), tables };
        const bytes = tables ? bytesOfRows(rows) + bytesOfTables(tables) : 0;
        const compiled = { tenantId, terms, bytes };
        kept.keep(own, compiled);
        return compiled;
      };

      /** Compiles the terms, unless this was done since. The caller must hold a slot. */
      async function loadInSlot(): Promise<Compiled> {
        const ready = kept.get(key);
        if (ready) return ready;
        const { own, rows, known } = await read();
        if (known) return known;
        if (sourceUnits(rows) <= inlineLimits.sources)
          return keep(own, rows, tabulateAtOnce(rows, sourceLang));
        const entries = rows.map(plainEntry);
        return keep(own, rows, await runOnTermThread('tabulate', { entries, language: sourceLang }));
      }

      async function load(): Promise<Compiled> {
        const { own, rows, known } = await read();
        if (known) return known;
        if (sourceUnits(rows) <= inlineLimits.sources)
          return keep(own, rows, tabulateAtOnce(rows, sourceLang));
        // The terms are read again when the slot is free, so that waiting work does not keep a glossary in memory.
        return threadSlots.run({ tenantId }, loadInSlot);
      }

      function loadOnce(): Promise<Compiled> {
        const known = loading.get(key);
        if (known) return known;
        const started = load().finally(() => loading.delete(key));
        loading.set(key, started);
        return started;
      }

      return {
        check: (asked, signal) => check(tenantId, asked, signal),
        async find(text, whole, signal) {
          if (text.length <= inlineLimits.text) {
            const { terms } = kept.get(key) ?? (await loadOnce());
            return terms && termsFound(terms, terms.matcher.find(text), whole);
          }
          return threadSlots.run({ tenantId, signal }, async () => {
            const { terms } = await loadInSlot();
            if (!terms) return null;
            const { patterns, ranks } = terms.tables;
            const found = await runOnTermThread('find', {
              tables: { patterns, ranks },
              text,
              language: sourceLang,
            });
            return termsFound(terms, terms.matcher.matchesOf(found), whole);
          });
        },
      };
    },
  };
}

function termsFound(
  { matcher }: NonNullable<Compiled['terms']>,
  matches: TermMatch<TermRow>[],
  whole: string | null,
): GlossaryMatches {
  return { matches, whole: whole === null ? [] : matcher.whole(whole) };
}

function tabulateAtOnce(rows: readonly TermRow[], language: LanguageCode): TermTables | null {
  return rows.length === 0 ? null : tabulateTerms(rows, language);
}

/** Returns an entry without its set, which a thread does not need. */
function plainEntry({ sourceTerm, targetTerm, caseSensitive, priority, status }: TermRow) {
  return { sourceTerm, targetTerm, caseSensitive, priority, ...(status && { status }) };
}

function sourceUnits(rows: readonly TermRow[]): number {
  return rows.reduce((sum, { sourceTerm }) => sum + sourceTerm.length, 0);
}

function unitsOf(expected: readonly ExpectedTerm[]): number {
  let units = 0;
  for (const { targetTerms, forbiddenTerms = [] } of expected)
    for (const term of [...targetTerms, ...forbiddenTerms]) units += term.length;
  return units;
}

/** Estimated bytes: about 150 for each object, and two for each UTF-16 unit of its terms. */
function bytesOfRows(rows: readonly TermRow[]): number {
  return rows.reduce(
    (sum, { sourceTerm, targetTerm, definition = '', note = '' }) =>
      sum + 150 + 2 * (sourceTerm.length + targetTerm.length + definition.length + note.length),
    0,
  );
}

/** A cached glossary: its tenant and its size in bytes. */
export interface CachedGlossary {
  tenantId: string;
  bytes: number;
}

/**
 * Maximum number of bytes of all cached glossaries together, and of the glossaries of one tenant. The tenant's latest
 * glossary may exceed the second limit if it is the tenant's only one in the cache.
 */
const limits = { bytes: 100_000_000, ofTenant: 25_000_000 };

/** A smaller glossary counts as this many bytes. So at most 200 glossaries are cached, and at most 50 of one tenant. */
const minBytes = limits.bytes / 200;

/** Caches compiled glossaries in a limited amount of memory, with a share for each tenant. */
interface GlossaryCache<T extends CachedGlossary> {
  get(key: string): T | undefined;
  keep(key: string, glossary: T): void;
}

/**
 * Creates a cache that evicts the least recently used glossary: of a tenant that exceeds its share, or, if all
 * glossaries together exceed the limit, of the tenant with the most bytes. So a tenant never loses a glossary because
 * of a tenant that uses more memory.
 */
export function createGlossaryCache<T extends CachedGlossary>(): GlossaryCache<T> {
  // A Map keeps the order of insertion, so the first entry is the least recently used.
  const kept = new Map<string, T>();
  const sums = new Map<string, number>();

  function drop(key: string): void {
    const glossary = kept.get(key);
    if (!glossary) return;
    kept.delete(key);
    const left = (sums.get(glossary.tenantId) ?? 0) - counted(glossary);
    if (left > 0) sums.set(glossary.tenantId, left);
    else sums.delete(glossary.tenantId);
  }

  function dropOldestOf(tenantId: string): void {
    for (const [key, glossary] of kept) {
      if (glossary.tenantId !== tenantId) continue;
      drop(key);
      return;
    }
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (!known) return undefined;
      kept.delete(key);
      kept.set(key, known);
      return known;
    },
    keep(key, glossary) {
      drop(key);
      const { tenantId } = glossary;
      if (counted(glossary) > limits.bytes) return;
      while ((sums.get(tenantId) ?? 0) > 0 && (sums.get(tenantId) ?? 0) + counted(glossary) > limits.ofTenant)
        dropOldestOf(tenantId);
      kept.set(key, glossary);
      sums.set(tenantId, (sums.get(tenantId) ?? 0) + counted(glossary));
      while (sumOf(sums.values()) > limits.bytes) dropOldestOf(largestOf(sums));
    },
  };
}

function counted({ bytes }: CachedGlossary): number {
  return Math.max(minBytes, bytes);
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

function largestOf(sums: ReadonlyMap<string, number>): string {
  let [largest, max] = ['', -1];
  for (const [tenantId, bytes] of sums) if (bytes > max) [largest, max] = [tenantId, bytes];
  return largest;
}
