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
export interface GlossaryCache<T extends CachedGlossary> {
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
