import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import {
  type InlineContent,
  joinStrings,
  parseWithoutFormats,
  placeTags,
  plainText,
  unwrap,
} from '#server/formats/inline-content.ts';
import type { CallScope, Judgement, QualityIssue, TranslationTask } from '#server/platform/engines/engine.ts';
import { checkTranslation, inspectNothing, inspectorOf, isCritical, withFindings } from '../checks.ts';
import { gatherLeverage, leverageOf, type Prefetched, prefetch } from '../leverage/leverage.ts';
import type { TextRequest } from '../request.ts';
import { noCost, type RunCost } from './agent-steps.ts';
import {
  callFor,
  type Draft,
  draft,
  excessOf,
  type Group,
  type GroupText,
  issuesOf,
  notesOf,
  type Prepared,
  taggedOf,
} from './drafts.ts';
import { takeFastPath } from './fast-path.ts';
import { prepareText } from './prepared-text.ts';
import { protectWords } from './protected-words.ts';
import { defaultThreshold } from './quality-options.ts';
import { isSuspicious, riskIssue, risksOfTask } from './task-risks.ts';

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
  /** The source of the translation: the engine, or a TM segment or glossary term. */
  provenance: Record<string, unknown>;
}

type GroupServices = Pick<Services, 'database' | 'embedder' | 'engine' | 'glossaries' | 'log'>;

/** A translation with its score and its issues. */
interface Candidate extends Draft {
  score: number;
  issues: QualityIssue[];
}

/** Returns the request that the pipeline for single texts would receive for a text of the group. */
export function requestOfText(request: GroupRequest, { source }: Pick<GroupText, 'source'>): TextRequest {
  return { ...request, source_text: plainText(unwrap(source).inner) };
}

/**
 * Looks up the exact matches of some texts and the glossary revision. Because this takes a transaction, it is called
 * for many groups together.
 */
export function lookUpTexts(tx: Tx, request: GroupRequest, texts: readonly GroupText[]): Promise<Prefetched> {
  return prefetch(
    tx,
    texts.map((text) => requestOfText(request, text)),
  );
}

/**
 * Translates a group of neighboring texts. Texts found in the glossary or TM are served from there; the others are sent
 * to the engine in one call, with their glossary terms and similar segments. Each translation is checked and scored
 * separately; a doubtful one is repaired once.
 * @param found the result of `lookUpTexts` for these texts
 * @returns the translation of each text, in the order of the texts, and the cost of the calls
 */
export async function translateGroup<T extends GroupText>(
  services: GroupServices,
  scope: CallScope,
  { request, texts, found }: { request: GroupRequest; texts: readonly T[]; found: Prefetched },
  searchFailed: (error: unknown) => void,
): Promise<{ translations: { of: T; translation: TranslatedText }[]; cost: RunCost }> {
  const group: Group = { engine: services.engine, scope, cost: noCost(), searchFailed };
  const served = await Promise.all(
    texts.map(async (of) => {
      const asked = requestOfText(request, of);
      const leverage = await leverageOf(services, scope, asked, found);
      const prepared = await prepareText(asked, leverage, scope.signal);
      const unwrapped = unwrap(of.source);
      const protectedText = protectWords(unwrapped.inner, request.source_lang);
      const text: Prepared = { ...prepared, ...unwrapped, of, protectedText };
      return { of, text, stored: await serve(text, scope) };
    }),
  );
  const unserved = served.flatMap(({ text, stored }) => (stored ? [] : [text]));
  const translated = unserved.length > 0 ? await translate(group, unserved) : new Map();
  const translations = served.map(({ of, text, stored }) => ({
    of,
    translation: stored ?? (translated.get(text) as TranslatedText),
  }));
  return { translations, cost: group.cost };
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
  const group: Group = {
    engine: services.engine,
    scope,
    cost: noCost(),
    searchFailed: () => services.log.warn({}, 'a text is checked again without fuzzy matches'),
  };
  const found = await services.database.inTenant(scope.tenantId, (tx) => lookUpTexts(tx, request, texts));
  const prepared = await Promise.all(
    texts.map(async (of): Promise<Prepared> => {
      const asked = requestOfText(request, of);
      const leverage = await leverageOf(services, scope, asked, found);
      const text = await prepareText(asked, leverage, scope.signal);
      return { ...text, ...unwrap(of.source), of, protectedText: null };
    }),
  );
  const targets = texts.map(({ target }) => ({ inner: unwrap(target).inner }));
  const task = await taskOf(group, prepared);
  return callFor(group, group.engine.assessEach(task, taggedOf(targets), scope));
}

/** Returns the stored translation of a text; null if none exists, or if it may not be served. */
async function serve(text: Prepared, scope: CallScope): Promise<TranslatedText | null> {
  if (text.of.variant !== null) return null;
  const fast = await takeFastPath([], text, scope, false);
  if (!fast) return null;
  const target = joinStrings(text.wrap(placeTags(fast.translation, text.inner)));
  return {
    target,
    targetText: plainText(target),
    score: null,
    needsReview: false,
    issues: [],
    fastPath: fast.name,
    provenance: { engine: null, ...fast.provenance },
  };
}

