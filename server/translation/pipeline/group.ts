import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import {
  formatTagged,
  type InlineContent,
  isSameContent,
  joinStrings,
  memoryText,
  plainText,
  type UnwrappedContent,
  unwrap,
} from '#server/formats/inline-content.ts';
import { placeAsApproved, placeCodes, placeInParts } from '#server/formats/tag-placing.ts';
import { translatedParts } from '#server/language/translation-memory/lookup/sentences.ts';
import { countUses } from '#server/language/translation-memory/use-counts.ts';
import { type TextContext, textContext } from '#server/matching/normal-form.ts';
import {
  type CallScope,
  engineFor,
  type Judgement,
  type QualityIssue,
  type TaskDocument,
  type TranslationTask,
} from '#server/platform/engines/engine.ts';
import type { AgentStep } from '../agent-run-schema.ts';
import { differentPlaceholders } from '../integrity/placeholder-losses.ts';
import {
  gatherLeverage,
  keyOf,
  leverageOf,
  lookupOf,
  type Prefetched,
  prefetch,
  sentenceProvenance,
} from '../leverage/leverage.ts';
import type { RiskFlag } from '../plausibility/index.ts';
import type { TextRequest } from '../request.ts';
import { takeFastPath } from './fast-path.ts';
import { translateTexts } from './pipeline.ts';
import { segmentPolicy } from './policy.ts';
import { prepareText, withPlaceholders } from './prepared-text.ts';
import { protectWords } from './protected-words.ts';
import { type GroupText, openRun, type RunCost } from './run.ts';
import { type TaggedText, tagIssues, taskOfTexts } from './tagged-segments.ts';
import { isSuspicious, riskIssue } from './task-risks.ts';

/** The request fields that all texts of a group have in common. */
export type GroupRequest = Omit<TextRequest, 'source_text'>;

export interface TranslatedText {
  target: InlineContent;
  targetText: string;
  /** Score from 0 to 100; null for a stored translation, which is not scored. */
  score: number | null;
  needsReview: boolean;
  issues: QualityIssue[];
  fastPath: 'glossary_exact' | 'tm_exact' | null;
  /** The source of the translation: the engine, a TM segment or glossary term, or TM segments of single sentences. */
  provenance: Record<string, unknown>;
}

type GroupServices = Pick<Services, 'database' | 'embedder' | 'engine' | 'glossaries' | 'log'>;

/** Returns the request that the pipeline for single texts would receive for a text of the group. */
export function requestOfText(request: GroupRequest, { source }: Pick<GroupText, 'source'>): TextRequest {
  return { ...request, source_text: plainText(unwrap(source).inner) };
}

/** Returns the request whose text is looked up in the TM: it has the code of the text, too. */
export function lookupOfText(request: GroupRequest, { source }: Pick<GroupText, 'source'>): TextRequest {
  return { ...request, source_text: memoryText(unwrap(source).inner) };
}

/**
 * Looks up the exact matches of some texts and the glossary revision. Because this takes a transaction, it is called
 * for many groups together.
 */
export function lookUpTexts(tx: Tx, request: GroupRequest, texts: readonly GroupText[]): Promise<Prefetched> {
  const requests = texts.map((text) => lookupOfText(request, text));
  const contexts = new Map<string, TextContext>();
  for (const [index, { before, after }] of texts.entries()) {
    const key = keyOf(requests[index]!);
    if (after !== undefined && !contexts.has(key)) contexts.set(key, textContext(before, after));
  }
  return prefetch(tx, requests, contexts);
}

interface Group<T extends GroupText> {
  request: GroupRequest;
  texts: readonly T[];
  /** The result of `lookUpTexts` for these texts. */
  found: Prefetched;
  document?: TaskDocument;
}

/**
 * Translates a group of neighboring texts. Texts found in the glossary or TM are served from there; the others are sent
 * to the engine in one call, with their glossary terms and similar segments.
 * @returns the translation of each text, in the order of the texts, and the cost of the calls
 */
