import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import { clip } from '#server/formats/text.ts';
import type { WorkspaceRules } from '#server/language/segmentation/rules.ts';
import { readGuidance, type StylesByLanguage, styleOf } from '#server/language/style-guides/guidance.ts';
import { type CloseHits, maxHits } from '#server/language/translation-memory/lookup/close-match.ts';
import {
  type ExactLookup,
  lookUpExact,
  type MemoryHit,
  respelled,
  unpenalized,
} from '#server/language/translation-memory/lookup/exact-match.ts';
import { findExamples, type Guided } from '#server/language/translation-memory/lookup/examples.ts';
import {
  type DividedLookup,
  isRespellable,
  matchRespelled,
  matchSentences,
  type SentenceMatch,
  sentenceTexts,
} from '#server/language/translation-memory/lookup/sentences.ts';
import { lessPenalty } from '#server/language/translation-memory/penalties.ts';
import { type LanguageCode, pairName } from '#server/languages.ts';
import { normalForm, type TextContext } from '#server/matching/normal-form.ts';
import type { Glossary, TermRow } from '#server/matching/terms/glossary.ts';
import { plainTypography } from '#server/matching/typography.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type {
  CallScope,
  TaskExample,
  TaskSentence,
  TaskStyle,
  TaskTerm,
} from '#server/platform/engines/engine.ts';
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
  /** The match of the whole text that has a penalty, and is therefore a fuzzy match. */
  penalized: MemoryHit | undefined;
  /** The sentences of the text with their matches in the TM (`matchSentences`). */
  sentences: readonly SentenceMatch[];
  /** Searches for fuzzy matches. Null if the tenant has no TM for these languages. */
  findClose: (() => Promise<CloseHits>) | null;
  /** The tenant's style for the target language; null without a style guide. */
  style: TaskStyle | null;
  /** Whether the workspace demands a review of texts with suspected instructions to the model. */
  reviewsInstructions: boolean;
  /** Whether the workspace demands a review of translations that are made of sentences of the TM. */
  reviewsSentences: boolean;
  /** The patterns of the workspace's own placeholders; missing without them. */
  placeholders?: readonly string[];
  /** The stored rules of redaction; null without redaction, undefined if they are not known. */
  redaction?: unknown;
}

/** The leverage of a tenant without glossaries, TM and style guides. */
export const noLeverage: Leverage = {
  glossary: null,
  exact: undefined,
  penalized: undefined,
  sentences: [],
  findClose: null,
  style: null,
  reviewsInstructions: false,
  reviewsSentences: false,
};

/** The data for the texts of a submission that was looked up in advance. */
export interface Prefetched {
  /**
   * Exact matches of texts and of their sentences, by normal form and languages. Undefined: there is no match. A missing key: the text still has to be
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
  reviewsSentences: boolean;
  /** The patterns of the tenant's own placeholders. */
  placeholders: readonly string[];
  /** The stored rules of redaction (`Guidance`). */
  redaction: unknown;
  /** The segmentation rules of the tenant; undefined without such rules. */
  segmentation: WorkspaceRules | undefined;
}

/**
 * UTF-16 units of texts whose sentences are looked up at once. The caller may not be authenticated yet. The sentences of
 * the other texts are looked up when these run.
 */
const maxDividedUnits = 200_000;

/**
 * Looks up exact matches, the glossary revision and style guides for all texts of a submission. The transaction determines the
 * tenant, so this statement can be sent before the caller is authenticated.
 * @param contexts the contexts of the texts of a document, by `keyOf`
 */
