import {
  formatTagged,
  type InlineContent,
  parseTagged,
  parseWithoutFormats,
  placeTags,
  plainText,
  type UnwrappedContent,
} from '#server/formats/inline-content.ts';
import type {
  CallScope,
  Engine,
  EngineResult,
  QualityIssue,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { type RunCost, spend } from './agent-steps.ts';
import type { PreparedText } from './prepared-text.ts';
import { type ProtectedText, protectWords } from './protected-words.ts';

/* The first translations of a group of texts: the requests that make them, and what the service itself finds in them. */

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

/** Data that the engine calls of one group share. */
export interface Group {
  engine: Engine;
  scope: CallScope;
  cost: RunCost;
  searchFailed: (error: unknown) => void;
}

/** A text of the group, without the tags around it. */
export interface Prepared extends PreparedText, UnwrappedContent {
  of: GroupText;
  /** Null without such words. */
  protectedText: ProtectedText | null;
}

/** The translation of one text. */
export interface Draft {
  of: Prepared;
  inner: InlineContent;
  /** Whether the tags were placed by position, because the engine lost them twice. */
  lostTags: boolean;
}

export function notesOf(texts: readonly Prepared[]): (string | null)[] {
  return texts.map((text) => noteOf(text));
}

/** @param tags the placeholders for which tags stand */
function noteOf({ of: { context, maxLength } }: Prepared, tags: string | null = null): string | null {
  const most = maxLength && `at most ${maxLength} characters`;
  // A long note is cut, so the context comes last.
  return [most, tags && `tags: ${tags}`, context].filter(Boolean).join('; ') || null;
}

export function taggedOf(contents: readonly { inner: InlineContent }[]): string[] {
  return contents.map(({ inner }) => formatTagged(inner));
}

/**
 * Awaits an engine call and adds its cost to the group.
 * @returns the value of the call
 */
export async function callFor<T>({ cost }: Group, call: Promise<EngineResult<T>>): Promise<T> {
  const result = await call;
  spend(cost, result);
  return result.value;
}

/**
 * Translates the texts. Links, addresses, code and placeholders are sent as tags, and a text of links and code only is not
 * sent. If the tags of a translation are broken, this translation is requested once more, now with these words. If the
 * tags are broken again, formatting is left out and the other tags are placed by position.
 */
export async function draft(
  group: Group,
  task: TranslationTask,
  texts: readonly Prepared[],
): Promise<Draft[]> {
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

/** Returns what is wrong with the tags, the words and the length of a draft. */
export function issuesOf(draft: Draft, findings: readonly QualityIssue[]): QualityIssue[] {
  return [...tagIssues(draft), ...lostWordIssues(draft, findings), ...lengthIssues(draft)];
}

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
export function excessOf({ of, inner }: Draft): number {
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