async function translate(group: Group, texts: readonly Prepared[]): Promise<Map<Prepared, TranslatedText>> {
  const { engine } = group;
  const task = await taskOf(group, texts);
  const candidates = await judge(group, task, await draft(group, task, texts));
  const doubtful = candidates.filter((candidate) => isDoubtful(candidate) || excessOf(candidate) > 0);
  const repaired = doubtful.length > 0 && engine.live ? await repair(group, task, doubtful) : [];
  const better = new Map(repaired.map((candidate) => [candidate.of, candidate]));
  const suspicion = await suspicionOf(group, task, texts);
  return new Map(
    candidates.map((first) => {
      const second = better.get(first.of);
      const candidate = second && isBetter(second, first) ? second : first;
      const target = joinStrings(candidate.of.wrap(candidate.inner));
      const { score } = candidate;
      const issues = [...suspicion, ...candidate.issues];
      return [
        candidate.of,
        {
          target,
          targetText: plainText(target),
          score,
          needsReview: isDoubtful({ ...candidate, issues }),
          issues,
          fastPath: null,
          provenance: { engine: engine.live ? 'model' : 'stub' },
        },
      ];
    }),
  );
}

/**
 * Returns an issue for all texts of a task if one of them, or what the model gets with them, looks like instructions to the
 * model, and the workspace demands a review of such texts. An order in one text can change the translation of another.
 */
async function suspicionOf(
  { engine, scope }: Group,
  task: TranslationTask,
  texts: readonly Prepared[],
): Promise<QualityIssue[]> {
  if (!engine.live || !texts.some(({ leverage }) => leverage.reviewsInstructions)) return [];
  const segments = texts.map(({ inner }) => plainText(inner));
  const risks = (await risksOfTask({ ...task, segments }, true, scope)).filter(isSuspicious);
  return risks.length > 0 ? [riskIssue(risks)] : [];
}

/**
 * Returns the task for the engine. All texts share the terms and examples of the group, because neighboring texts often
 * have the same ones.
 */
async function taskOf({ searchFailed }: Group, texts: readonly Prepared[]): Promise<TranslationTask> {
  const gathered = await Promise.all(
    texts.map(({ leverage, terms }) => gatherLeverage([], leverage, terms, searchFailed)),
  );
  const glossary = new Map(gathered.flatMap((one) => one.glossary.map((term) => [term.source, term])));
  const examples = new Map(gathered.flatMap((one) => one.examples.map((pair) => [pair.source, pair])));
  const [first] = texts as [Prepared];
  return {
    ...first.text.task,
    segments: taggedOf(texts),
    notes: notesOf(texts),
    glossary: [...glossary.values()],
    examples: [...examples.values()].sort((a, b) => b.similarity - a.similarity),
    contextBefore: first.of.before,
    hasTags: texts.some(({ inner }) => inner.some((item) => typeof item !== 'string')),
  };
}

/** Repairs translations once. If the tags of a repaired translation are broken, the previous translation is kept. */
async function repair(
  group: Group,
  task: TranslationTask,
  doubtful: readonly Candidate[],
): Promise<Candidate[]> {
  const { engine, scope } = group;
  const texts = doubtful.map(({ of }) => of);
  const part = { ...task, segments: taggedOf(texts), notes: notesOf(texts) };
  const issues = doubtful.flatMap((candidate) => candidate.issues);
  const replies = await callFor(group, engine.repair(part, taggedOf(doubtful), issues, scope));
  const drafts = doubtful.map(({ of, inner, lostTags }, index) => {
    const parsed = parseWithoutFormats(replies[index] ?? '', of.inner);
    return { of, inner: parsed ?? inner, lostTags: lostTags && !parsed };
  });
  return judge(group, part, drafts);
}

/**
 * Scores drafts: by the engine's judgement, and by the service's own checks. `task` contains the sources of the drafts,
 * in the same order.
 */
async function judge(group: Group, task: TranslationTask, drafts: readonly Draft[]): Promise<Candidate[]> {
  const { engine, scope } = group;
  const judgements = await callFor(group, engine.assessEach(task, taggedOf(drafts), scope));
  return Promise.all(
    drafts.map(async (draft, index) => {
      const { text, terms } = draft.of;
      const inspect = engine.live ? inspectorOf(text, scope) : inspectNothing;
      const { findings } = await checkTranslation({ inspect, terms }, text.task, [plainText(draft.inner)]);
      const { score, issues } = withFindings(judgements[index]!, findings);
      return {
        ...draft,
        score,
        issues: [...issuesOf(draft, findings), ...issues],
      };
    }),
  );
}

/**
 * Whether a reviewer should check the translation: its score is below the threshold, it has a critical issue, it misses
 * a term, or its tags were placed by position.
 */
function isDoubtful(candidate: Candidate): boolean {
  return (
    candidate.score < defaultThreshold ||
    isCritical(candidate) ||
    candidate.issues.some(({ category }) => category === 'terminology') ||
    candidate.lostTags
  );
}

function isBetter(one: Candidate, other: Candidate): boolean {
  if (isDoubtful(one) !== isDoubtful(other)) return isDoubtful(other);
  if (excessOf(one) !== excessOf(other)) return excessOf(one) < excessOf(other);
  return one.score > other.score;
}
