import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { isSameContent } from '#server/formats/inline-content.ts';
import { reviewedContent } from '#server/formats/reviewed-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { qualityIssue } from '#server/translation/core/agent-run-schema.ts';
import { findingView } from '#server/translation/core/findings.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import { checkChanges } from './check-segments.ts';
import { inlineContent, selectSegments } from './positioned-segment.ts';
import { reviewedFindings } from './reviewed-findings.ts';

export const segmentCheckInput = z.object({
  document_id: z.string().describe('The ID of the document job.'),
  position: z.int().min(0).max(1_000_000).describe('The position of the segment in the document, from 0.'),
  text: z.string().max(50_000).describe('The translation to check.'),
  content: inlineContent.optional().describe('The translation with its tags, which are then checked, too.'),
});

export const segmentCheck = z.object({
  issues: z.array(qualityIssue).describe('The issues that were found; may be empty.'),
});

/**
 * Returns the findings that a segment would have with a text that a reviewer proposes. Stores nothing.
 * @throws AppError 404 for an unknown document or segment; rate_limit if too many long texts are queued for the check
 */
export async function checkSegmentText(
  services: Parameters<typeof checkChanges>[0],
  withTenant: WithTenant,
  { document_id: documentId, position, text, content }: z.infer<typeof segmentCheckInput>,
  signal: AbortSignal,
): Promise<z.infer<typeof segmentCheck>> {
  const { row, segment } = await withTenant(async (tx, { tenant }) => {
    const row = await requireDocument(tx, tenant.id, documentId);
    const [segment] = await selectSegments(tx, tenant.id, documentId, [position]);
    if (!segment) throw new AppError('not_found', 'segment not found');
    return { row, segment };
  });
  const { source_text: sourceText, source_content: source } = segment;
  const target = source && content && reviewedContent(content, source);
  const { quality, target_text: targetText, target_content: present } = segment;
  const isEdited = target ? !isSameContent(target, present) : text !== targetText;
  const proposed = {
    sourceText,
    targetText: text,
    ...(target && { tagged: { source, target } }),
    present: { issues: quality.issues, targetText, target: present, source },
  };
  const [checked = { issues: [] }] = await checkChanges(services, row, [proposed], signal);
  const stored = { issues: quality.issues, score: quality.score, needsReview: quality.needs_review };
  return { issues: reviewedFindings(stored, checked, isEdited).findings.map(findingView) };
}
