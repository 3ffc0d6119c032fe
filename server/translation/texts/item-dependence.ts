import { setImmediate } from 'node:timers/promises';
import { textsLookedUp } from '#server/language/translation-memory/lookup/examples.ts';
import { sentenceTexts } from '#server/language/translation-memory/lookup/sentences.ts';
import type { LanguageCode } from '#server/languages.ts';
import { pairName } from '#server/languages.ts';
import { isShortEnough, minSimilarity, similarityTo } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { guidedOf, keyOf, lookupOf, type Prefetched } from '#server/translation/core/leverage/leverage.ts';
import type { TranslationRequest } from './schema.ts';

/** Number of texts that are compared before other requests may run. */
const slice = 25;

/**
 * Returns the index of the last item that must be stored before the item at `index` may run; -1 if it needs none. An
 * item depends on earlier items of its series in two ways:
 *
 * - Its exact matches are looked up when it runs, because an earlier item has its text or one of its sentences, and its
 *   languages, or because they were not looked up at submission. Then it needs all items before it.
 * - The tenant has a TM for its languages, and an earlier item with these languages may become its fuzzy match: both
 *   are short enough, and the earlier text is similar enough to a text that is looked up. Then it needs that item.
 *
 * Segments that are less similar than a fuzzy match also guide a translation. An item does not need these.
 */
export async function lastNeeded(
  requests: readonly TranslationRequest[],
  index: number,
  { exact, pairs, segmentation }: Prefetched,
): Promise<number> {
  const request = requests[index] as TranslationRequest;
  const earlier = requests.slice(0, index);
  if (!exact.has(keyOf(request))) return index - 1;
  const sources = sourcesIn(request, segmentation);
  if (earlier.some((other) => !sources.isDisjointFrom(sourcesIn(other, segmentation)))) return index - 1;
  const { source_lang, target_lang } = request;
  const pair = { pairSource: source_lang as LanguageCode, pairTarget: target_lang as LanguageCode };
  if (!pairs.has(pairName(pair))) return -1;
  const similarities = textsLookedUp(
    guidedOf(
      request,
      sentenceTexts(lookupOf(request, segmentation)).map((sourceText) => ({ sourceText, hit: undefined })),
    ),
  )
    .filter(isShortEnough)
    .map(normalForm)
    .map(similarityTo);
  let compared = 0;
  for (const [at, other] of [...earlier.entries()].reverse()) {
    if (other.source_lang !== source_lang || other.target_lang !== target_lang) continue;
    if (!isShortEnough(other.source_text)) continue;
    const text = normalForm(other.source_text);
    for (const similarity of similarities) {
      if (similarity(text, minSimilarity) >= minSimilarity) return at;
      compared += 1;
      if (compared % slice === 0) await setImmediate();
    }
  }
  return -1;
}

/** The sources of each request, because each item is compared with all items before it. */
const divided = new WeakMap<TranslationRequest, Set<string>>();

/** Returns the text of a request and its sentences, with the languages. */
function sourcesIn(request: TranslationRequest, rules: Prefetched['segmentation']): Set<string> {
  const known = divided.get(request);
  if (known) return known;
  const texts = [request.source_text, ...sentenceTexts(lookupOf(request, rules))];
  const sources = new Set(texts.map((source_text) => keyOf({ ...request, source_text })));
  divided.set(request, sources);
  return sources;
}
