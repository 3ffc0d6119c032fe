import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readAllowance } from '#server/billing/metering/usage-summary.ts';
import type { Services } from '#server/context.ts';
import { type AppError, errorTable } from '#server/errors.ts';
import { includable } from '#server/formats/selection.ts';
import { warnings } from '#server/http/warnings.ts';
import { findCloseEach } from '#server/language/translation-memory/lookup/close-match.ts';
import { lessPenalty } from '#server/language/translation-memory/penalties.ts';
import type { LanguageCode } from '#server/languages.ts';
import { minSimilarity } from '#server/matching/fuzzy/index.ts';
import type { TextContext } from '#server/matching/normal-form.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import type { Settings } from '#server/settings.ts';
import { keyOf, leverageOf, lookUpRest, type Prefetched, prefetch } from './leverage/leverage.ts';
import { takeFastPath } from './pipeline/fast-path.ts';
import { prepareText } from './pipeline/prepared-text.ts';
import type { TextRequest } from './request.ts';

const part = {
  segments: z.int().describe('The number of texts or segments.'),
  characters: z.int().describe('Their Unicode code points.'),
};
const share = z.object(part);

export const translationEstimate = z
  .object({
    dry_run: z.literal(true).describe('Always true.'),
    jobs: z.int().describe('The number of jobs that the request would run.'),
    existing_jobs: z
      .int()
      .describe('The number of jobs that already exist for the idempotency key. They are not counted below.'),
    source_lang: z.string().describe('The source language, as sent or detected.'),
    source_lang_detection: z
      .object({
        language: z.string().describe('The detected language.'),
        confidence: z.number().describe('The confidence, from 0 to 1.'),
      })
      .nullable()
      .describe(
        'The detection of the source language of the first text; null if the request names the language.',
      ),
    segments: z.int().describe('The number of texts or, in a document, of segments.'),
    characters: z.int().describe('The Unicode code points of the source.'),
    billable_characters: z
      .int()
      .describe('The characters that would be billed: weighted, if a language has a dense script.'),
    exact_matches: share.describe('Texts from the translation memory or a glossary, without a model.'),
    context_matches: share.describe(
      'Those of `exact_matches` whose previous and next texts are the same, too. Only segments of documents have them.',
    ),
    sentence_matches: share.describe(
      'Texts whose sentences are all in the translation memory, and repetitions of a document in other typography. The judge model scores them.',
    ),
    typography_matches: share.describe(
      'Those of `sentence_matches` that differ from the translation memory, or from an earlier text of the document, in typography only: in apostrophes, quotation marks, dashes and the like.',
    ),
    fuzzy_matches: share
      .extend({
        by_similarity: z
          .array(z.object({ from: z.int().describe('The lowest similarity, in percent.'), ...part }))
          .describe('The same texts by their similarity: from 95, 85, 75 and 70 percent.'),
      })
      .describe(
        'Texts for which the model gets similar segments of the translation memory as examples. The similarity is that of the whole text or, if higher, the mean of its sentences by their length.',
      ),
    kept: share
      .optional()
      .describe(
        'Only with `update_of`: the segments that keep the translations of the earlier document. They are in no other field.',
      ),
    repetitions: share.describe('Texts that occur earlier in the request, and have no exact match.'),
    no_match: share
      .extend({
        not_searched: z
          .int()
          .describe(
            'The number of texts that were not compared with the translation memory: those after the first 2000.',
          ),
      })
      .describe('All other texts.'),
    review: z
      .object({
        jobs: z.int().describe('The number of jobs that a rule sends to review, whatever their quality.'),
        reasons: z.array(z.string()).describe('The rules, as readable sentences.'),
      })
      .describe(
        'The reviews that are known in advance. Other translations may need a review for their quality.',
      ),
    allowance: z
      .object({
        limit: z.int().describe('The billable characters of the current window.'),
        used: z.int().describe('The used characters.'),
        remaining: z.int().describe('The characters that new jobs may use.'),
      })
      .describe('The allowance of the workspace, without this request.'),
    refusal: z
      .object({
        status: z.int().describe('The status that the request would get.'),
        detail: z.string().describe('The readable reason.'),
      })
      .nullable()
      .describe(
        'The reason for which the request would be rejected now, such as a used-up allowance; otherwise null.',
      ),
    proposed: z
      .object({
        include: z
          .array(z.enum(includable))
          .describe('Values for `include`: texts of the file that stay by default.'),
        exclude_columns: z
          .array(z.string())
          .describe('Values for `exclude_columns`: columns that look like keys.'),
      })
      .optional()
      .describe('For documents: fields that fit the file and that the request does not have.'),
    warnings,
  })
  .meta({
    id: 'TranslationEstimate',
    description: 'The response to a request with `dry_run`: the work and its price. It has no effect.',
  });

