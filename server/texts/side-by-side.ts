import { setImmediate } from 'node:timers/promises';
import type { Services } from '#server/context.ts';
import { describeForLog, toAppError } from '#server/errors.ts';
import { textsLookedUp } from '#server/language/translation-memory/lookup/examples.ts';
import { sentenceTexts } from '#server/language/translation-memory/lookup/sentences.ts';
import { type LanguageCode, pairName } from '#server/languages.ts';
import { isShortEnough, minSimilarity, similarityTo } from '#server/matching/fuzzy/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { plainTypography } from '#server/matching/typography.ts';
import type { CallScope } from '#server/platform/engines/engine.ts';
import {
  guidedOf,
  keyOf,
  leverageOf,
  lookupOf,
  type Prefetched,
} from '#server/translation/leverage/leverage.ts';
import { RunError, type RunResult, runPipeline } from '#server/translation/pipeline/text-run.ts';
import type { AdmittedSeries, Run } from './admit-series.ts';
import { mayHaveCalled } from './failed-run.ts';
import type { TranslationRequest } from './schema.ts';

/** Maximum items of one series that run at the same time. Each of their model calls also needs a slot of the tenant. */
const maxAtOnce = 64;

type PipelineServices = Pick<
  Services,
  'backgroundWork' | 'database' | 'embedder' | 'engine' | 'glossaries' | 'log'
>;

/** The pipeline of one item. */
interface ItemRun {
  /** Whether the run began before all earlier items were stored. */
  isAhead: boolean;
  result: Promise<RunResult>;
  outcome: { value: RunResult } | { error: unknown } | undefined;
  abort: AbortController;
}

/** The pipelines of a series. They only compute results: nothing is stored or billed until the series stores it. */
export interface SideBySide {
  /** Reports that the first `stored` items are stored. Begins the items that may run. */
  advance(stored: number): void;
  /** Returns the result of the next item to store. Runs it now, unless it has begun before. */
  resultOf(index: number): Promise<RunResult>;
  /** Returns the result of a later item; undefined if it has none yet, or if its run failed. */
  finished(index: number): RunResult | undefined;
  /**
   * Aborts all runs and begins no others.
   * @returns the number of runs that may have called the engine, and whose results are not stored
   */
  abandon(): number;
}

/**
 * Runs the pipelines of the items of a series side by side. An item begins when the items that it depends on are stored
 * (`lastNeeded`). If an item fails, later ones are aborted, because they will not be stored.
 * @param deadline aborts all runs
 */
export function runSideBySide(
  services: PipelineServices,
  { caller, items, runs: admitted, prefetched }: AdmittedSeries,
  deadline: AbortSignal,
): SideBySide {
  const { backgroundWork, engine, log } = services;
  const report = (level: 'warn' | 'error', message: string) => (error: unknown) =>
    log[level]({ request_id: caller.requestId, tenant_id: caller.id, error: describeForLog(error) }, message);
  const isAlone = items.length === 1;
  const runs = new Map<number, ItemRun>();
  /** The last item that each item needs, for the items from the first. */
  const needed: number[] = [];
  let stored = 0;
  /** No item from this index on is begun. */
  let end = items.length;

  async function translate(request: TranslationRequest, scope: CallScope): Promise<RunResult> {
    const leverage = await leverageOf(services, scope, request, prefetched);
    return runPipeline(engine, request, scope, {
      leverage,
      searchFailed: report('warn', 'a job is translated without fuzzy matches'),
    });
  }

  function begin(index: number): ItemRun {
    const abort = new AbortController();
    const signal = isAlone ? deadline : AbortSignal.any([deadline, abort.signal]);
    const scope = { tenantId: caller.id, signal };
    const result = translate((admitted[index] as Run).request, scope);
    const run: ItemRun = { isAhead: index > stored, result, outcome: undefined, abort };
    runs.set(index, run);
    result.then(
      (value) => {
        run.outcome = { value };
        beginAhead();
      },
      (error: unknown) => {
        run.outcome = { error };
        if (isRepeated(run, error)) beginAhead();
        else stopAt(index + 1);
      },
    );
    return run;
  }

  /** Aborts the runs from this index on. */
  function stopAt(index: number): void {
    end = Math.min(end, index);
    for (const [at, run] of runs) if (at >= end && !run.outcome) run.abort.abort();
  }

  /** Begins the items whose needs are known and stored. */
  function beginAhead(): void {
    if (backgroundWork.closing) return;
    let running = [...runs.values()].filter(({ outcome }) => !outcome).length;
    for (let index = stored; index < Math.min(end, needed.length) && running < maxAtOnce; index++) {
      if (runs.has(index) || !admitted[index] || (needed[index] as number) >= stored) continue;
      begin(index);
      running += 1;
    }
  }

  /** Finds out what each item needs. Lets other requests of the server run in between. */
  async function plan(): Promise<void> {
    const requests = items.map(({ request }) => request);
    for (let index = 0; index < end; index++) {
      if (index > 0) await setImmediate();
      needed.push(await lastNeeded(requests, index, prefetched));
      beginAhead();
    }
  }

  if (!isAlone) plan().catch(report('error', 'the items of a series run one after the other'));
  return {
    advance(count) {
      stored = count;
      beginAhead();
    },
    async resultOf(index) {
      const run = runs.get(index) ?? begin(index);
      try {
        return await run.result;
      } catch (error) {
        // Without the other runs, there may have been capacity.
        if (!isRepeated(run, error)) throw error;
        return begin(index).result;
      }
    },
    finished(index) {
      const outcome = runs.get(index)?.outcome;
      return outcome && 'value' in outcome ? outcome.value : undefined;
    },
    abandon() {
      const later = runs.entries().filter(([index]) => index > stored);
      const called = later.filter(([, run]) => usedEngine(run)).toArray().length;
      stopAt(0);
      return called;
    },
  };
}

/** Whether a failed run is repeated when the series comes to it: without the other runs, there may be capacity. */
function isRepeated({ isAhead }: ItemRun, error: unknown): boolean {
  return isAhead && toAppError(error instanceof RunError ? error.cause : error).code === 'rate_limit';
}

/** Whether a run may have called the engine. */
function usedEngine({ outcome }: ItemRun): boolean {
  if (!outcome) return true;
  if ('value' in outcome) return outcome.value.fastPath === null;
  return outcome.error instanceof RunError && mayHaveCalled(outcome.error);
}

/** Number of texts that are compared before other requests may run. */
const slice = 25;

/**
 * Returns the index of the last item that must be stored before the item at `index` may run; -1 if it needs none. An
 * item depends on earlier items of its series in two ways:
 *
 * - Its exact matches are looked up when it runs, because an earlier item has its text or one of its sentences, and its
 *   languages, also in other typography, or because they were not looked up at submission. Then it needs all items before it.
 * - The tenant has a TM for its languages, and an earlier item with these languages may become its fuzzy match: both
 *   are short enough, and the earlier text is similar enough to a text that is looked up. Then it needs that item.
 *
 * Segments that are less similar than a fuzzy match also guide a translation. An item does not need these.
 */
async function lastNeeded(
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

/** Returns the text of a request and its sentences in plain typography, with the languages. */
function sourcesIn(request: TranslationRequest, rules: Prefetched['segmentation']): Set<string> {
  const known = divided.get(request);
  if (known) return known;
  const texts = [request.source_text, ...sentenceTexts(lookupOf(request, rules))];
  const sources = new Set(
    texts.map((text) => keyOf({ ...request, source_text: plainTypography(text, request.source_lang) })),
  );
  divided.set(request, sources);
  return sources;
}
