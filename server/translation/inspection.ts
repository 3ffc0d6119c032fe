import { addedCode } from '#server/formats/added-code.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { clip } from '#server/formats/text.ts';
import type {
  QualityIssue,
  TaskStyle,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { checkIntegrity, checkMarkup } from './integrity/index.ts';
import { joinSegments, readSourceText } from './pipeline/source-text.ts';
import { checkPlausibility } from './plausibility/index.ts';
import type { TextRequest } from './request.ts';
import { checkStyle } from './style/index.ts';

/** A translation to check. Plain data, which can be passed to a thread. */
export interface Inspection {
  /** For each block of the source, the indexes of its segments. */
  blocks: readonly (readonly number[])[];
  task: Pick<TranslationTask, 'segments' | 'sourceLang' | 'targetLang' | 'textType' | 'style'>;
  candidate: Translations;
}

/** Maximum number of issues. Without it, a hostile page could have an issue in each of its thousands of texts. */
const maxIssues = 100;

/**
 * Maximum length of an issue's span in UTF-16 units. A lost link may have 50,000, and issues are sent to models and
 * shown to reviewers.
 */
const maxSpanLength = 300;
const maxTextLength = 600;

/**
 * The checks that no model can override: integrity (the source's elements must not get lost), plausibility (the text
 * must be a possible translation) and the style guide, if there is one. Nearly all issues of the first two are critical:
 * such an issue is repaired if possible, and otherwise prevents publishing. Those of the style guide lower the score.
 *
 * HTML is checked block by block, so that good blocks cannot hide a bad one, and a placeholder that moved into another
 * paragraph is found. The page is also checked as a whole, because language and length are clearer in a longer text.
 * @yields undefined between two blocks, so that a caller can let other requests run
 * @returns at most 100 issues
 */
export function* findIssues({ blocks, task, candidate }: Inspection): Generator<undefined, QualityIssue[]> {
  const { sourceLang, targetLang, textType, style } = task;
  const pick = (texts: readonly string[], block: readonly number[]) =>
    joinSegments(block.map((index) => texts[index] ?? ''));
  const issues: QualityIssue[] = [];
  for (const block of blocks) {
    const texts = { sourceText: pick(task.segments, block), targetText: pick(candidate, block) };
    issues.push(
      ...checkAddedCode(texts.sourceText, texts.targetText),
      ...checkIntegrity({ ...texts, sourceLang, targetLang, textType }),
      ...checkPlausibility({ ...texts, sourceLang, targetLang }),
      ...(style ? checkStyle(texts.targetText, style, targetLang) : []),
    );
    if (issues.length >= maxIssues) break;
    yield;
  }
  if (blocks.length > 1) {
    const texts = { sourceText: joinSegments(task.segments), targetText: joinSegments(candidate) };
    issues.push(...checkPlausibility({ ...texts, sourceLang, targetLang }));
  }
  return issues.slice(0, maxIssues).map(clipped);
}

/** A translation that a member proposes for a text. Plain data, which can be passed to a thread. */
export interface ProposedTranslation {
  request: TextRequest;
  text: string;
  /** The tenant's style for the target language; null if it is not to be checked. */
  style: TaskStyle | null;
}

/** Finds the issues of a proposed translation, as `findIssues` does, and for HTML also lost markup. */
export function* findIssuesOfText({
  request,
  text,
  style,
}: ProposedTranslation): Generator<undefined, QualityIssue[]> {
  const { task, blocks } = readSourceText(request, style);
  if (request.text_type !== 'Html') return yield* findIssues({ blocks, task, candidate: [text] });
  const translations = extractHtml(text).map((segment) => segment.text);
  // Scripts and attributes are in no segment.
  const markup = [
    ...checkAddedCode(request.source_text, text),
    ...checkMarkup(request.source_text, text),
  ].map(clipped);
  // A translation with a different block structure cannot be compared block by block.
  const findings = yield* translations.length === task.segments.length
    ? findIssues({ blocks, task, candidate: translations })
    : findIssues({
        blocks: [[0]],
        task: { ...task, segments: [joinSegments(task.segments)] },
        candidate: [joinSegments(translations)],
      });
  return [...markup, ...findings];
}

/** Returns the issue with its texts shortened to the maximum lengths for storing and showing. */
function clipped({ span, explanation, suggestion, replacement, ...issue }: QualityIssue): QualityIssue {
  return {
    ...issue,
    span: span && clip(span, maxSpanLength),
    explanation: clip(explanation, maxTextLength),
    suggestion: suggestion && clip(suggestion, maxTextLength),
    ...(replacement && replacement.length <= maxTextLength && { replacement }),
  };
}

/** The maximum number of issues of added code. Each of them prevents publishing. */
const maxCodeIssues = 20;

/** Finds the code in a translation that its source lacks: a page or program that has the text might run it. */
function checkAddedCode(sourceText: string, targetText: string): QualityIssue[] {
  return addedCode(sourceText, targetText)
    .slice(0, maxCodeIssues)
    .map((code) => ({
      severity: 'critical',
      category: 'accuracy',
      span: code,
      explanation: `The source does not have ${code}, which a page or program may run as code.`,
      suggestion: `Remove ${code}.`,
    }));
}