export type TranslationEstimate = z.infer<typeof translationEstimate>;

/** A text whose work is estimated. */
export interface EstimatedText {
  request: TextRequest;
  /** Unicode code points. */
  characters: number;
  /** Whether the text has a variant (`GroupText`), so that no stored translation is served. */
  hasVariant?: boolean;
  /** Texts with the same key are repetitions of the first one. Default: those that one exact match serves. */
  repeatKey?: string;
  /** Texts of a document with the same key differ in typography only. */
  typographyKey?: string;
  /** The texts before and after a segment of a document. */
  context?: TextContext;
}

/** The texts by the work that each needs. */
type Leveraged = Pick<
  TranslationEstimate,
  | 'characters'
  | 'context_matches'
  | 'exact_matches'
  | 'fuzzy_matches'
  | 'no_match'
  | 'repetitions'
  | 'segments'
  | 'sentence_matches'
  | 'typography_matches'
>;

type EstimateServices = Pick<Services, 'database' | 'embedder' | 'glossaries' | 'log'>;

/** Lowest similarity of each band, in percent. The last one is the minimum of a fuzzy match. */
export const bands = [95, 85, 75, 70] as const;

/** Number of texts in one lookup of exact matches. To divide them into sentences takes some milliseconds. */
const textsOfLookup = 100;
/** Milliseconds after which other work of the process may run. */
const maxSliceMs = 4;
/** Number of texts that are searched concurrently. A search takes a few connections, one after another. */
const searchesInFlight = 4;
/** Maximum number of texts in a request that are searched for fuzzy matches: a search lasts up to 50 ms. */
const maxSearches = 2000;
/** Maximum number of sentences of one text that are searched. */
const maxSentences = 40;

/** A text with the work that it needs, and the later texts that repeat it. */
export interface MatchedText<T extends EstimatedText = EstimatedText> {
  text: T;
  repeats: T[];
  /** The similarity of the best fuzzy match is from 0.7 to 1. `context` is an exact match in the same context; `typography` are sentences of the TM or an earlier text in other typography. */
  match: 'context' | 'exact' | 'sentences' | 'typography' | 'none' | 'not_searched' | number;
}

/**
 * Finds out which texts have exact or fuzzy matches, with the lookups of the pipeline. Calls no model: texts are
 * compared by their characters only, not by their meaning.
 * @param take gets each different text
 * @param options `found`: exact matches that have been looked up already. `isSearched`: whether a text without an exact
 *   match is compared with the TM
 * @throws the reason of the signal
 */
export async function matchTexts<T extends EstimatedText>(
  services: EstimateServices,
  { tenantId, signal }: { tenantId: string; signal: AbortSignal },
  texts: readonly T[],
  take: (matched: MatchedText<T>) => void,
  {
    found,
    isSearched = () => true,
  }: { found?: Prefetched | undefined; isSearched?: (text: T) => boolean } = {},
): Promise<void> {
  const distinct = new Map<string, Omit<MatchedText<T>, 'match'> & { isRespelled: boolean }>();
  const spelled = new Set<string>();
  const pause = pausing(maxSliceMs);
  for (const text of texts) {
    await pause();
    const key = text.repeatKey ?? keyOf(text.request);
    const known = distinct.get(key);
    if (known) known.repeats.push(text);
    else {
      const { typographyKey } = text;
      const isRespelled = typographyKey !== undefined && spelled.has(typographyKey);
      if (typographyKey !== undefined) spelled.add(typographyKey);
      distinct.set(key, { text, repeats: [], isRespelled });
    }
  }
  let searches = 0;
  const all = [...distinct.values()];
  for (let start = 0; start < all.length; start += textsOfLookup) {
    const batch = all.slice(start, start + textsOfLookup);
    const requests = batch.map(({ text }) => text.request);
    const contexts = new Map(
      batch
        .toReversed()
        .flatMap(({ text: { request, context } }) => (context ? [[keyOf(request), context]] : [])),
    );
    const prefetched =
      found ?? (await services.database.inTenant(tenantId, (tx) => prefetch(tx, requests, contexts)));
    const rest = await lookUpRest(services, { tenantId, signal }, requests, prefetched);
    const lookedUp = { ...prefetched, ...rest };
    const items = batch.values();
    const lane = async () => {
      for (const one of items) {
        await pause();
        signal.throwIfAborted();
        const maySearch = () => isSearched(one.text) && searches++ < maxSearches;
        const match = await matchOf(services, tenantId, one, lookedUp, signal, maySearch);
        take({ text: one.text, repeats: one.repeats, match });
      }
    };
    await Promise.all(Array.from({ length: searchesInFlight }, lane));
  }
}

/**
 * Sums the texts by the work that each needs (`matchTexts`).
 * @throws the reason of the signal
 */
