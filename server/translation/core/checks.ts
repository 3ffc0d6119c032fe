import { setImmediate } from 'node:timers/promises';
import { clip } from '#server/formats/text.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type {
  Judgement,
  QualityIssue,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { marked } from './findings.ts';
import { checkIntegrity } from './integrity/index.ts';
import { type TermsInText, termIssues } from './leverage/terms.ts';
import { joinSegments, type SourceText } from './pipeline/source-text.ts';
import { checkPlausibility } from './plausibility/index.ts';
import { checkStyle } from './style/index.ts';

/** A function that checks a translation without a model. */
export type Inspect = (
  task: TranslationTask,
  candidate: Translations,
) => QualityIssue[] | Promise<QualityIssue[]>;

/**
 * Returns the issues that the service's own checks find in a translation: first the issues that `inspect` finds, then
 * the missing glossary terms. `compliance` is null without a glossary for the language pair.
 */
export async function checkTranslation(
  { inspect, terms }: { inspect: Inspect; terms: TermsInText | null },
  task: TranslationTask,
  candidate: Translations,
): Promise<{ findings: QualityIssue[]; compliance: TermCompliance | null }> {
  const compliance = (await terms?.check(candidate)) ?? null;
  const findings = await inspect(task, candidate);
  return { findings: compliance ? [...findings, ...termIssues(compliance)] : findings, compliance };
}

/** Whether any issue is critical. A translation with a critical issue is never published without review. */
export function isCritical({ issues }: Pick<Judgement, 'issues'>): boolean {
  return issues.some(({ severity }) => severity === 'critical');
}

/**
 * The highest score of a translation with an issue of the style guide. These are the limits that the judge model has for
 * issues of these severities, so a forbidden word is below the default threshold of the quality gate.
 */
const highestScores = { minor: 94, major: 84, critical: 84 } as const satisfies Record<
  QualityIssue['severity'],
  number
>;

/** Returns the judgement of a model with the findings of the service's own checks. */
export function withFindings<T extends Judgement>(judged: T, findings: readonly QualityIssue[]): T {
  const style = findings.filter(({ category }) => category === 'style');
  const score = Math.min(judged.score, ...style.map(({ severity }) => highestScores[severity]));
  return { ...judged, score, issues: [...marked(findings), ...judged.issues] };
}

/** Whether a glossary term is missing. A translation without a required term is never published without review. */
export function missesTerms({ compliance }: { compliance: TermCompliance | null }): boolean {
  return compliance?.passed === false;
}

/** Maximum number of issues. Without it, a hostile page could have an issue in each of its thousands of texts. */
const maxIssues = 100;

/**
 * Maximum length of an issue's span in UTF-16 units. A lost link may have 50,000, and issues are sent to models and
 * shown to reviewers.
 */
const maxSpanLength = 300;
const maxTextLength = 600;

/** Milliseconds that the checks run before other requests get a turn. */
const sliceMs = 20;

/**
 * The checks that no model can override: integrity (the source's elements must not get lost), plausibility (the text
 * must be a possible translation) and the style guide, if there is one. Nearly all issues of the first two are critical:
 * such an issue is repaired if possible, and otherwise prevents publishing. Those of the style guide lower the score.
 *
 * HTML is checked block by block, so that good blocks cannot hide a bad one, and a placeholder that moved into another
 * paragraph is found. The page is also checked as a whole, because language and length are clearer in a longer text.
 */
export function inspectorOf({ blocks }: Pick<SourceText, 'blocks'>): Inspect {
  return async (task, candidate) => {
    const { sourceLang, targetLang, textType, style } = task;
    const pick = (texts: readonly string[], block: readonly number[]) =>
      joinSegments(block.map((index) => texts[index] ?? ''));
    const issues: QualityIssue[] = [];
    let since = performance.now();
    for (const block of blocks) {
      if (performance.now() - since > sliceMs) {
        await setImmediate();
        since = performance.now();
      }
      const texts = { sourceText: pick(task.segments, block), targetText: pick(candidate, block) };
      issues.push(
        ...checkIntegrity({ ...texts, sourceLang, targetLang, textType }),
        ...checkPlausibility({ ...texts, sourceLang, targetLang }),
        ...(style ? checkStyle(texts.targetText, style, targetLang) : []),
      );
      if (issues.length >= maxIssues) break;
    }
    if (blocks.length > 1) {
      const texts = { sourceText: joinSegments(task.segments), targetText: joinSegments(candidate) };
      issues.push(...checkPlausibility({ ...texts, sourceLang, targetLang }));
    }
    return issues.slice(0, maxIssues).map(clipped);
  };
}

/** Returns the issue with its texts shortened to the maximum lengths for storing and showing. */
export function clipped({ span, explanation, suggestion, ...issue }: QualityIssue): QualityIssue {
  return {
    ...issue,
    span: span && clip(span, maxSpanLength),
    explanation: clip(explanation, maxTextLength),
    suggestion: suggestion && clip(suggestion, maxTextLength),
  };
}

/** For the stub engine, which returns the source text: its translations are exempt from the checks. */
export const inspectNothing: Inspect = () => [];
