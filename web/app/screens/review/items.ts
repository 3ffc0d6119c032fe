import type { JobSummary, TranslationJob } from '#sdk/types.ts';

/** A job in the queue. */
export type Summary = JobSummary;

/** All codes of the quality gate's reasons for a review. */
export const triggerCodes = [
  'policy_required',
  'low_quality_score',
  'critical_issue',
  'terminology_uncertainty',
  'terminology_noncompliant',
  'sensitive_content',
  'high_repair_delta',
  'verification_failed',
  'risk_flag',
] as const satisfies readonly Summary['triggers'][number][];

export type TriggerCode = (typeof triggerCodes)[number];

/** The fields of a job in the editor. */
export interface Item {
  id: string;
  source: string;
  sourceLang: string;
  /** The stored translation: the machine translation, or a reviewer's saved draft. */
  target: string;
  targetLang: string;
  isHtml: boolean;
  /** The job's `updated_at`. A review includes the version, so that it does not overwrite a later change. */
  version: string;
}

/** Maximum length of the excerpts in a summary, in code points. A shorter excerpt is the complete text. */
const maxExcerptLength = 300;

/**
 * Returns the review item of a summary with complete texts; it is shown before the job is loaded. Undefined for other
 * summaries.
 */
export function itemOfSummary(summary: Summary): Item | undefined {
  const { source_excerpt: source, translation_excerpt: target } = summary;
  if (target === null || !isWhole(source) || !isWhole(target)) return undefined;
  return {
    id: summary.id,
    source,
    sourceLang: summary.source_lang,
    target,
    targetLang: summary.target_lang,
    isHtml: summary.text_type === 'Html',
    version: summary.updated_at,
  };
}

/** The item as the reviewer saw it when deciding: its version, and its translation unless only an excerpt was shown. */
export type Seen = Pick<Item, 'id' | 'version'> & Partial<Pick<Item, 'target'>>;

/** Whether an item has a later version than another one. */
export function isNewer(item: Pick<Item, 'version'>, than: Pick<Item, 'version'>): boolean {
  return Date.parse(item.version) > Date.parse(than.version);
}

function isWhole(excerpt: string): boolean {
  return [...excerpt].length < maxExcerptLength;
}

export function itemOfJob({ id, request, final_translation, updated_at }: TranslationJob): Item {
  return {
    id,
    source: request.source_text,
    sourceLang: request.source_lang,
    target: final_translation ?? '',
    targetLang: request.target_lang,
    isHtml: request.text_type === 'Html',
    version: updated_at,
  };
}

/** The machine translation of a job, even if a reviewer has saved a draft since. */
export function pipelineText({ request, final_translation }: TranslationJob): string {
  const kept = request.metadata?.['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : (final_translation ?? '');
}

/** Whether a job still awaits review. */
export function isReviewable({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'awaiting_review' || status === 'refined';
}

/** Returns who reviewed the job last, and with which action; undefined if no one did. */
export function lastReview({
  agent_run,
}: TranslationJob): { actor: string; action: string | null } | undefined {
  const step = agent_run.steps.findLast(({ name }) => name === 'human_review');
  return step && { actor: step.actor, action: step.output_summary };
}
