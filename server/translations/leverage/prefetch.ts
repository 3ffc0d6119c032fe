import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { type Glossary, readGlossaryRevision, type TermRow } from '#server/terminology/service.ts';
import {
  type CloseHits,
  type ExactLookup,
  findExamples,
  type Guided,
  lookUpExact,
  type MemoryHit,
  pairName,
} from '#server/translation-memory/service.ts';
import type { Provenance, TranslationRequest } from '../schema.ts';

/** What was looked up for a submission, all of its texts in one query. */
export interface Prefetched {
  /** By the text's normal form and languages; what is not in it was not looked up, or is no longer true. */
  exact: Map<string, MemoryHit | undefined>;
  /** The language pairs that the tenant has a memory of (`pairName`). */
  pairs: ReadonlySet<string>;
  /** Of its glossaries; null without any. */
  glossaries: string | null;
}

/**
 * Looks up what the transaction's tenant has for some texts: also where a credential has just opened it, and
 * nobody has to believe it yet.
 */
export async function prefetch(tx: Tx, requests: readonly TranslationRequest[]): Promise<Prefetched> {
  const texts = new Map(requests.map((request) => [keyOf(request), lookupOf(request)]));
  const [{ hits, pairs }, glossaries] = await Promise.all([
    lookUpExact(tx, [...texts.values()]),
    readGlossaryRevision(tx),
  ]);
  return { exact: new Map([...texts.keys()].map((key, index) => [key, hits[index]])), pairs, glossaries };
}

/** Forgets what was held of a text: a job with it has just been published. */
export function forget({ exact }: Prefetched, request: TranslationRequest): void {
  exact.delete(keyOf(request));
}

/**
 * The leverage of one request, which a submission has looked up, or else does so now. All of a submission is held against its
 * tenant's glossaries as they were when it came: a batch, or a file, is not translated by two of them.
 */
export async function leverageOf(
  services: Pick<Services, 'database' | 'embedder' | 'glossaries' | 'log'>,
  tenantId: string,
  request: TranslationRequest,
  found: Prefetched,
): Promise<Leverage> {
  const { database, glossaries } = services;
  const known = found.exact.has(keyOf(request))
    ? found
    : await database.inTenant(tenantId, (tx) => prefetch(tx, [request]));
  const languages = {
    sourceLang: request.source_lang as LanguageCode,
    targetLang: request.target_lang as LanguageCode,
  };
  const pair = { pairSource: languages.sourceLang, pairTarget: languages.targetLang };
  return {
    glossary:
      found.glossaries === null ? null : glossaries.of(database, tenantId, found.glossaries, languages),
    exact: known.exact.get(keyOf(request)),
    findClose: known.pairs.has(pairName(pair))
      ? () => findExamples(services, tenantId, pair, guidedOf(request))
      : null,
  };
}

function guidedOf({ source_text, text_type }: TranslationRequest): Guided {
  const parts = text_type === 'Html' ? readBlocks(source_text) : [];
  return { text: source_text, parts };
}

function lookupOf({ source_text, source_lang, target_lang }: TranslationRequest): ExactLookup {
  return { sourceText: source_text, sourceLang: source_lang, targetLang: target_lang };
}

function keyOf({ source_text, source_lang, target_lang }: TranslationRequest): string {
  return `${source_lang} ${target_lang} ${normalForm(source_text)}`;
}

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

/** Where a stored pair comes from. */
export function memoryProvenance({ setId, setName, origin, tuid, changedAt }: MemoryHit): Provenance {
  return { set_id: setId, set_name: setName, origin, tuid, changedate: changedAt };
}

/** Where a term comes from. */
export function termProvenance({ setId, setName }: TermRow): Provenance {
  return { set_id: setId, set_name: setName, origin: 'terminology', tuid: null, changedate: null };
}
