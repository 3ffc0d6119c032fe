import { and, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { formatTagged, type InlineContent } from '#server/formats/inline-content.ts';
import { contentOfTags, type XliffState } from '#server/formats/xliff/content.ts';
import {
  type XliffHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffType,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { beginExport, cutPieces, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import {
  type DocumentRow,
  requestOf,
  requireDocument,
  translatedNameOf,
} from '#server/translation/documents/jobs.ts';
import { ofDocument, readSegmentCursor, segmentQuery } from '#server/translation/documents/segments.ts';
import type { StreamResponse } from '#server/trpc.ts';
import { startFile, textVersion } from '../../xliff-exchange.ts';

/** The query of the list of segments, for XLIFF. Without a limit, it selects all segments. */
export const xliffSegmentQuery = segmentQuery.extend({
  limit: z
    .int()
    .min(1)
    .max(500)
    .optional()
    .describe('The maximum number of segments in the file: 1 to 500. Default: all segments.'),
});

/** Maximum number of segments in memory at a time. */
const segmentsOfChunk = 500;

type SegmentRow = typeof documentSegments.$inferSelect;

/**
 * Writes a document's segments as one XLIFF document with one `<file>`, in reading order.
 * @returns the XLIFF document as a stream, and the cursor of the next page; the cursor is null without a limit
 * @throws AppError 404 for an unknown document, or if no segment matches; 422 for a cursor of another listing
 */
export async function exportSegments(
  services: Pick<Services, 'database' | 'log'>,
  withTenant: WithTenant,
  { document_id: documentId, limit, cursor, flagged }: z.infer<typeof xliffSegmentQuery>,
  request: ExportRequest,
): Promise<{ file: StreamResponse; nextCursor: string | null }> {
  const after = readSegmentCursor(cursor);
  const wanted = { documentId, flagged };
  const size = limit ?? segmentsOfChunk;
  const { tenantId, document, found } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    document: await requireDocument(tx, tenant.id, documentId),
    found: await selectChunk(tx, tenant.id, wanted, after, size + 1),
  }));
  const first = found.slice(0, size);
  const last = first.at(-1);
  if (!last)
    throw new AppError(
      'not_found',
      flagged ? 'no segment needs a review' : 'the document has no segments yet',
    );
  const slot = await beginExport({ tenantId, signal: request.signal });
  const readAfter = (position: number) =>
    makePage({ tenantId, signal: request.signal }, () =>
      services.database.inTenant(tenantId, (tx) =>
        selectChunk(tx, tenantId, wanted, position, segmentsOfChunk),
      ),
    );
  const isPage = limit !== undefined;
  const file: StreamResponse = {
    chunks: guardExport(
      services.log,
      request,
      slot,
      writeSegments(document, first, isPage || found.length <= size ? undefined : readAfter),
    ),
    contentType: xliffType,
    fileName: `${translatedNameOf(document)}.xlf`,
    cut: slot.cut,
    end: slot.end,
  };
  return { file, nextCursor: isPage && found.length > size ? String(last.position) : null };
}

function selectChunk(
  tx: Tx,
  tenantId: string,
  { documentId, flagged }: { documentId: string; flagged: boolean | undefined },
  after: number | undefined,
  limit: number,
): Promise<SegmentRow[]> {
  return tx
    .select()
    .from(documentSegments)
    .where(
      and(
        ofDocument(tenantId, documentId),
        flagged ? sql`${documentSegments.needsReview}` : undefined,
        after === undefined ? undefined : gt(documentSegments.position, after),
      ),
    )
    .orderBy(documentSegments.position)
    .limit(limit);
}

/** @param readAfter reads the segments after a position; undefined if there are no segments after the first ones */
async function* writeSegments(
  document: DocumentRow,
  first: SegmentRow[],
  readAfter: ((position: number) => Promise<SegmentRow[]>) | undefined,
): AsyncGenerator<string, void> {
  const { source_lang: sourceLang, target_lang: targetLang } = requestOf(document);
  const languages: XliffHead = { sourceLang, targetLang };
  yield xliffHead(languages) +
    startFile(languages, { id: document.documentId, original: document.sourceFileName });
  let segments = first;
  while (segments.length > 0) {
    yield* cutPieces(segments.map((segment) => unitOf(segment, document)));
    segments = (await readAfter?.((segments.at(-1) as SegmentRow).position)) ?? [];
  }
  yield xliffFileTail + xliffTail;
}

function unitOf(segment: SegmentRow, document: DocumentRow): string {
  const target = segment.target as InlineContent | null;
  return xliffUnit({
    id: unitIdOf(segment),
    name: segment.place,
    version: versionOf(target),
    state: stateOf(segment, document),
    ...(target && segment.needsReview && { subState: 'needs_review' }),
    notes: (segment.issues as QualityIssue[]).map(
      ({ severity, explanation }) => `${severity}: ${explanation}`,
    ),
    source: contentOfTags(segment.source as InlineContent),
    target: target && contentOfTags(target),
  });
}

/** The unit ID is the position: region and cell IDs may have characters that XML IDs cannot have. */
export function unitIdOf({ position }: Pick<SegmentRow, 'position'>): string {
  return `s${position}`;
}

/** Returns the version of a segment's text. It is computed from the text, because a segment has no time of change. */
export function versionOf(target: InlineContent | null): string {
  return textVersion(target && formatTagged(target));
}

function stateOf({ target, corrected, needsReview }: SegmentRow, { approvedAt }: DocumentRow): XliffState {
  if (target === null) return 'initial';
  if (approvedAt !== null && !needsReview) return 'final';
  return corrected ? 'reviewed' : 'translated';
}
