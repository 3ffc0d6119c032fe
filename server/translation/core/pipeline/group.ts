import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import {
  formatTagged,
  type InlineContent,
  joinStrings,
  parseTagged,
  parseWithoutFormats,
  placeTags,
  plainText,
  type UnwrappedContent,
  unwrap,
} from '#server/formats/inline-content.ts';
import type {
  CallScope,
  Engine,
  EngineResult,
  Judgement,
  QualityIssue,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { checkTranslation, inspectNothing, inspectorOf, isCritical, withFindings } from '../checks.ts';
import { gatherLeverage, leverageOf, type Prefetched, prefetch } from '../leverage/leverage.ts';
import type { TextRequest } from '../request.ts';
import { noCost, type RunCost, spend } from './agent-steps.ts';
import { takeFastPath } from './fast-path.ts';
import { type PreparedText, prepareText } from './prepared-text.ts';
import { type ProtectedText, protectWords } from './protected-words.ts';
import { defaultThreshold } from './quality-options.ts';
import { isSuspicious, riskIssue, risksOfTask } from './task-risks.ts';

/** The request fields that all texts of a group have in common. */
export type GroupRequest = Omit<TextRequest, 'source_text'>;

/** One of the texts of a group. One engine call translates several. */
export interface GroupText {
  source: InlineContent;
  /** The previous text in the file, as context. */
  before: string | null;
  /** Notes of the file about the text, such as its key. The model gets them. */
  context: string | null;
  /**
   * Distinguishes the text from others with the same words that need another translation. If it is set, no stored
   * translation is served.
   */
  variant: string | null;
  /** The maximum number of characters of the translation; null without a limit. A longer one is repaired once. */
  maxLength: number | null;
}

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

/** Data that the engine calls of one group share. */
interface Group {
  engine: Engine;
  scope: CallScope;
  cost: RunCost;
  searchFailed: (error: unknown) => void;
}

/** A text of the group, without the tags around it. */
interface Prepared extends PreparedText, UnwrappedContent {
  of: GroupText;
  /** Null without such words. */
  protectedText: ProtectedText | null;
}

/** The translation of one text. */
interface Draft {
  of: Prepared;
  inner: InlineContent;
  /** Whether the tags were placed by position, because the engine lost them twice. */
  lostTags: boolean;
}

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
      const leverage = await leverageOf(services, scope.tenantId, asked, found);
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
      const leverage = await leverageOf(services, scope.tenantId, asked, found);
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

function notesOf(texts: readonly Prepared[]): (string | null)[] {
  return texts.map((text) => noteOf(text));
}

/** @param tags the placeholders for which tags stand */
function noteOf({ of: { context, maxLength } }: Prepared, tags: string | null = null): string | null {
  const most = maxLength && `at most ${maxLength} characters`;
  return [context, most, tags && `tags: ${tags}`].filter(Boolean).join('; ') || null;
}

function taggedOf(contents: readonly { inner: InlineContent }[]): string[] {
  return contents.map(({ inner }) => formatTagged(inner));
}

/**
 * Awaits an engine call and adds its cost to the group.
 * @returns the value of the call
 */
async function callFor<T>({ cost }: Group, call: Promise<EngineResult<T>>): Promise<T> {
  const result = await call;
  spend(cost, result);
  return result.value;
}

/**
 * Translates the texts. Links, addresses, code and placeholders are sent as tags, and a text of links and code only is not
 * sent. If the tags of a translation are broken, this translation is requested once more, now with these words. If the
 * tags are broken again, formatting is left out and the other tags are placed by position.
 */
async function draft(group: Group, task: TranslationTask, texts: readonly Prepared[]): Promise<Draft[]> {
  const drafts = texts.map((of) => {
    const inner = of.protectedText?.hasOtherWords === false ? of.inner : null;
    return { of, inner, replies: [] as string[] };
  });
  const unread = drafts.filter(({ inner }) => !inner);
  const first = await request(
    group,
    task,
    unread.map(({ of }) => ({
      of,
      content: of.protectedText?.content ?? of.inner,
      tags: of.protectedText?.note,
    })),
  );
  for (const [index, one] of unread.entries()) {
    const { inner: source, protectedText } = one.of;
    const reply = first[index] ?? '';
    const inner = parseTagged(reply, protectedText?.content ?? source);
    one.inner = inner && protectedText ? protectedText.restore(inner) : inner;
    // A broken reply with protected words is not used, because their tags would be lost with it.
    if (!protectedText) one.replies.push(reply);
  }
  const broken = unread.filter(({ inner }) => !inner);
  const second = await request(
    group,
    task,
    broken.map(({ of }) => ({ of, content: of.inner })),
  );
  for (const [index, one] of broken.entries()) {
    one.replies.unshift(second[index] ?? '');
    one.inner = readRetried(one);
  }
  return drafts.map(({ of, replies, inner }) => ({
    of,
    inner: inner ?? placeTags(replies.at(-1)!.replace(/<\/?\d{1,9}\/?>/g, ''), of.inner),
    lostTags: !inner,
  }));
}

/** Returns the engine's translations of some texts, in their order. Without texts, the engine is not called. */
async function request(
  group: Group,
  task: TranslationTask,
  parts: readonly { of: Prepared; content: InlineContent; tags?: string | null | undefined }[],
): Promise<readonly string[]> {
  if (parts.length === 0) return [];
  const segments = parts.map(({ content }) => formatTagged(content));
  const notes = parts.map(({ of, tags }) => noteOf(of, tags));
  const hasTags = parts.some(({ content }) => content.some((item) => typeof item !== 'string'));
  return callFor(group, group.engine.translate({ ...task, segments, notes, hasTags }, group.scope));
}

/**
 * Returns the translation of a text that was requested again. If the last reply, or else the first one, lacks only
 * formatting, this is accepted.
 * @param replies the last one first
 */
function readRetried({
  of,
  replies,
}: Pick<Draft, 'of'> & { replies: readonly string[] }): InlineContent | null {
  const read = [
    parseTagged(replies[0]!, of.inner),
    ...replies.map((reply) => parseWithoutFormats(reply, of.inner)),
  ];
  return read.find((inner) => inner !== null) ?? null;
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

const lostTagsIssue: QualityIssue = {
  severity: 'major',
  category: 'style',
  span: null,
  explanation: 'the inline tags of the segment were lost in translation and restored by position',
  suggestion: 'check the positions of links, breaks and fields',
};

const lostFormatIssue: QualityIssue = {
  severity: 'minor',
  category: 'style',
  span: null,
  explanation: 'some words lost their formatting in translation',
  suggestion: 'check bold, italic and other formatted words',
};

function tagIssues({ of, inner, lostTags }: Draft): QualityIssue[] {
  if (lostTags) return [lostTagsIssue];
  return inner.filter(isFormat).length < of.inner.filter(isFormat).length ? [lostFormatIssue] : [];
}

/** Maximum number of lost words in a report. */
const maxLostWords = 20;

/** Returns an issue for each protected word that a second or repaired translation lacks, unless a check has found it. */
function lostWordIssues({ of, inner }: Draft, findings: readonly QualityIssue[]): QualityIssue[] {
  if (!of.protectedText) return [];
  const found = new Set([
    ...findings.map(({ span }) => span),
    ...(protectWords(inner, of.request.source_lang)?.words ?? []),
  ]);
  const lost = new Set(of.protectedText.words.filter((word) => !found.has(word)));
  return [...lost].slice(0, maxLostWords).map((span) => ({
    severity: 'major',
    category: 'accuracy',
    span,
    explanation: `The word ${span} of the source is missing.`,
    suggestion: `Keep ${span} exactly as it is.`,
  }));
}

/** Returns the number of characters above the limit of the text; 0 without a limit. */
function excessOf({ of, inner }: Draft): number {
  const { maxLength } = of.of;
  return maxLength === null ? 0 : Math.max(0, [...plainText(inner)].length - maxLength);
}

function lengthIssues(draft: Draft): QualityIssue[] {
  const excess = excessOf(draft);
  if (excess === 0) return [];
  const { maxLength } = draft.of.of;
  return [
    {
      severity: 'minor',
      category: 'style',
      span: null,
      explanation: `the text has ${excess} characters more than the ${maxLength} that can be read`,
      suggestion: `shorten it to at most ${maxLength} characters, and keep the meaning`,
    },
  ];
}

function isFormat(item: InlineContent[number]): boolean {
  return typeof item !== 'string' && item.format !== undefined;
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
        issues: [...tagIssues(draft), ...lostWordIssues(draft, findings), ...lengthIssues(draft), ...issues],
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
