import { sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import { findCloseEach } from '#server/language/translation-memory/lookup/close-match.ts';
import { lessPenalty } from '#server/language/translation-memory/penalties.ts';
import type { LanguageCode } from '#server/languages.ts';
import { minSimilarity } from '#server/matching/fuzzy/index.ts';
import type { TextContext } from '#server/matching/normal-form.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import { addShare, type FileFigures, noFigures, type Share } from './figures.ts';
import { keyOf, leverageOf, lookUpRest, type Prefetched, prefetch } from './leverage/leverage.ts';
import { takeFastPath } from './pipeline/fast-path.ts';
import { prepareText } from './pipeline/prepared-text.ts';
import type { TextRequest } from './request.ts';

/*
 * The work that texts need, without doing it. A dry run and an analysis are the same counts: of the texts of a request, or
 * of the files of an analysis.
 */

/** A text whose work is counted. */
export interface CountedText {
  request: TextRequest;
  /** The text without tags, whose words are counted. */
  plain: string;
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

type CountServices = Pick<Services, 'database' | 'embedder' | 'glossaries' | 'log'>;
type Scope = { tenantId: string; signal: AbortSignal };

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

/** UTF-16 units of the texts whose words are counted in one statement, with some more for each text. */
const wordsTogether = { units: 100_000, ofText: 50 };

/** Numbers of words by text, so that the texts of a file are counted once for all languages. */
export type KnownWords = Map<string, number>;

/** A different text, and the later texts that repeat it. */
interface Distinct<T extends CountedText> {
  text: T;
  repeats: T[];
  /** Whether an earlier text differs from it in typography only. */
  isRespelled: boolean;
}

/** The work that a text needs: the similarity of the best fuzzy match is from 0.7 to 1. `typography` are sentences of the TM or an earlier text in other typography. */
type Match = 'context' | 'exact' | 'sentences' | 'typography' | 'none' | 'not_searched' | number;

/**
 * Counts texts by the work that each needs, with the lookups of the pipeline. Calls no model: texts are compared by their
 * characters only, not by their meaning. What is billed is left to the caller.
 * @param options `found`: exact matches that have been looked up already. `isRepeated`: whether an earlier file has the text
 * @throws the reason of the signal
 */
export async function countWork<T extends CountedText>(
  services: CountServices,
  scope: Scope,
  texts: readonly T[],
  {
    found,
    isRepeated = () => false,
    words = new Map(),
  }: { found?: Prefetched | undefined; isRepeated?: (text: T) => boolean; words?: KnownWords } = {},
): Promise<FileFigures> {
  const { tenantId, signal } = scope;
  const figures = { ...noFigures(), ...(await sumTexts(services, scope, texts, words)) };
  const pause = pausing(maxSliceMs);
  let searches = 0;
  const all = await distinctOf(texts);
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
    const rest = await lookUpRest(services, scope, requests, prefetched);
    const lookedUp = { ...prefetched, ...rest };
    const items = batch.values();
    const lane = async () => {
      for (const one of items) {
        await pause();
        signal.throwIfAborted();
        const isKnown = isRepeated(one.text);
        const maySearch = () => !isKnown && searches++ < maxSearches;
        addMatch(figures, one, words, isKnown, await matchOf(services, scope, one, lookedUp, maySearch));
      }
    };
    await Promise.all(Array.from({ length: searchesInFlight }, lane));
  }
  return figures;
}

/** Returns the different texts with their repetitions. */
async function distinctOf<T extends CountedText>(texts: readonly T[]): Promise<Distinct<T>[]> {
  const distinct = new Map<string, Distinct<T>>();
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
  return [...distinct.values()];
}

/** Adds a text and its repetitions to the figures of the work that they need. */
function addMatch<T extends CountedText>(
  figures: FileFigures,
  { text, repeats }: Distinct<T>,
  words: KnownWords,
  isRepeated: boolean,
  match: Match,
): void {
  const own = shareOf(text, words);
  const ofRepeats: Share = { segments: 0, words: 0, characters: 0 };
  for (const repeat of repeats) addShare(ofRepeats, shareOf(repeat, words));
  if (match === 'exact' || match === 'context') {
    for (const share of [own, ofRepeats]) {
      addShare(figures.exact_matches, share);
      if (match === 'context') addShare(figures.context_matches, share);
    }
    return;
  }
  addShare(figures.repetitions, ofRepeats);
  if (isRepeated) addShare(figures.repetitions_across, own);
  else if (match === 'sentences' || match === 'typography') {
    addShare(figures.sentence_matches, own);
    if (match === 'typography') addShare(figures.typography_matches, own);
  } else if (typeof match === 'string') {
    addShare(figures.no_match, own);
    if (match === 'not_searched') figures.no_match.not_searched++;
  } else {
    addShare(figures.fuzzy_matches, own);
    const band = figures.fuzzy_matches.by_similarity.find(({ from }) => match * 100 >= from);
    if (band) addShare(band, own);
  }
}

const keyOfWords = ({ request, plain }: CountedText) => `${request.text_type} ${plain}`;

const shareOf = (text: CountedText, words: KnownWords): Share => ({
  segments: 1,
  words: words.get(keyOfWords(text)) ?? 0,
  characters: text.characters,
});

/**
 * Returns the sum of some texts. The database counts their words, as it does for assignments.
 * @param words gets the words of the texts that it does not have yet
 */
export async function sumTexts(
  services: Pick<Services, 'database'>,
  scope: Scope,
  texts: readonly CountedText[],
  words: KnownWords,
): Promise<Share> {
  const pause = pausing(maxSliceMs);
  const rest = new Map<string, { source_text: string; text_type: string | null }>();
  for (const text of texts) {
    await pause();
    const key = keyOfWords(text);
    if (!words.has(key)) rest.set(key, { source_text: text.plain, text_type: text.request.text_type });
  }
  const uncounted = [...rest];
  for (let start = 0, end = 0; start < uncounted.length; start = end) {
    for (let units = 0; units < wordsTogether.units && end < uncounted.length; end++)
      units += uncounted[end]![0].length + wordsTogether.ofText;
    const batch = uncounted.slice(start, end);
    scope.signal.throwIfAborted();
    const requests = JSON.stringify(batch.map(([, request]) => request));
    const rows = await services.database.inTenant(scope.tenantId, (tx) =>
      tx.execute<{ words: number }>(sql`
        select count_words_of(value) as words from jsonb_array_elements(${requests}::jsonb) with ordinality
        order by ordinality`),
    );
    for (const [at, { words: count }] of rows.entries()) words.set(batch[at]![0], count);
  }
  const sum: Share = { segments: 0, words: 0, characters: 0 };
  for (const text of texts) addShare(sum, shareOf(text, words));
  return sum;
}

async function matchOf(
  services: CountServices,
  { tenantId, signal }: Scope,
  { text: { request, hasVariant = false }, isRespelled }: Distinct<CountedText>,
  found: Prefetched,
  maySearch: () => boolean,
): Promise<Match> {
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
