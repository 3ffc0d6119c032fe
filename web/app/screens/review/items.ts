import type { JobSummary, TranslationJob } from '#sdk/types.ts';

/** A job in the queue. */
export type Summary = JobSummary;

/** All reasons of the quality gate for a review. */
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
  /** `updated_at`: a review includes it, so that it does not overwrite another change. */
  version: string;
}

/** Code points of the service's excerpts; a shorter one is the whole text. */
const maxExcerptLength = 300;

/** The item of a summary, if the summary has the complete texts, so that it can be shown before its job is loaded. */
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

/** The state of an item that a reviewer decided on: its version, and its translation unless only an excerpt was shown. */
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

/** The machine translation, before any reviewer saved a draft. */
export function pipelineText({ request, final_translation }: TranslationJob): string {
  const kept = request.metadata?.['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : (final_translation ?? '');
}

/** Whether a job still awaits review. */
export function isReviewable({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'awaiting_review' || status === 'refined';
}

/** The last reviewer of a job and the action; undefined without a review. */
export function lastReview({
  agent_run,
}: TranslationJob): { actor: string; action: string | null } | undefined {
  const step = agent_run.steps.findLast(({ name }) => name === 'human_review');
  return step && { actor: step.actor, action: step.output_summary };
}
