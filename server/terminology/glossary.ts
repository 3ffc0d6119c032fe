import type { Database } from '#db/client.ts';
import type { LanguageCode } from '#server/languages.ts';
import { compileTerms, type TermMatcher } from '#server/matching/terms/index.ts';
import { selectTerms, type TermRow } from './queries/terms.ts';

/** A tenant's terms for one language pair, ready to be looked for in texts. */
export interface Glossary {
  /** How many terms apply to the pair. */
  terms: number;
  matcher: TermMatcher<TermRow>;
}

/** Glossaries that are kept ready, and the terms of all of them. */
const most = { glossaries: 200, terms: 100_000 };

/** Keeps compiled glossaries, those that were used last. */
export interface Glossaries {
  /**
   * The glossary of a pair as it stands at a revision (`selectRevision`), read and compiled where it is not kept;
   * null where no term applies.
   */
  of(
    database: Database,
    tenantId: string,
    revision: string,
    pair: { sourceLang: LanguageCode; targetLang: LanguageCode },
  ): Promise<Glossary | null>;
}

interface Kept {
  revision: string;
  glossary: Glossary | null;
}

export function createGlossaries(): Glossaries {
  // A Map's order is that of insertion: the first is the one that was not used for longest.
  const kept = new Map<string, Kept>();
  let terms = 0;

  function drop(key: string): void {
    terms -= kept.get(key)?.glossary?.terms ?? 0;
    kept.delete(key);
  }

  function keep(key: string, value: Kept): void {
    drop(key);
    kept.set(key, value);
    terms += value.glossary?.terms ?? 0;
    for (const [oldest] of kept) {
      if (kept.size <= most.glossaries && terms <= most.terms) break;
      drop(oldest);
    }
  }

  return {
    async of(database, tenantId, revision, { sourceLang, targetLang }) {
      const key = `${tenantId} ${sourceLang} ${targetLang}`;
      const known = kept.get(key);
      if (known?.revision === revision) {
        kept.delete(key);
        kept.set(key, known);
        return known.glossary;
      }
      const rows = await database.inTenant(tenantId, (tx) =>
        selectTerms(tx, tenantId, sourceLang, targetLang),
      );
      const glossary =
        rows.length === 0 ? null : { terms: rows.length, matcher: compileTerms(rows, sourceLang) };
      keep(key, { revision, glossary });
      return glossary;
    },
  };
}
