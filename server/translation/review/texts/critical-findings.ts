import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { inspectText } from '#server/translation/core/inspect-text.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';

/** The machine translation, before any reviewer saved a draft; null without one. */
export function pipelineText(job: TranslationJob): string | null {
  return keptCandidate(job) ?? job.final_translation;
}

/** The same, as kept by a reviewer's first draft. */
export function keptCandidate({ request }: TranslationJob): string | undefined {
  const kept = request.metadata['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : undefined;
}

/**
 * The critical issues of the text to be published. For the machine translation they come from its last assessment, by the
 * models and the service. Another text is checked again, because a model's issues apply only to the text that it assessed.
 */
export async function criticalFindings(
  tenantId: string,
  job: TranslationJob,
  text: string,
): Promise<QualityIssue[]> {
  const judged = job.verification && text === pipelineText(job);
  const issues = judged
    ? [...(job.refinement?.issues ?? []), ...(job.verification?.issues ?? [])]
    : await inspectText(job.request, text, { tenantId });
  const critical = issues.filter(({ severity }) => severity === 'critical');
  return [...new Map(critical.map((issue) => [JSON.stringify(issue), issue])).values()];
}
