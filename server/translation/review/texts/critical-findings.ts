import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { inspectText } from '#server/translation/core/inspect-text.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';

/** What the pipeline wrote, before any reviewer saved a draft; null if it wrote nothing. */
export function pipelineText(job: TranslationJob): string | null {
  return keptCandidate(job) ?? job.final_translation;
}

/** The same, if a reviewer's first draft has kept it. */
export function keptCandidate({ request }: TranslationJob): string | undefined {
  const kept = request.metadata['review_pipeline_candidate'];
  return typeof kept === 'string' ? kept : undefined;
}

/**
 * The critical findings that a text would be published with. For the pipeline's own text they are those of its last assessment, by the models
 * and by the service. Another text is checked again: a model's finding ends with the text that it was of.
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
