import type { Glossary } from '#server/terminology/service.ts';
import type { CloseHits, MemoryHit } from '#server/translation-memory/service.ts';

/** What a tenant's glossaries and memory have for one text. */
export interface Leverage {
  /** Null where the tenant has none. */
  glossary: Glossary | null;
  /** What the exact tier of the memory serves (B 8 rule 1). */
  exact: MemoryHit | undefined;
  /** Asks the fuzzy tier; null where the tenant has no memory of these languages. */
  findClose: (() => Promise<CloseHits>) | null;
}

/** Of a tenant that has neither. */
export const noLeverage: Leverage = { glossary: null, exact: undefined, findClose: null };
