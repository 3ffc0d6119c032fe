import { findPlaceholders } from '#server/language/text-rules/placeholders.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { QualityIssue, TaskStyle } from '#server/platform/engines/engine.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import { createSharedThreads } from '#server/platform/threads/threads.ts';
import { findIssues, findIssuesOfText, type Inspection, type ProposedTranslation } from '../inspection.ts';
import { type OwnPlaceholders, ownPlaceholderIssues } from '../integrity/placeholder-losses.ts';
import { readSourceText } from '../pipeline/source-text.ts';
import { allRisks, type RiskFlag, type RiskyTexts } from '../plausibility/index.ts';
import { checkLength, limitOfRequest } from '../request.ts';
import { hasForbiddenWord } from '../style/index.ts';
import type { CheckedUnits, UnitProblem } from '../unit-problems.ts';
import type { CheckWork } from './check-thread.ts';

/**
 * The largest work that runs on the event loop, in UTF-16 units of all texts of a check. Ordinary texts are shorter and take
 * some milliseconds; the worst ones take less than 50 ms (`test/abuse/text-checks.slow.test.ts`).
 */
const inlineUnits = 10_000;

/** Milliseconds for one check. The worst texts take a second; only a fault of a check takes longer. */
const deadlineMs = 30_000;

const onThread = createSharedThreads<CheckWork>(
  new URL('./check-thread.ts', import.meta.url),
  'checks texts',
  {
    deadlineMs,
    maxWaiting: 2000,
    refusal: 'too many long texts are being checked; try again later',
  },
);

/** The issue of a translation whose checks did not end in time, so that it is never published without review. */
const unchecked: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation: 'The service could not check this translation in time.',
  suggestion: 'Compare it with the source, above all tags, placeholders, links and numbers.',
};

/**
 * Finds the issues of a translation, as `findIssues` does. A long text is checked on a thread; tenants get the threads in turn.
 * If the checks do not end in time, the only issue is a critical one about that.
 * @throws AppError rate_limit if too many long texts are queued
 */
export async function inspect(
  asked: Inspection,
  scope: SlotScope,
  placeholders?: OwnPlaceholders,
): Promise<QualityIssue[]> {
  const units = unitsOf(asked.task.segments) + unitsOf(asked.candidate);
  const { segments, sourceLang, targetLang, textType, style } = asked.task;
  const task = { segments, sourceLang, targetLang, textType, ...(style && { style }) };
  const issues =
    units <= inlineUnits
      ? await inSlices(findIssues(asked))
      : await onThread('inspect', { ...asked, task }, scope, () => [unchecked]);
  if (!placeholders) return issues;
  const { patterns, found } = placeholders;
  const target = found && (await findPlaceholders(patterns, asked.candidate, scope));
  if (!found || !target) return [...issues, unsearched];
  const pick = (all: readonly (readonly string[])[], block: readonly number[]) =>
    block.flatMap((index) => all[index] ?? []);
  return withFurther(
    issues,
    asked.blocks.flatMap((block) => ownPlaceholderIssues(pick(found, block), pick(target, block))),
  );
}

/** The issue of a translation in which the workspace's own placeholders could not be found in time. */
const unsearched: QualityIssue = {
  severity: 'critical',
  category: 'accuracy',
  span: null,
  explanation: 'The service could not find the placeholders of the workspace in time.',
  suggestion: 'Compare them with the source, and use shorter patterns.',
};

/** Adds issues, except those that are known: a pattern can match what the service recognizes, too. */
function withFurther(issues: readonly QualityIssue[], further: readonly QualityIssue[]): QualityIssue[] {
  const known = new Set(issues.map(({ span, explanation }) => `${span} ${explanation}`));
  return [...issues, ...further.filter(({ span, explanation }) => !known.has(`${span} ${explanation}`))];
}

/**
 * Finds the issues of a proposed translation, as `inspect` does, and whether it is longer than its request allows.
 * @param patterns those of the workspace's own placeholders
 * @throws AppError as `inspect` does
 */
export async function inspectProposed(
  asked: ProposedTranslation,
  scope: SlotScope,
  patterns: readonly string[],
): Promise<QualityIssue[]> {
  const { request, text } = asked;
  const own = await ownIssuesOf(asked, patterns, scope);
  const found =
    request.source_text.length + text.length <= inlineUnits
      ? await inSlices(findIssuesOfText(asked))
      : await onThread('inspectText', asked, scope, () => [unchecked]);
  const issues = withFurther(found, own);
  if (!request.max_length) return issues;
  const visible = readSourceText(request).paragraphsOf(text);
  return [...issues, ...(await checkLength(limitOfRequest(request), visible)).issues];
}

/** Finds the issues of the workspace's own placeholders, in the text as a whole: a proposal can have other blocks. */
async function ownIssuesOf(
  { request, text }: ProposedTranslation,
  patterns: readonly string[],
  scope: SlotScope,
): Promise<QualityIssue[]> {
  if (patterns.length === 0) return [];
  const { task, segmentsOf } = readSourceText(request);
  const { length } = task.segments;
  const found = await findPlaceholders(patterns, [...task.segments, ...segmentsOf(text)], scope);
  return found
    ? ownPlaceholderIssues(found.slice(0, length).flat(), found.slice(length).flat())
    : [unsearched];
}

/**
 * Whether a stored translation contains a forbidden word, and may not be served without a model; also true if the check
 * does not end in time.
 */
export async function forbids(
  style: TaskStyle,
  text: string,
  language: string,
  scope: SlotScope,
): Promise<boolean> {
  if (style.forbiddenWords.length === 0) return false;
  if (text.length <= inlineUnits) return hasForbiddenWord(text, style, language);
  return onThread('forbidden', { text, style, language }, scope, () => true);
}

/** Returns the risk flags of a source and of the other data that a model gets with it. */
export async function risksOf(texts: RiskyTexts, scope: SlotScope): Promise<RiskFlag[]> {
  if (texts.sourceText.length + unitsOf(texts.data) <= inlineUnits) return allRisks(texts);
  return onThread('risks', texts, scope, () => ['unchecked_source']);
}

/**
 * Returns the problems of each of some stored segments. Always runs on a thread, because a TM has many segments.
 * @throws AppError rate_limit if too many texts are queued
 */
export function checkUnits(asked: CheckedUnits, scope: SlotScope): Promise<UnitProblem[][]> {
  const unchecked = asked.units.map((): UnitProblem[] => []);
  return onThread('units', asked, scope, () => unchecked);
}

function unitsOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
