import type { InlineContent } from '#server/formats/inline-content.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { type Checked, type Finding, hasUnmarked } from '#server/translation/core/findings.ts';
import { leverageOf, prefetch } from '#server/translation/core/leverage/leverage.ts';
import { findTerms, termIssues } from '#server/translation/core/leverage/terms.ts';
import { prepareText } from '#server/translation/core/pipeline/prepared-text.ts';
import { readSourceText } from '#server/translation/core/pipeline/source-text.ts';
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
    const leverage = await leverageOf(services, { tenantId }, request, found);
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

/**
 * Checks only the terms of the texts of segments.
 * @returns the issues of each text, in the order of the texts
 * @throws AppError rate_limit if too many long texts are queued for the check
 */
export async function checkTerms(
  services: Parameters<typeof leverageOf>[0],
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
    issues.push(compliance && !compliance.passed ? termIssues(compliance) : []);
  }
  return issues;
}

/** A text that a reviewer gives a segment, and the segment's present quality and translation. */
export interface ProposedChange extends ProposedText {
  present: { issues: unknown[]; targetText: string | null; target: unknown; source: unknown };
}

/**
 * Checks texts like `checkSegments`. If an earlier version of the service stored the findings of a segment, its present
 * translation is checked too, to tell which of them a check had found.
 */
export async function checkChanges(
  services: Parameters<typeof leverageOf>[0],
  row: DocumentRow,
  changes: readonly ProposedChange[],
  signal?: AbortSignal,
): Promise<Checked[]> {
  const unmarked = changes.flatMap(({ sourceText, tagged, present }, index) =>
    present.targetText !== null && hasUnmarked(present.issues as Finding[])
      ? [{ index, sourceText, targetText: present.targetText, ...(tagged && taggedOf(present)) }]
      : [],
  );
  const found = await checkSegments(services, row, [...changes, ...unmarked], signal);
  const before = new Map(unmarked.map(({ index }, at) => [index, found[changes.length + at]]));
  return changes.map((_, index) => ({ issues: found[index] ?? [], before: before.get(index) }));
}

function taggedOf({ source, target }: ProposedChange['present']): Pick<ProposedText, 'tagged'> {
  return { tagged: { source: source as InlineContent, target: target as InlineContent } };
}
