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

/** Bytes that the kept glossaries take, all together, and those of one tenant: it must not drive out everybody else's. */
const most = { bytes: 150_000_000, ofTenant: 37_500_000 };

/** A small glossary counts as this much: 200 are kept at most, and 50 of one tenant. */
const leastBytes = most.bytes / 200;

/**
 * Bytes of a compiled term and of each UTF-16 unit of its sides, a little more than measured: 2000 terms of 500 units take 48 MB
 * in English, 66 MB in German and 75 MB in Greek, 2000 of 20 units 4 MB, 20,000 of 20 units 17 MB.
 */
const cost = { term: 800, sourceUnit: 80, targetUnit: 4 };

/** Keeps compiled glossaries, those that were used last. */
export interface Glossaries {
  /**
   * The glossary of a pair as it stands at a revision (`selectRevision`), read and compiled where it is not kept;
   * null where no term applies. Who asks while it is being read waits for the same. One that is larger than a tenant's
   * share is read each time.
   */
  of(
    database: Database,
    tenantId: string,
    revision: string,
    pair: { sourceLang: LanguageCode; targetLang: LanguageCode },
  ): Promise<Glossary | null>;
}

interface Loaded {
  tenantId: string;
  revision: string;
  glossary: Glossary | null;
  bytes: number;
}

export function createGlossaries(): Glossaries {
  // A Map's order is that of insertion: the first is the one that was not used for longest.
  const kept = new Map<string, Loaded>();
  const loading = new Map<string, Promise<Loaded>>();

  function keep(key: string, loaded: Loaded): void {
    kept.delete(key);
    if (loaded.bytes > most.ofTenant) return;
    kept.set(key, loaded);
    const ofTenant = [...kept].filter(([, { tenantId }]) => tenantId === loaded.tenantId);
    dropOldest(kept, ofTenant, most.ofTenant);
    dropOldest(kept, [...kept], most.bytes);
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
      const flight = `${key} ${revision}`;
      const underWay = loading.get(flight);
      if (underWay) return (await underWay).glossary;
      const load = database
        .inTenant(tenantId, (tx) => selectTerms(tx, tenantId, sourceLang, targetLang))
        .then((rows): Loaded => ({ tenantId, revision, ...compile(rows, sourceLang) }));
      loading.set(flight, load);
      try {
        const loaded = await load;
        keep(key, loaded);
        return loaded.glossary;
      } finally {
        loading.delete(flight);
      }
    },
  };
}

function compile(rows: TermRow[], sourceLang: LanguageCode): Pick<Loaded, 'glossary' | 'bytes'> {
  if (rows.length === 0) return { glossary: null, bytes: leastBytes };
  return {
    glossary: { terms: rows.length, matcher: compileTerms(rows, sourceLang) },
    bytes: Math.max(leastBytes, bytesOf(rows)),
  };
}

function bytesOf(rows: readonly TermRow[]): number {
  return rows.reduce(
    (sum, { sourceTerm, targetTerm }) =>
      sum + cost.term + cost.sourceUnit * sourceTerm.length + cost.targetUnit * targetTerm.length,
    0,
  );
}

/** Drops the first of `among` until the rest has so many bytes. */
function dropOldest(kept: Map<string, Loaded>, among: readonly [string, Loaded][], bytes: number): void {
  let sum = among.reduce((total, [, loaded]) => total + loaded.bytes, 0);
  for (const [key, loaded] of among) {
    if (sum <= bytes) return;
    kept.delete(key);
    sum -= loaded.bytes;
  }
}
