import type { Tx } from '#db/client.ts';
import {
  formatTagged,
  type InlineContent,
  joinStrings,
  parseTagged,
  placeTags,
  plainText,
  type UnwrappedContent,
  unwrap,
} from '#server/formats/inline-content.ts';
import type {
  EngineResult,
  QualityIssue,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import {
  gatherLeverage,
  type Leverage,
  leverageOf,
  type Prefetched,
  prefetch,
} from '#server/translation/core/leverage/leverage.ts';
import { findTerms, type TermsInText, termIssues } from '#server/translation/core/leverage/terms.ts';
import { inspectNothing, inspectorOf, isCritical } from '#server/translation/core/pipeline/assess.ts';
import { takeFastPath } from '#server/translation/core/pipeline/fast-path.ts';
import { defaultThreshold } from '#server/translation/core/pipeline/quality-gate.ts';
import { readSourceText } from '#server/translation/core/pipeline/source-text.ts';
import type { RunCost } from '#server/translation/core/pipeline/step.ts';
import type { TextRequest } from '#server/translation/core/request.ts';
import type { DocumentRun } from './document-run.ts';
import { requestOf } from './jobs.ts';

/** One of the texts that are translated in one call. */
export interface GroupSegment {
  /** Where it stands in the document: segments with the same source are translated once. */
  positions: readonly number[];
  source: InlineContent;
  /** UTF-16 units of the source without its tags. */
  units: number;
  /** The segment before it in the document, for context. */
  before: string | null;
}

export interface TranslatedSegment {
  positions: readonly number[];
  target: InlineContent;
  targetText: string;
  /** 0 to 100; null for a stored translation, which nobody judged. */
  score: number | null;
  needsReview: boolean;
  issues: QualityIssue[];
  fastPath: 'glossary_exact' | 'tm_exact' | null;
  /** Where the translation comes from: the engine, or a stored pair or term. */
  provenance: Record<string, unknown>;
}

/** A text on its way through the group. */
interface Prepared extends GroupSegment, UnwrappedContent {
  request: TextRequest;
  leverage: Leverage;
  terms: TermsInText | null;
}

/**
 * Looks up what the tenant's glossaries and memory have for some texts: for many groups at once, because this is a transaction.
 */
export function lookUpTexts(tx: Tx, run: DocumentRun, texts: readonly GroupSegment[]): Promise<Prefetched> {
  return prefetch(
    tx,
    texts.map(({ source }) => segmentRequest(run, plainText(unwrap(source).inner))),
  );
}

/** A group's translations, and what the calls for it cost. */
export interface TranslatedGroup {
  segments: TranslatedSegment[];
  cost: RunCost;
}

/**
 * Translates a group of neighbouring texts: a text that the glossary or the memory holds is served from there, the others go to
 * the engine in one call, with their glossary terms and similar pairs. Each translation is checked and scored by itself, and
 * repaired once if it is in doubt.
 *
 * @param found what was looked up for its texts
 */
export async function translateGroup(
  run: DocumentRun,
  group: readonly GroupSegment[],
  found: Prefetched,
): Promise<TranslatedGroup> {
  const cost: RunCost = { inputTokens: 0, outputTokens: 0, models: [] };
  const prepared = await prepare(run, group, found);
  const served: TranslatedSegment[] = [];
  const asked: Prepared[] = [];
  for (const text of prepared) {
    const stored = await serve(text);
    if (stored) served.push(stored);
    else asked.push(text);
  }
  const translated = asked.length > 0 ? await translate(run, asked, cost) : [];
  return { segments: [...served, ...translated], cost };
}

async function prepare(
  run: DocumentRun,
  group: readonly GroupSegment[],
  found: Prefetched,
): Promise<Prepared[]> {
  const { services, tenantId, signal } = run;
  const unwrapped = group.map(({ source }) => unwrap(source));
  const requests = unwrapped.map(({ inner }) => segmentRequest(run, plainText(inner)));
  return Promise.all(
    group.map(async (segment, index) => {
      const request = requests[index] as TextRequest;
      const leverage = await leverageOf(services, tenantId, request, found);
      const source = readSourceText(request);
      const terms = await findTerms(source, leverage.glossary, source.plain, signal);
      return { ...segment, request, leverage, terms, ...(unwrapped[index] as UnwrappedContent) };
    }),
  );
}

/** A segment as the text pipeline sees it. */
export function segmentRequest({ row }: Pick<DocumentRun, 'row'>, text: string): TextRequest {
  const { source_lang, target_lang, domain, tone, gender } = requestOf(row);
  return {
    source_text: text,
    source_lang,
    target_lang,
    domain,
    tone,
    gender,
    text_type: 'Plain',
    metadata: {},
  };
}

/** The stored translation of a text (B 8 "Translation memory at translation time"); null if there is none, or it may not be served. */
async function serve({
  positions,
  inner,
  wrap,
  request,
  leverage,
  terms,
}: Prepared): Promise<TranslatedSegment | null> {
  const text = readSourceText(request);
  const fast = await takeFastPath([], { request, text, leverage, terms, held: false });
  if (!fast) return null;
  const target = joinStrings(wrap(placeTags(fast.translation, inner)));
  return {
    positions,
    target,
    targetText: plainText(target),
    score: null,
    needsReview: false,
    issues: [],
    fastPath: fast.name,
    provenance: { engine: null, ...fast.provenance },
  };
}

/** A translation, and what was found in it. */
interface Candidate {
  inner: InlineContent;
  score: number;
  issues: QualityIssue[];
}

async function translate(
  run: DocumentRun,
  texts: readonly Prepared[],
  cost: RunCost,
): Promise<TranslatedSegment[]> {
  const { engine } = run.services;
  const scope = { tenantId: run.tenantId, signal: run.signal };
  const task = await taskOf(run, texts);
  const spend = <T>(result: EngineResult<T>): T => {
    cost.inputTokens += result.inputTokens;
    cost.outputTokens += result.outputTokens;
    for (const model of result.models) if (!cost.models.includes(model)) cost.models.push(model);
    return result.value;
  };
  const replies = spend(await engine.translate(task, scope));
  const drafts = await withTags(texts, task, replies, async (part) =>
    spend(await engine.translate(part, scope)),
  );
  let candidates = await judge(run, texts, task, drafts, spend);

  const doubtful = texts.map((_, index) => index).filter((index) => isDoubtful(candidates[index]!));
  if (doubtful.length > 0 && engine.live) {
    const pick = <T>(all: readonly T[]) => doubtful.map((index) => all[index]!);
    const part = { ...task, segments: pick(task.segments) };
    const before = pick(candidates).map(({ inner }) => formatTagged(inner));
    const issues = pick(candidates).flatMap((candidate) => candidate.issues);
    const replied = spend(await engine.repair(part, before, issues, scope));
    const parsed = pick(texts).map(({ inner }, at) => parseTagged(replied[at] ?? '', inner));
    const repaired = await judge(
      run,
      pick(texts),
      part,
      pick(drafts).map((draft, at) => ({
        inner: parsed[at] ?? draft.inner,
        lostTags: draft.lostTags && !parsed[at],
      })),
      spend,
    );
    candidates = candidates.map((candidate, index) => {
      const other = repaired[doubtful.indexOf(index)];
      return other && isBetter(other, candidate) ? other : candidate;
    });
  }
  return texts.map(({ positions, wrap }, index) => {
    const candidate = candidates[index]!;
    const target = joinStrings(wrap(candidate.inner));
    return {
      positions,
      target,
      targetText: plainText(target),
      score: candidate.score,
      needsReview: isDoubtful(candidate),
      issues: candidate.issues,
      fastPath: null,
      provenance: { engine: engine.live ? 'model' : 'stub' },
    };
  });
}

/** The task for the engine. Terms and examples of all its texts are shared: neighbours often have the same. */
async function taskOf(run: DocumentRun, texts: readonly Prepared[]): Promise<TranslationTask> {
  const { services, documentId } = run;
  const { source_lang, target_lang, domain, tone, gender } = requestOf(run.row);
  const gathered = await Promise.all(
    texts.map(({ leverage, terms }) =>
      gatherLeverage([], leverage, terms, {
        refused: leverage.exact,
        failed: () =>
          services.log.warn({ document_id: documentId }, 'a segment is translated without close matches'),
      }),
    ),
  );
  const glossary = new Map(gathered.flatMap((one) => one.glossary.map((term) => [term.source, term])));
  const examples = new Map(gathered.flatMap((one) => one.examples.map((pair) => [pair.source, pair])));
  return {
    segments: texts.map(({ inner }) => formatTagged(inner)),
    sourceLang: source_lang,
    targetLang: target_lang,
    textType: 'Plain',
    tone,
    gender,
    domain,
    glossary: [...glossary.values()],
    examples: [...examples.values()].sort((a, b) => b.similarity - a.similarity),
    contextBefore: texts[0]?.before ?? null,
    hasTags: texts.some(({ inner }) => inner.some((item) => typeof item !== 'string')),
  };
}

interface Draft {
  inner: InlineContent;
  /** Whether the tags were put back by position, because the engine lost them twice. */
  lostTags: boolean;
}

/** Reads the tags of the replies. A text whose tags are broken is translated once more; then its tags are put back by position. */
async function withTags(
  texts: readonly Prepared[],
  task: TranslationTask,
  replies: Translations,
  again: (part: TranslationTask) => Promise<Translations>,
): Promise<Draft[]> {
  const parsed = texts.map(({ inner }, index) => parseTagged(replies[index] ?? '', inner));
  const broken = parsed.flatMap((content, index) => (content ? [] : [index]));
  if (broken.length > 0) {
    const retried = await again({ ...task, segments: broken.map((index) => task.segments[index]!) });
    for (const [at, index] of broken.entries())
      parsed[index] = parseTagged(retried[at] ?? '', texts[index]!.inner);
  }
  return texts.map(({ inner }, index) => {
    const content = parsed[index];
    if (content) return { inner: content, lostTags: false };
    const text = (replies[index] ?? '').replace(/<\/?\d{1,9}\/?>/g, '');
    return { inner: placeTags(text, inner), lostTags: true };
  });
}

const lostTagsIssue: QualityIssue = {
  severity: 'major',
  category: 'style',
  span: null,
  explanation: 'the inline tags of the segment were lost in translation and put back by position',
  suggestion: 'check where links, breaks and fields stand',
};

/** Scores the drafts: the engine's judgement, and the checks that no model can override. */
async function judge(
  { services, tenantId, signal }: DocumentRun,
  texts: readonly Prepared[],
  task: TranslationTask,
  drafts: readonly Draft[],
  spend: <T>(result: EngineResult<T>) => T,
): Promise<Candidate[]> {
  const { engine } = services;
  const written = drafts.map(({ inner }) => formatTagged(inner));
  const judgements = spend(await engine.assessEach(task, written, { tenantId, signal }));
  return Promise.all(
    drafts.map(async ({ inner, lostTags }, index) => {
      const { request, terms } = texts[index]!;
      const { task: alone, blocks } = readSourceText(request);
      const text = plainText(inner);
      const inspect = engine.live ? inspectorOf({ blocks }) : inspectNothing;
      const compliance = await terms?.check([text]);
      const { score, issues } = judgements[index]!;
      return {
        inner,
        score,
        issues: [
          ...(lostTags ? [lostTagsIssue] : []),
          ...(await inspect(alone, [text])),
          ...(compliance && !compliance.passed ? termIssues(compliance) : []),
          ...issues,
        ],
      };
    }),
  );
}

/** Whether a reviewer should look at it: below the threshold, critical, a missing term, or tags put back by position. */
function isDoubtful(candidate: Candidate): boolean {
  return (
    candidate.score < defaultThreshold ||
    isCritical(candidate) ||
    candidate.issues.some(({ category }) => category === 'terminology') ||
    candidate.issues.includes(lostTagsIssue)
  );
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (isDoubtful(one) !== isDoubtful(other)) return isDoubtful(other);
  return one.score > other.score;
}
