import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type {
  Judgement,
  QualityIssue,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { marked } from './findings.ts';
import { type TermsInText, termIssues } from './leverage/terms.ts';
import type { SourceText } from './pipeline/source-text.ts';
import { inspect } from './threads/check-threads.ts';

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

/** Returns the service's own checks of the translations of a text, in the work of a tenant. */
export function inspectorOf({ blocks }: Pick<SourceText, 'blocks'>, scope: SlotScope): Inspect {
  return (task, candidate) => inspect({ blocks, task, candidate }, scope);
}

/** For the stub engine, which returns the source text: its translations are exempt from the checks. */
export const inspectNothing: Inspect = () => [];
