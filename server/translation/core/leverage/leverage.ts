import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import { clip } from '#server/formats/text.ts';
import { readGuidance, type StylesByLanguage, styleOf } from '#server/language/style-guides/guidance.ts';
import { type CloseHits, maxHits } from '#server/language/translation-memory/lookup/close-match.ts';
import {
  type ExactLookup,
  lookUpExact,
  type MemoryHit,
} from '#server/language/translation-memory/lookup/exact-match.ts';
import { findExamples, type Guided } from '#server/language/translation-memory/lookup/examples.ts';
import { type LanguageCode, pairName } from '#server/languages.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { Glossary, TermRow } from '#server/matching/terms/glossary.ts';
import { createConcurrencyLimit, type SlotScope } from '#server/platform/concurrency-limit.ts';
import type { TaskExample, TaskStyle, TaskTerm } from '#server/platform/engines/engine.ts';
import type { AgentDecision, AgentStep, Provenance } from '../agent-run-schema.ts';
import { newDecision, recordStep } from '../pipeline/trace.ts';
import type { TextRequest } from '../request.ts';
import type { TermsInText } from './terms.ts';

/** Glossary terms, TM matches and the style of a tenant for one text. */
export interface Leverage {
  /** The tenant's glossary; null if none exists. */
  glossary: Glossary | null;
  /** The exact match in the TM. It is served without a model call, but still metered. */
  exact: MemoryHit | undefined;
  /** Searches for fuzzy matches. Null if the tenant has no TM for these languages. */
  findClose: (() => Promise<CloseHits>) | null;
  /** The tenant's style for the target language; null without a style guide. */
  style: TaskStyle | null;
  /** Whether the workspace demands a review of texts with suspected instructions to the model. */
  reviewsInstructions: boolean;
}

/** The leverage of a tenant without glossaries, TM and style guides. */
export const noLeverage: Leverage = {
  glossary: null,
  exact: undefined,
  findClose: null,
  style: null,
  reviewsInstructions: false,
};

/** The data for the texts of a submission that was looked up in advance. */
export interface Prefetched {
  /**
   * Exact matches by normal form and languages. Undefined: there is no match. A missing key: the text still has to be
   * looked up.
   */
  exact: Map<string, MemoryHit | undefined>;
  /** The language pairs for which the tenant has a TM (`pairName`). */
  pairs: ReadonlySet<string>;
  /** The revision of the tenant's glossaries; null without glossaries. */
  glossaries: string | null;
  /** The tenant's style guides for the target languages of the texts. */
  styles: StylesByLanguage;
  reviewsInstructions: boolean;
}

/**
 * Looks up exact matches, the glossary revision and style guides for all texts of a submission. The transaction determines the
 * tenant, so this statement can be sent before the caller is authenticated.
 */
export async function prefetch(tx: Tx, requests: readonly TextRequest[]): Promise<Prefetched> {
  const texts = new Map(requests.map((request) => [keyOf(request), lookupOf(request)]));
  const [{ hits, pairs }, guidance] = await Promise.all([
    lookUpExact(tx, [...texts.values()]),
    readGuidance(
      tx,
      requests.map(({ target_lang }) => target_lang),
    ),
  ]);
  return { exact: new Map([...texts.keys()].map((key, index) => [key, hits[index]])), pairs, ...guidance };
}

/** Removes the exact match of a text, because a job with the same text has just been published. */
export function forgetText({ exact }: Prefetched, request: TextRequest): void {
  exact.delete(keyOf(request));
}

/**
 * Fuzzy searches of this process. Each uses a database connection, and a batch or document has thousands of them. As many
 * as there are may wait: without a search, a text would be translated without its matches.
 */
const searches = createConcurrencyLimit({
  slots: 8,
  slotsOfTenant: 4,
  maxWaiting: Number.POSITIVE_INFINITY,
});

/**
 * Returns the terms and matches for one request: from the prefetched data or, for a text that is missing there, from a
 * new lookup. The glossary revision and the style guides are always the prefetched ones, so that all texts of a batch or
 * file use the same.
 */
export async function leverageOf(
  services: Pick<Services, 'database' | 'embedder' | 'glossaries' | 'log'>,
  scope: SlotScope,
  request: TextRequest,
  found: Prefetched,
): Promise<Leverage> {
  const { database, glossaries } = services;
  const { tenantId } = scope;
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
      ? () => searches.run(scope, () => findExamples(services, tenantId, pair, guidedOf(request)))
      : null,
    style: styleOf(found.styles, languages.targetLang),
    reviewsInstructions: found.reviewsInstructions,
  };
}