export async function translateGroup<T extends GroupText>(
  services: GroupServices & Pick<Services, 'backgroundWork'>,
  scope: CallScope,
  { request, texts, found, document }: Group<T>,
  searchFailed: (error: unknown) => void,
): Promise<{ translations: { of: T; translation: TranslatedText }[]; cost: RunCost }> {
  const engine = await engineFor(services.engine, scope);
  const run = openRun(engine, scope, segmentPolicy(engine.live));
  const prepared = await Promise.all(
    texts.map(async (of) => {
      const text = await prepare(services, scope, request, of, found);
      const fastPath =
        of.variant === null ? await takeFastPath(run.steps, text, scope, false, text.tagged) : null;
      return { of, text, fastPath };
    }),
  );
  const unserved = prepared.flatMap(({ text, fastPath }) => (fastPath ? [] : [text]));
  const gathered = unserved.length > 0 ? await taskOf(run.steps, unserved, searchFailed) : null;
  const task = gathered && { ...gathered.task, ...(document && { document }) };
  const done = task ? await translateTexts(run, task, unserved) : [];
  const translated = new Map(done.map((one) => [one.final.of, one]));
  const receipts = new Map(
    await Promise.all(
      unserved.map(async (text) => {
        const receipt = await engine.redaction?.receiptOf([plainText(text.tagged.inner)], scope);
        return [text, receipt ? { redaction: receipt } : {}] as const;
      }),
    ),
  );
  const translations = prepared.map(({ of, text, fastPath }) => {
    const one = translated.get(text);
    const served = fastPath && text.tagged.serve(fastPath.translation);
    const target = served?.content ?? joinStrings(text.tagged.wrap(one?.final.tagged?.inner ?? []));
    const translation: TranslatedText = {
      target,
      targetText: plainText(target),
      score: one?.final.judgement.score ?? null,
      needsReview: served ? served.isGuessed : one !== undefined && one.gate.decision !== 'pass',
      issues: served
        ? tagIssues({ source: { inner: of.source }, inner: target, lostTags: served.isGuessed })
        : [...suspicionOf(one?.risks ?? []), ...(one?.final.judgement.issues ?? [])],
      fastPath: fastPath?.name ?? null,
      provenance: fastPath
        ? { engine: null, ...fastPath.provenance, ...(fastPath.hit?.inContext && { context_match: true }) }
        : one?.final.assembledFrom
          ? {
              engine: null,
              ...(one.final.assembledFrom.length > 0
                ? sentenceProvenance(one.final.assembledFrom)
                : { repetition: 'typography' }),
              ...receipts.get(text),
            }
          : {
              engine: engine.live ? 'model' : 'stub',
              ...matchOf(gathered?.closest.get(text)),
              ...receipts.get(text),
              // For operators only.
              ...(one?.baseline.model && { model: one.baseline.model, repaired: one.gate.metadata.repaired }),
            },
    };
    return { of, translation };
  });
  const servedFrom = prepared.flatMap(
    ({ text, fastPath }) => fastPath?.hit ?? translated.get(text)?.final.assembledFrom ?? [],
  );
  countUses(services, scope.tenantId, servedFrom);
  return { translations, cost: run.cost };
}

/** The part of a text's provenance about its best fuzzy match, in percent. Only an exact match has 100. */
function matchOf(similarity: number | undefined): { match?: number } {
  return similarity === undefined ? {} : { match: Math.min(99, Math.floor(similarity * 100)) };
}

/** An order in one text can change the translation of another, so all texts that were translated together get the issue. */
function suspicionOf(risks: readonly RiskFlag[]): QualityIssue[] {
  const suspicious = risks.filter(isSuspicious);
  return suspicious.length > 0 ? [riskIssue(suspicious)] : [];
}

/**
 * Lets the judge model score translations of texts that a reviewer has changed, with the same terms, examples and context
 * as when the texts were translated. Their tags are sent as they are.
 * @returns the judgement of each text, in the order of the texts
 */
export async function judgeTexts(
  services: GroupServices,
  scope: CallScope,
  request: GroupRequest,
  texts: readonly (GroupText & { target: InlineContent })[],
): Promise<Judgement[]> {
  const found = await services.database.inTenant(scope.tenantId, (tx) => lookUpTexts(tx, request, texts));
  const prepared = await Promise.all(texts.map((of) => prepare(services, scope, request, of, found)));
  const { task } = await taskOf([], prepared, () =>
    services.log.warn({}, 'a text is checked again without fuzzy matches'),
  );
  const targets = texts.map(({ target }) => formatTagged(unwrap(target).inner));
  return (await services.engine.assessEach(task, targets, scope)).value;
}