export async function prefetch(
  tx: Tx,
  requests: readonly TextRequest[],
  contexts?: ReadonlyMap<string, TextContext>,
): Promise<Prefetched> {
  let units = 0;
  const divided = requests.map(({ source_text }) => {
    units += source_text.length;
    return units <= maxDividedUnits;
  });
  const texts = new Map(
    requests.flatMap((request, index): [string, ExactLookup][] =>
      divided[index] || requests.length === 1
        ? [...lookedUp(request, undefined)]
        : [[keyOf(request), lookupOf(request)]],
    ),
  );
  const inContext = ([key, lookup]: [string, ExactLookup]) => {
    const context = contexts?.get(key);
    return context ? { ...lookup, context } : lookup;
  };
  const [{ hits, pairs }, guidance] = await Promise.all([
    lookUpExact(tx, [...texts].map(inContext)),
    readGuidance(
      tx,
      requests.map(({ target_lang }) => target_lang),
    ),
  ]);
  const exact = new Map([...texts.keys()].map((key, index) => [key, hits[index]]));
  return { exact, pairs, ...guidance };
}

/**
 * Looks up texts and sentences that `prefetch` did not. The rules of the tenant are known only since then, and run on a
 * thread, outside of a transaction.
 * @returns all exact matches of the texts
 */
export async function lookUpRest(
  { database }: Pick<Services, 'database'>,
  scope: CallScope,
  requests: readonly TextRequest[],
  { exact, pairs, segmentation }: Prefetched,
): Promise<Pick<Prefetched, 'exact' | 'pairs'>> {
  const plain = requests.filter(({ text_type }) => text_type !== 'Html');
  await segmentation?.divide(
    plain.map(({ source_text: text, source_lang: language }) => ({ text, language })),
    scope,
  );
  const all = new Map(requests.flatMap((request) => [...lookedUp(request, segmentation)]));
  const rest = new Map([...all].filter(([key]) => !exact.has(key)));
  if (rest.size === 0) return { exact, pairs };
  const found = await database.inTenant(scope.tenantId, (tx) => lookUpExact(tx, [...rest.values()]));
  const hits = new Map([...rest.keys()].map((key, at) => [key, found.hits[at]]));
  const hitOf = (key: string) => (rest.has(key) ? hits.get(key) : exact.get(key));
  return { exact: new Map([...all.keys()].map((key) => [key, hitOf(key)])), pairs: found.pairs };
}

/**
 * Removes the exact matches of a text and its sentences, also in other typography, because a job with the same text has
 * just been published.
 */
export function forgetText({ exact, segmentation }: Prefetched, request: TextRequest): void {
  for (const [key, lookup] of lookedUp(request, segmentation)) {
    exact.delete(key);
    exact.delete(respelledKeyOf(lookup));
  }
  exact.delete(partKeyOf(request));
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
  scope: CallScope,
  request: TextRequest,
  found: Prefetched,
): Promise<Leverage> {
  const { database, glossaries } = services;
  const { tenantId } = scope;
  const known = await lookUpRest(services, scope, [request], found);
  const languages = {
    sourceLang: request.source_lang as LanguageCode,
    targetLang: request.target_lang as LanguageCode,
  };
  const pair = { pairSource: languages.sourceLang, pairTarget: languages.targetLang };
  const divided = lookupOf(request, found.segmentation);
  const whole = known.exact.get(keyOf(request));
  const other = whole ? undefined : known.exact.get(respelledKeyOf(divided));
  const sentences =
    matchRespelled(divided, respelled(other, divided)) ??
    matchSentences(divided, (sourceText) => {
      const hit = known.exact.get(partKeyOf({ ...request, source_text: sourceText }));
      const part = { ...divided, sourceText, isPart: true };
      return unpenalized(hit) ?? respelled(known.exact.get(respelledKeyOf(part)), part);
    });
  return {
    glossary:
      found.glossaries === null ? null : glossaries.of(database, tenantId, found.glossaries, languages),
    exact: unpenalized(whole),
    // The only sentence of a text may be a sentence of an approved segment.
    penalized: [whole, known.exact.get(partKeyOf(request))].find((hit) => hit && hit.penalty > 0),
    sentences,
    findClose: known.pairs.has(pairName(pair))
      ? () =>
          searches.run(scope, () =>
            findExamples(services, tenantId, pair, guidedOf(request, sentences), scope.run ?? scope),
          )
      : null,
    style: styleOf(found.styles, languages.targetLang),
    reviewsInstructions: found.reviewsInstructions,
    reviewsSentences: found.reviewsSentences,
    placeholders: found.placeholders,
    redaction: found.redaction,
  };
}

