/** What is kept: whose it is, and the bytes it takes. */
export interface CachedGlossary {
  tenantId: string;
  bytes: number;
}

/** Bytes that all kept glossaries take together, and those of one tenant beside its newest one. */
const most = { bytes: 100_000_000, ofTenant: 25_000_000 };

/** A small glossary counts as this much: 200 are kept at most, and 50 of one tenant. */
const leastBytes = most.bytes / 200;

/** Keeps compiled glossaries, within a bound of memory that tenants share fairly. */
export interface GlossaryCache<T extends CachedGlossary> {
  get(key: string): T | undefined;
  keep(key: string, glossary: T): void;
}

/**
 * What was not used for longest goes: the tenant's own above its share; and where all of them are too many, that of the tenant
 * which has most. So nobody's goes for the sake of somebody who has more.
 */
export function createGlossaryCache<T extends CachedGlossary>(): GlossaryCache<T> {
  // A Map's order is that of insertion: the first is the one that was not used for longest.
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
      if (counted(glossary) > most.bytes) return;
      while ((sums.get(tenantId) ?? 0) > 0 && (sums.get(tenantId) ?? 0) + counted(glossary) > most.ofTenant)
        dropOldestOf(tenantId);
      kept.set(key, glossary);
      sums.set(tenantId, (sums.get(tenantId) ?? 0) + counted(glossary));
      while (sumOf(sums.values()) > most.bytes) dropOldestOf(largestOf(sums));
    },
  };
}

function counted({ bytes }: CachedGlossary): number {
  return Math.max(leastBytes, bytes);
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

function largestOf(sums: ReadonlyMap<string, number>): string {
  let [largest, most] = ['', -1];
  for (const [tenantId, bytes] of sums) if (bytes > most) [largest, most] = [tenantId, bytes];
  return largest;
}