export async function leverageTexts(
  services: EstimateServices,
  scope: { tenantId: string; signal: AbortSignal },
  texts: readonly EstimatedText[],
  found?: Prefetched,
): Promise<Leveraged> {
  const result: Leveraged = {
    segments: texts.length,
    characters: texts.reduce((sum, { characters }) => sum + characters, 0),
    exact_matches: { segments: 0, characters: 0 },
    context_matches: { segments: 0, characters: 0 },
    sentence_matches: { segments: 0, characters: 0 },
    typography_matches: { segments: 0, characters: 0 },
    fuzzy_matches: {
      segments: 0,
      characters: 0,
      by_similarity: bands.map((from) => ({ from, segments: 0, characters: 0 })),
    },
    repetitions: { segments: 0, characters: 0 },
    no_match: { segments: 0, characters: 0, not_searched: 0 },
  };
  const take = ({ text, repeats, match }: MatchedText) => {
    if (match === 'exact' || match === 'context') {
      for (const { characters } of [text, ...repeats]) {
        add(result.exact_matches, characters);
        if (match === 'context') add(result.context_matches, characters);
      }
      return;
    }
    for (const repeat of repeats) add(result.repetitions, repeat.characters);
    if (match === 'sentences' || match === 'typography') {
      add(result.sentence_matches, text.characters);
      if (match === 'typography') add(result.typography_matches, text.characters);
    } else if (typeof match === 'string') {
      add(result.no_match, text.characters);
      if (match === 'not_searched') result.no_match.not_searched++;
    } else {
      add(result.fuzzy_matches, text.characters);
      const band = result.fuzzy_matches.by_similarity.find(({ from }) => match * 100 >= from);
      if (band) add(band, text.characters);
    }
  };
  await matchTexts(services, scope, texts, take, { found });
  return result;
}

/** Returns `context`, `exact`, `sentences`, `typography`, the similarity of the best fuzzy match from 0.7 to 1, `none`, or `not_searched`. */
async function matchOf(
  services: EstimateServices,
  tenantId: string,
  { text: { request, hasVariant = false }, isRespelled }: { text: EstimatedText; isRespelled: boolean },
  found: Prefetched,
  signal: AbortSignal,
  maySearch: () => boolean,
): Promise<MatchedText['match']> {
  const leverage = await leverageOf(services, { tenantId }, request, found);
  const prepared = await prepareText(request, leverage, signal);
  const served = hasVariant ? null : await takeFastPath([], prepared, { tenantId, signal }, false);
  if (served) return served.hit?.inContext ? 'context' : 'exact';
  if (!hasVariant && prepared.assembled !== null)
    return leverage.sentences.some(({ hit }) => hit?.isRespelled) ? 'typography' : 'sentences';
  if (isRespelled && !leverage.exact) return 'typography';
  // An exact match that is not served, for example because it misses a glossary term, is the best example.
  if (leverage.exact) return 1;
  const own = leverage.penalized ? lessPenalty(1, leverage.penalized) : 0;
  if (!leverage.findClose) return own || 'none';
  if (!maySearch()) return own || 'not_searched';
  const pair = {
    pairSource: request.source_lang as LanguageCode,
    pairTarget: request.target_lang as LanguageCode,
  };
  const { sentences } = leverage;
  const unmatched = sentences.filter(({ hit }) => !hit).slice(0, maxSentences);
  const [whole, ...parts] = await findCloseEach(services.database, tenantId, pair, [
    { text: request.source_text },
    ...unmatched.map(({ sourceText }) => ({ text: sourceText, isPart: true })),
  ]);
  const best = new Map(
    unmatched.map((sentence, index) => [sentence, parts[index]!.close[0]?.similarity ?? 0]),
  );
  let [all, alike] = [0, 0];
  for (const sentence of sentences) {
    const { length } = sentence.sourceText;
    all += length;
    alike += length * (sentence.hit ? 1 : (best.get(sentence) ?? 0));
  }
  const similarity = Math.max(own, whole!.close[0]?.similarity ?? 0, all > 0 ? alike / all : 0);
  return similarity >= minSimilarity ? similarity : 'none';
}

function add(sum: { segments: number; characters: number }, characters: number): void {
  sum.segments += 1;
  sum.characters += characters;
}

/** Reads the field `allowance` of an estimate. */
export async function readEstimateAllowance(
  tx: Tx,
  tenantId: string,
  settings: Settings,
): Promise<TranslationEstimate['allowance']> {
  const { limit, used, remaining } = (await readAllowance(tx, tenantId, settings)).allowance;
  return { limit, used, remaining };
}

/** Returns the field `refusal` of an estimate. */
export function refusalView(refusal: AppError | null): TranslationEstimate['refusal'] {
  return refusal && { status: errorTable[refusal.code].status, detail: refusal.message };
}