/** Returns the text, and the texts of a page or the sentences without a match, for which examples are looked up. */
export function guidedOf(
  request: TextRequest,
  sentences: readonly Pick<SentenceMatch, 'sourceText' | 'hit'>[],
): Guided {
  const parts =
    request.text_type === 'Html'
      ? readBlocks(request.source_text)
      : sentences.flatMap(({ sourceText, hit }) => (hit ? [] : sourceText));
  return { text: request.source_text, parts };
}

/** Returns the text and its sentences, whose exact matches are looked up, by their keys in `Prefetched`. */
export function lookedUp(request: TextRequest, rules: WorkspaceRules | undefined): Map<string, ExactLookup> {
  const lookup = lookupOf(request, rules);
  const parts = sentenceTexts(lookup).map((source_text): [string, DividedLookup] => [
    partKeyOf({ ...request, source_text }),
    { ...lookup, sourceText: source_text, isPart: true },
  ]);
  const all: [string, DividedLookup][] = [[keyOf(request), lookup], ...parts];
  const others = all
    .filter(([, one]) => isRespellable(one))
    .slice(0, maxRespelled)
    .map(([, one]): [string, DividedLookup] => [respelledKeyOf(one), { ...one, isRespelled: true }]);
  return new Map([...all, ...others]);
}

/** Maximum number of texts and sentences of a request that are looked up in other typography, each with up to 24 keys. */
const maxRespelled = 100;

/** Texts that differ in typography only have the same key. */
const respelledKeyOf = ({ sourceText, sourceLang, targetLang, isPart = false }: ExactLookup) =>
  `${sourceLang} ${targetLang} ${plainTypography(sourceText, sourceLang)} respelled${isPart ? ' part' : ''}`;

function partKeyOf(sentence: TextRequest): string {
  return `${keyOf(sentence)} part`;
}

/** Returns a text as the TM looks it up. */
export function lookupOf(
  { source_text, source_lang, target_lang, text_type }: TextRequest,
  rules?: WorkspaceRules,
): DividedLookup {
  return {
    ...{ sourceText: source_text, sourceLang: source_lang, targetLang: target_lang },
    textType: text_type,
    rules,
  };
}

/** Returns what two requests have in common if the same exact match serves them: languages and normal form. */
export function keyOf({ source_text, source_lang, target_lang }: TextRequest): string {
  return `${source_lang} ${target_lang} ${normalForm(source_text)}`;
}

