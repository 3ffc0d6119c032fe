import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { Judgement, QualityIssue, Translations } from '#server/platform/engines/engine.ts';
import { marked } from './findings.ts';
import { termIssues } from './leverage/terms.ts';
import type { PreparedText } from './pipeline/prepared-text.ts';
import type { Run } from './pipeline/run.ts';
import type { SourceText } from './pipeline/source-text.ts';
import { inspect } from './threads/check-threads.ts';

/**
 * Returns the issues that the service's own checks find in a translation: first the issues that `inspectTranslation`
 * finds, then the missing glossary terms. `compliance` is null without a glossary for the language pair.
 */
export async function checkTranslation(
  run: Pick<Run, 'engine' | 'scope'>,
  { text, terms }: PreparedText,
  candidate: Translations,
): Promise<{ findings: QualityIssue[]; compliance: TermCompliance | null }> {
  const compliance = terms && (await terms.check(candidate));
  const findings = await inspectTranslation(run, text, candidate);
  return { findings: compliance ? [...findings, ...termIssues(compliance)] : findings, compliance };
}

/** Checks a translation without a model. The stub engine returns the source text, so its translations are exempt. */
export function inspectTranslation(
  { engine, scope }: Pick<Run, 'engine' | 'scope'>,
  { blocks, task }: SourceText,
  candidate: Translations,
): QualityIssue[] | Promise<QualityIssue[]> {
  return engine.live ? inspect({ blocks, task, candidate }, scope) : [];
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
