import { z } from 'zod';
import type { documentSegments } from '#db/schema/documents.ts';
import { type DocumentRow, groupRequestOf, requestOf, requireDocument } from '#server/documents/jobs.ts';
import { maxTargetLength } from '#server/documents/schema.ts';
import { AppError } from '#server/errors.ts';
import { type ChipProblem, chipProblems } from '#server/formats/chips.ts';
import { type FormatKind, type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import { reviewedContent } from '#server/formats/reviewed-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { qualityIssue } from '#server/translation/agent-run-schema.ts';
import { findingView, shownFindings } from '#server/translation/findings.ts';
import { leverageOf, prefetch } from '#server/translation/leverage/leverage.ts';
import { findTerms, termIssues } from '#server/translation/leverage/terms.ts';
import { prepareText } from '#server/translation/pipeline/prepared-text.ts';
import { readSourceText } from '#server/translation/pipeline/source-text.ts';
import { checkLength, limitOf, type TextLimit } from '#server/translation/request.ts';
import { inspectProposed } from '#server/translation/threads/check-threads.ts';
import { reviewedFindings } from './reviewed-findings.ts';
import { inlineContent, ofDocumentJob, position, selectSegments } from './segment-schema.ts';

export type CheckServices = Parameters<typeof leverageOf>[0];

/** A text that a reviewer proposes as the translation of a segment. */
interface ProposedText {
  sourceText: string;
  targetText: string;
  /** The texts with their tags; undefined if the reviewer gave no tags. */
  tagged?: { source: InlineContent; target: InlineContent };
  /** The maximum length of the translation; undefined without a limit. */
  limit?: TextLimit;
}

/** Returns the present translation of a segment. */
export function proposedOf({
  sourceText,
  targetText,
  source,
  target,
  maxLength,
  lengthUnit,
}: typeof documentSegments.$inferSelect): ProposedText {
  return {
    sourceText,
    targetText: targetText ?? '',
    tagged: { source: source as InlineContent, target: target as InlineContent },
    limit: limitOf(maxLength, lengthUnit),
  };
}

/**
 * Checks texts that a reviewer proposes for segments of a document, without a model: integrity, plausibility, style,
 * terms and length, as for machine translations, and tags. No transaction is open during the checks.
 * @returns the issues of each text, in the order of the texts
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function checkSegments(
  services: CheckServices,
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
    const { targetText, tagged, limit } = texts[index] as ProposedText;
    const leverage = await leverageOf(services, { tenantId }, request, found);
    const { terms } = await prepareText(request, leverage, signal);
    const compliance = await terms?.check([targetText]);
    issues.push([
      ...(tagged ? chipIssues(tagged.source, tagged.target) : []),
      ...(await inspectProposed(
        { request, text: targetText, style: leverage.style },
        { tenantId, signal },
        found.placeholders,
      )),
      ...(compliance && !compliance.passed ? termIssues(compliance, request.target_lang) : []),
      ...(limit ? (await checkLength(limit, targetText)).issues : []),
    ]);
  }
  return issues;
}

/**
 * Checks only the terms of the texts of segments.
 * @returns the issues of each text, in the order of the texts
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function checkTerms(
  services: CheckServices,
  row: DocumentRow,
  texts: readonly ProposedText[],
): Promise<QualityIssue[][]> {
  const request = { ...groupRequestOf(requestOf(row)), source_text: '' };
  const found = await services.database.inTenant(row.tenantId, (tx) => prefetch(tx, [request]));
  const { glossary } = await leverageOf(services, row, request, found);
  const issues: QualityIssue[][] = [];
  for (const { sourceText, targetText } of texts) {
    const text = readSourceText({ ...request, source_text: sourceText });
    const compliance = await (await findTerms(text, glossary, text.plain))?.check([targetText]);
    issues.push(compliance && !compliance.passed ? termIssues(compliance, request.target_lang) : []);
  }
  return issues;
}

export const segmentCheckInput = z.object({
  ...ofDocumentJob,
  position,
  text: z.string().max(maxTargetLength).describe('The translation to check.'),
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
  services: CheckServices,
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
    limit: limitOf(segment.max_length, segment.length_unit),
    ...(target && { tagged: { source, target } }),
  };
  const [issues = []] = await checkSegments(services, row, [proposed], signal);
  const stored = { issues: quality.issues, score: quality.score, needsReview: quality.needs_review };
  const { findings } = reviewedFindings(stored, issues, isEdited);
  return { issues: shownFindings(findings).map(findingView) };
}

const formatNames: Readonly<Record<FormatKind, string>> = {
  superscript: 'superscript',
  subscript: 'subscript',
  bold: 'bold',
  italic: 'italics',
  underline: 'underline',
  strike: 'strikethrough',
  other: 'formatting',
};

const explanations: Readonly<Record<ChipProblem['problem'], (name: string) => string>> = {
  missing: (name) => `The ${name} of the source is missing.`,
  overlaps: (name) => `The ${name} overlaps another tag.`,
  empty: (name) => `The ${name} has no text.`,
};

/**
 * Returns the issues of the tags in a reviewer's translation. Only missing content, such as a picture, is critical. A
 * translation may need no formatting, and the file keeps a missing link. The pairs of a PDF are styles.
 */
function chipIssues(source: InlineContent, target: InlineContent): QualityIssue[] {
  return chipProblems(source, target).map(({ tag, isPair, format, problem }) => {
    const written = isPair ? `<${tag}>…</${tag}>` : `<${tag}/>`;
    const name = format ? `tag ${written} (${formatNames[format]})` : `tag ${written}`;
    return {
      severity: problem !== 'missing' || format ? 'minor' : isPair ? 'major' : 'critical',
      category: format ? 'style' : 'accuracy',
      span: null,
      explanation: explanations[problem](name),
      suggestion: problem === 'missing' ? 'Insert it.' : 'Put it around its words.',
    };
  });
}