/** The glossary terms, sentences and examples for the engine. */
interface Gathered {
  glossary: TaskTerm[];
  sentences: TaskSentence[];
  examples: TaskExample[];
  /** The similarity of the best fuzzy match, from 0 to 1; missing without one. */
  similarity?: number;
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
 * glossary term, has different markup or has a penalty, it is still an example, and counts as a fuzzy match.
 * @param searchFailed called with the error of a failed search
 */
export async function gatherLeverage(
  steps: AgentStep[],
  { leverage, terms, assembled }: { leverage: Leverage; terms: TermsInText | null; assembled: string | null },
  searchFailed: (error: unknown) => void,
): Promise<Gathered> {
  const { sentences: divided } = leverage;
  const isAssembled = assembled !== null;
  const refused = isAssembled ? undefined : (leverage.exact ?? leverage.penalized);
  const used = terms?.matches ?? [];
  const sentences = divided.flatMap(({ sourceText, hit }) =>
    hit ? { source: sourceText, target: hit.targetText } : [],
  );
  const search = isAssembled ? null : leverage.findClose;
  if (used.length === 0 && !search && !refused) return { glossary: [], sentences: [], examples: [] };
  const found = search
    ? await search().catch((error: unknown) => {
        searchFailed(error);
        return nothing;
      })
    : nothing;
  const own = refused
    ? [{ ...refused, similarity: lessPenalty(1, refused), likeness: 'surface' as const }]
    : [];
  const close = [...own, ...found.close].sort((a, b) => b.similarity - a.similarity).slice(0, maxHits.close);
  const { relevant } = found;
  const hits = [...close, ...relevant];
  const glossary = taskTerms(terms).slice(0, maxTerms);
  const examples = hits.map(({ sourceText, targetText, similarity }) => ({
    source: sourceText,
    target: targetText,
    similarity,
  }));
  const [best] = close;
  const gathered = {
    glossary,
    sentences: isAssembled ? [] : sentences,
    examples,
    ...(best && { similarity: best.similarity }),
  };
  if (glossary.length === 0 && gathered.sentences.length === 0 && examples.length === 0) return gathered;
  return recordStep(
    steps,
    { name: 'leverage', actor: 'memory_agent', kind: 'tool', input: 'glossary and memory' },
    () => ({
      value: gathered,
      output: `${glossary.length} terms, ${gathered.sentences.length} sentences, ${close.length} fuzzy matches, ${relevant.length} relevant segments`,
      decisions: [
        ...termDecisions(terms),
        ...(isAssembled ? [] : sentenceDecisions(divided)),
        ...hits.map((hit, index) =>
          newDecision(
            index < close.length ? 'close_match' : 'relevant_pair',
            `${Math.floor(hit.similarity * 100)} % alike${hit.likeness === 'meaning' ? ' in meaning' : ''}`,
            quotedPair(hit),
            { confidence: hit.similarity, provenance: memoryProvenance(hit) },
          ),
        ),
      ],
    }),
  );
}

/** Returns the terms of a text as an engine gets them. */
function taskTerms(terms: TermsInText | null): TaskTerm[] {
  const keyOf = ({ sourceTerm, caseSensitive }: Pick<TermRow, 'sourceTerm' | 'caseSensitive'>) =>
    `${caseSensitive} ${sourceTerm}`;
  const rows = new Map(terms?.matches.map(({ entries: [winner] }) => [keyOf(winner), winner]));
  return (terms?.expected ?? []).map(({ targetTerms, forbiddenTerms, ...term }) => {
    const { partOfSpeech, definition, note } = rows.get(keyOf(term)) ?? {};
    return {
      source: term.sourceTerm,
      targets: targetTerms,
      ...(forbiddenTerms && { forbidden: forbiddenTerms }),
      ...(partOfSpeech && { part_of_speech: partOfSpeech }),
      ...(definition && { definition }),
      ...(note && { note }),
    };
  });
}

export function sentenceDecisions(sentences: readonly SentenceMatch[]): AgentDecision[] {
  return sentences
    .flatMap(({ hit }) => hit ?? [])
    .slice(0, maxNamed)
    .map((hit) =>
      newDecision('tm_sentence', quotedPair(hit), hit.isRespelled ? 'other typography' : null, {
        confidence: 1,
        provenance: memoryProvenance(hit),
      }),
    );
}

function quotedPair({ sourceText, targetText }: MemoryHit): string {
  return `“${clip(sourceText, maxQuoteLength)}” → “${clip(targetText, maxQuoteLength)}”`;
}

/** Returns a decision for each term, with the term's provenance. */
function termDecisions(terms: TermsInText | null): AgentDecision[] {
  const entries = new Set(terms?.matches.map(({ entries: [winner] }) => winner));
  return [...entries]
    .filter(({ status }) => status !== 'forbidden')
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
export function memoryProvenance(hit: MemoryHit): Provenance {
  const { setId, setName, origin, tuid, changedAt } = hit;
  const from = { set_id: setId, set_name: setName, origin, tuid, changedate: changedAt };
  return hit.isRespelled ? { ...from, typography: true } : from;
}

/** Maximum number of segments in the provenance of one translation. */
const maxSources = 50;

/** Returns the provenance of a translation that is made of TM segments, one for each sentence. */
export function sentenceProvenance(hits: readonly MemoryHit[]): { tm_sentences: Provenance[] } {
  return { tm_sentences: hits.slice(0, maxSources).map(memoryProvenance) };
}

export function termProvenance({ setId, setName }: TermRow): Provenance {
  return { set_id: setId, set_name: setName, origin: 'terminology', tuid: null, changedate: null };
}
