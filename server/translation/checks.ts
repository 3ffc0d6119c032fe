import { clip } from '#server/formats/text.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import { plainTypography } from '#server/matching/typography.ts';
import type { Engine, Judgement, QualityIssue, Translations } from '#server/platform/engines/engine.ts';
import { marked } from './findings.ts';
import { findTerms, termIssues } from './leverage/terms.ts';
import type { PreparedText } from './pipeline/prepared-text.ts';
import type { Run } from './pipeline/run.ts';
import type { SourceText } from './pipeline/source-text.ts';
import { forbids, inspect } from './threads/check-threads.ts';

/**
 * Returns the issues that the service's own checks find in a translation: first the issues that `inspectTranslation`
 * finds, then the missing glossary terms and the sentences that differ from the TM. `compliance` is null without a glossary for the language pair.
 * @param whole the translation with its code, as the TM has it
 */
export async function checkTranslation(
  run: Pick<Run, 'engine' | 'scope'>,
  prepared: PreparedText,
  candidate: Translations,
  whole = candidate.join(' '),
): Promise<{ findings: QualityIssue[]; compliance: TermCompliance | null }> {
  const { text, terms } = prepared;
  const compliance = terms && (await terms.check(candidate));
  const findings = await inspectTranslation(run, text, candidate);
  const sentences = run.engine.live
    ? await sentenceIssues(prepared, plainTypography(whole, text.task.targetLang), run.scope)
    : [];
  // A person has approved the values of a translation from the TM.
  const lost =
    prepared.assembled === null
      ? await run.engine.redaction?.issuesOf(text.task.segments, candidate, run.scope)
      : undefined;
  return {
    findings: [
      ...findings,
      ...(lost ?? []),
      ...(compliance ? termIssues(compliance, text.task.targetLang) : []),
      ...sentences,
    ],
    compliance,
  };
}

/** Maximum number of issues about sentences, and of UTF-16 units of each sentence in them. */
const most = { sentences: 20, units: 600 };

/**
 * Returns an issue for each sentence of the TM for which the translation has other words. A text that is made of sentences
 * of the TM has none: its translation differs only if it had to be repaired. A glossary or style guide wins over the TM.
 */
async function sentenceIssues(
  { text, leverage, assembled }: PreparedText,
  whole: string,
  scope: Run['scope'],
): Promise<QualityIssue[]> {
  const { sentences, glossary } = leverage;
  if (assembled !== null) return [];
  const { style, targetLang } = text.task;
  const issues: QualityIssue[] = [];
  for (const { sourceText, hit } of sentences) {
    if (issues.length === most.sentences) break;
    if (!hit || whole.includes(withoutStop(plainTypography(hit.targetText, targetLang)))) continue;
    const alone = { task: { ...text.task, segments: [sourceText] }, blocks: [[0]] };
    const terms = await findTerms(alone, glossary, null, scope.signal);
    if (terms && !(await terms.check([hit.targetText])).passed) continue;
    if (style && (await forbids(style, hit.targetText, targetLang, scope))) continue;
    const target = clip(hit.targetText, most.units);
    issues.push({
      severity: 'major',
      category: 'terminology',
      span: null,
      explanation: `The translation memory has another translation of the sentence “${clip(sourceText, most.units)}”.`,
      suggestion: `Use “${target}”.`,
    });
  }
  return issues;
}

/** Returns a sentence without the mark at its end, which may differ in the middle of a text. */
function withoutStop(sentence: string): string {
  let end = sentence.length;
  while (end > 0 && /[\p{P}\s]/u.test(sentence[end - 1]!)) end--;
  return sentence.slice(0, end);
}

/** Checks a translation without a model. The stub engine returns the source text, so its translations are exempt. */
export function inspectTranslation(
  { engine, scope }: Pick<Run, 'engine' | 'scope'>,
  { blocks, task, placeholders }: SourceText,
  candidate: Translations,
): QualityIssue[] | Promise<QualityIssue[]> {
  return engine.live ? inspect({ blocks, task, candidate }, scope, placeholders) : [];
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

/** The points that each finding takes from a score that no model has given: one major finding is below the default threshold. */
const points = { minor: 3, major: 16, critical: 60 } as const satisfies Record<
  QualityIssue['severity'],
  number
>;

/** Returns the judgement of a model, or without one the judgement by the findings alone, with the findings of the service's own checks. */
export function withFindings<T extends Judgement>(
  { withoutJudge }: Pick<Engine, 'withoutJudge'>,
  judged: T,
  findings: readonly QualityIssue[],
): T {
  const style = findings.filter(({ category }) => category === 'style');
  const score = withoutJudge
    ? Math.max(
        0,
        findings.reduce((rest, { severity }) => rest - points[severity], judged.score),
      )
    : Math.min(judged.score, ...style.map(({ severity }) => highestScores[severity]));
  return { ...judged, score, issues: [...marked(findings), ...judged.issues] };
}