/** Returns the text, and the texts of a page, for which examples are looked up. */
export function guidedOf({ source_text, text_type }: TextRequest): Guided {
  const parts = text_type === 'Html' ? readBlocks(source_text) : [];
  return { text: source_text, parts };
}

function lookupOf({ source_text, source_lang, target_lang }: TextRequest): ExactLookup {
  return { sourceText: source_text, sourceLang: source_lang, targetLang: target_lang };
}

/** Returns what two requests have in common if the same exact match serves them: languages and normal form. */
export function keyOf({ source_text, source_lang, target_lang }: TextRequest): string {
  return `${source_lang} ${target_lang} ${normalForm(source_text)}`;
}

/** The glossary terms and examples for the engine. */
interface Gathered {
  glossary: TaskTerm[];
  examples: TaskExample[];
}

/** Maximum number of terms that are sent to the engine and listed in the trace. */
const maxTerms = 200;
const maxNamed = 50;
/** Maximum length of a quote in the trace, in UTF-16 units. */
const maxQuoteLength = 200;

const nothing: CloseHits = { close: [], relevant: [] };

/**
 * Gathers the terms, fuzzy matches and relevant segments for the text, and records the provenance of each in the trace.
 * If the search fails, the run continues without matches. If an exact match was not served, because it misses a
 * glossary term or has different markup, it is still the best example, and counts as a fuzzy match.
 * @param searchFailed called with the error of a failed search
 */
export async function gatherLeverage(
  steps: AgentStep[],
  leverage: Leverage,
  terms: TermsInText | null,
  searchFailed: (error: unknown) => void,
): Promise<Gathered> {
  const { exact: refused } = leverage;
  const used = terms?.matches ?? [];
  if (used.length === 0 && !leverage.findClose && !refused) return { glossary: [], examples: [] };
  const found = leverage.findClose
    ? await leverage.findClose().catch((error: unknown) => {
        searchFailed(error);
        return nothing;
      })
    : nothing;
  const own = refused ? [{ ...refused, similarity: 1, likeness: 'surface' as const }] : [];
  const close = [...own, ...found.close].slice(0, maxHits.close);
  const { relevant } = found;
  const hits = [...close, ...relevant];
  const glossary = (terms?.expected ?? [])
    .slice(0, maxTerms)
    .map(({ sourceTerm, targetTerms }) => ({ source: sourceTerm, targets: targetTerms }));
  const examples = hits.map(({ sourceText, targetText, similarity }) => ({
    source: sourceText,
    target: targetText,
    similarity,
  }));
  if (glossary.length === 0 && examples.length === 0) return { glossary, examples };
  return recordStep(
    steps,
    { name: 'leverage', actor: 'memory_agent', kind: 'tool', input: 'glossary and memory' },
    () => ({
      value: { glossary, examples },
      output: `${glossary.length} terms, ${close.length} fuzzy matches, ${relevant.length} relevant segments`,
      decisions: [
        ...termDecisions(terms),
        ...hits.map((hit, index) =>
          newDecision(
            index < close.length ? 'close_match' : 'relevant_pair',
            `${Math.floor(hit.similarity * 100)} % alike${hit.likeness === 'meaning' ? ' in meaning' : ''}`,
            `“${clip(hit.sourceText, maxQuoteLength)}” → “${clip(hit.targetText, maxQuoteLength)}”`,
            { confidence: hit.similarity, provenance: memoryProvenance(hit) },
          ),
        ),
      ],
    }),
  );
}

/** Returns a decision for each term, with the term's provenance. */
function termDecisions(terms: TermsInText | null): AgentDecision[] {
  const entries = new Set(terms?.matches.map(({ entries: [winner] }) => winner));
  return [...entries]
    .slice(0, maxNamed)
    .map((entry) =>
      newDecision(
        'term',
        `“${clip(entry.sourceTerm, maxQuoteLength)}” → “${clip(entry.targetTerm, maxQuoteLength)}”`,
        null,
        { provenance: termProvenance(entry) },
      ),
    );
}

/** Returns the provenance of a TM segment. */
export function memoryProvenance({ setId, setName, origin, tuid, changedAt }: MemoryHit): Provenance {
  return { set_id: setId, set_name: setName, origin, tuid, changedate: changedAt };
}

/** Returns the provenance of a term. */
export function termProvenance({ setId, setName }: TermRow): Provenance {
  return { set_id: setId, set_name: setName, origin: 'terminology', tuid: null, changedate: null };
}
