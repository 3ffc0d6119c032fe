import type { InlineContent } from '#server/formats/inline-content.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { leverageOf, prefetch } from '#server/translation/core/leverage/leverage.ts';
import { termIssues } from '#server/translation/core/leverage/terms.ts';
import { prepareText } from '#server/translation/core/pipeline/prepared-text.ts';
import { inspectProposed } from '#server/translation/core/threads/check-threads.ts';
import { type DocumentRow, groupRequestOf, requestOf } from '#server/translation/documents/jobs.ts';
import { chipIssues } from './chip-issues.ts';

/** A text that a reviewer proposes as the translation of a segment. */
export interface ProposedText {
  sourceText: string;
  targetText: string;
  /** The texts with their tags; undefined if the reviewer gave no tags. */
  tagged?: { source: InlineContent; target: InlineContent };
}

/**
 * Checks texts that a reviewer proposes for segments of a document, without a model: integrity, plausibility, style and
 * terms, as for machine translations, and tags. No transaction is open during the checks.
 * @returns the issues of each text, in the order of the texts
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function checkSegments(
  services: Parameters<typeof leverageOf>[0],
  row: DocumentRow,
  texts: readonly ProposedText[],
  signal?: AbortSignal,
): Promise<QualityIssue[][]> {
  const { tenantId } = row;
  const requests = texts.map(({ sourceText }) => ({
    ...groupRequestOf(requestOf(row)),
    source_text: sourceText,
  }));
  const found = await services.database.inTenant(tenantId, (tx) => prefetch(tx, requests));
  const issues: QualityIssue[][] = [];
  for (const [index, request] of requests.entries()) {
    const { targetText, tagged } = texts[index] as ProposedText;
    const leverage = await leverageOf(services, tenantId, request, found);
    const { terms } = await prepareText(request, leverage, signal);
    const compliance = await terms?.check([targetText]);
    issues.push([
      ...(tagged ? chipIssues(tagged.source, tagged.target) : []),
      ...(await inspectProposed({ request, text: targetText, style: leverage.style }, { tenantId, signal })),
      ...(compliance && !compliance.passed ? termIssues(compliance) : []),
    ]);
  }
  return issues;
}
