/** A cached glossary: its tenant and its size in bytes. */
export interface CachedGlossary {
  tenantId: string;
  bytes: number;
}

/**
 * Maximum number of bytes of all cached glossaries together, and of one tenant's. A tenant's latest glossary may exceed the
 * tenant's share if it is the only one.
 */
const limits = { bytes: 100_000_000, ofTenant: 25_000_000 };

/** The minimum size of a glossary in this count, so that at most 200 are cached, and 50 of one tenant. */
const minBytes = limits.bytes / 200;

/** Caches compiled glossaries in limited memory that tenants share fairly. */
export interface GlossaryCache<T extends CachedGlossary> {
  get(key: string): T | undefined;
  keep(key: string, glossary: T): void;
}

/**
 * Evicts the glossary that has been unused for longest: a tenant's own if it exceeds its share, and that of the tenant with the
 * most bytes if all together exceed the limit. So no tenant loses a glossary to a tenant that has more.
 */
export function createGlossaryCache<T extends CachedGlossary>(): GlossaryCache<T> {
  // A Map keeps the order of insertion, so the first entry is the one that has been unused for longest.
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