async function prepare(
  services: GroupServices,
  scope: CallScope,
  request: GroupRequest,
  of: GroupText,
  found: Prefetched,
): Promise<TaggedText> {
  const { sentences, ...leverage } = await leverageOf(services, scope, lookupOfText(request, of), found);
  const unwrapped = unwrap(of.source);
  const repetition = of.repetition ? innerOf(of.repetition, unwrapped) : null;
  const prepared = await withPlaceholders(
    await prepareText(
      requestOfText(request, of),
      { ...leverage, sentences: of.variant === null ? sentences : [] },
      scope.signal,
      repetition && plainText(repetition),
    ),
    scope,
  );
  const protectedText = protectWords(unwrapped.inner, request.source_lang, {
    placeholders: differentPlaceholders(prepared.text.placeholders),
  });
  const { assembled, terms } = prepared;
  const plain = plainText(unwrapped.inner);
  const known = terms?.matches.map(({ start, end, entries }) => ({
    source: plain.slice(start, end),
    targets: entries.flatMap(({ targetTerm, status }) => (status === 'forbidden' ? [] : targetTerm)),
  }));
  const place = (text: string) => placeCodes(text, unwrapped.inner, known);
  const serve = (text: string) => {
    const content = placeAsApproved(text, of.source, of.approved ?? []);
    if (content) return { content, isGuessed: false };
    const placed = place(text);
    return placed && { ...placed, content: joinStrings(unwrapped.wrap(placed.content)) };
  };
  const parts =
    assembled === null
      ? null
      : translatedParts(prepared.leverage.sentences, lookupOf(lookupOfText(request, of)));
  const repeated = assembled !== null && repetition ? { content: repetition, isGuessed: false } : null;
  const placed = parts ? placeInParts(parts, unwrapped.inner, known) : repeated;
  return {
    ...prepared,
    assembled: placed ? assembled : null,
    tagged: { ...unwrapped, of, protectedText, assembled: placed, serve },
  };
}

/** Returns a translation without the tags around all of its source; null if it has these at other places. */
function innerOf(translation: InlineContent, { wrap }: UnwrappedContent): InlineContent | null {
  const around = wrap(['']);
  const start = around.indexOf('');
  const end = translation.length - (around.length - start - 1);
  const outer = [...translation.slice(0, start), '', ...translation.slice(end)];
  return start <= end && isSameContent(outer, around) ? translation.slice(start, end) : null;
}

/**
 * Returns the task for the engine. All texts share the terms and examples of the group, because neighboring texts often
 * have the same ones.
 * @returns `closest`: the similarity of the best fuzzy match of each text that has one
 */
async function taskOf(
  steps: AgentStep[],
  texts: readonly TaggedText[],
  searchFailed: (error: unknown) => void,
): Promise<{ task: TranslationTask; closest: ReadonlyMap<TaggedText, number> }> {
  const gathered = await Promise.all(texts.map((text) => gatherLeverage(steps, text, searchFailed)));
  const glossary = new Map(gathered.flatMap((one) => one.glossary.map((term) => [term.source, term])));
  const examples = new Map(gathered.flatMap((one) => one.examples.map((pair) => [pair.source, pair])));
  const sentences = new Map(gathered.flatMap((one) => one.sentences.map((pair) => [pair.source, pair])));
  const [first] = texts as [TaggedText];
  const task = {
    ...taskOfTexts(first.text.task, texts),
    glossary: [...glossary.values()],
    sentences: [...sentences.values()],
    examples: [...examples.values()].sort((a, b) => b.similarity - a.similarity),
    contextBefore: first.tagged.of.before,
    hasTags: texts.some(({ tagged: { inner } }) => inner.some((item) => typeof item !== 'string')),
  };
  const closest = new Map(
    texts.flatMap((text, index) => {
      const similarity = gathered[index]?.similarity;
      return similarity === undefined ? [] : [[text, similarity] as const];
    }),
  );
  return { task, closest };
}
