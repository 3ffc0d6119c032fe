import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { inspectProposed } from '#server/translation/core/threads/check-threads.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';

/** Returns the machine translation as it was before any reviewer saved a draft; null if none exists. */
export function pipelineText(job: TranslationJob): string | null {
  return keptCandidate(job) ?? job.final_translation;
}

/** Returns the machine translation that was kept when a reviewer saved the first draft; undefined without a draft. */
export function keptCandidate({ request }: TranslationJob): string | undefined {
  const kept = request.metadata['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : undefined;
}

/**
 * Returns the critical issues of the text to be published. For the machine translation, these are the issues of its
 * last assessment, by the models and by the service's own checks. Any other text is checked now, because a model's
 * issues apply only to the text that the model assessed.
 */
export async function criticalFindings(
  tenantId: string,
  job: TranslationJob,
  text: string,
): Promise<QualityIssue[]> {
  const judged = job.verification && text === pipelineText(job);
  const issues = judged
    ? [...(job.refinement?.issues ?? []), ...(job.verification?.issues ?? [])]
    : await inspectProposed({ request: job.request, text, style: null }, { tenantId });
  const critical = issues.filter(({ severity }) => severity === 'critical');
  return [...new Map(critical.map((issue) => [JSON.stringify(issue), issue])).values()];
}
