import { and, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import {
  type DocumentRow,
  isApproved,
  requestOf,
  requireDocument,
  translatedNameOf,
} from '#server/documents/jobs.ts';
import { documentReviewInput } from '#server/documents/schema.ts';
import { readSegmentCursor, segmentQuery } from '#server/documents/segment-list.ts';
import { isAtOneOf, ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { formatTagged, type InlineContent, plainText } from '#server/formats/inline-content.ts';
import {
  contentOfTags,
  tagsOfContent,
  type XliffContent,
  type XliffState,
} from '#server/formats/xliff/content.ts';
import type { ReadUnit, XliffFile } from '#server/formats/xliff/reader.ts';
import {
  type XliffHead,
  xliffFileTail,
  xliffHead,
  xliffTail,
  xliffUnit,
} from '#server/formats/xliff/writer.ts';
import { cutPieces, type ExportRequest } from '#server/http/exports.ts';
import type { Page } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { type Finding, shownFindings } from '#server/translation/findings.ts';
import { rawBody, type StreamResponse } from '#server/trpc.ts';
import {
  readXliffBody,
  requireLanguages,
  requireVersion,
  startFile,
  streamXliff,
  textVersion,
  unitError,
} from '../exchange.ts';
import { type ReviewOfSegments, reviewDocument } from './correct.ts';
import { requireTranslated } from './document.ts';

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
): Promise<Page<StreamResponse>> {
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
  const isPage = limit !== undefined;
  const file = await streamXliff(services, tenantId, request, async (read) => {
    const readAfter = (position: number) =>
      read((tx) => selectChunk(tx, tenantId, wanted, position, segmentsOfChunk));
    return {
      fileName: `${translatedNameOf(document)}.xlf`,
      pieces: writeSegments(document, first, isPage || found.length <= size ? undefined : readAfter),
    };
  });
  return { content: file, nextCursor: isPage && found.length > size ? String(last.position) : null };
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
  const languages = xliffLanguages(document);
  yield xliffHead(languages) +
    startFile(languages, { id: document.documentId, original: document.sourceFileName });
  let segments = first;
  while (segments.length > 0) {
    yield* cutPieces(segments.map((segment) => unitOf(segment, document)));
    segments = (await readAfter?.((segments.at(-1) as SegmentRow).position)) ?? [];
  }
  yield xliffFileTail + xliffTail;
}

function xliffLanguages(document: DocumentRow): XliffHead {
  const { source_lang: sourceLang, target_lang: targetLang } = requestOf(document);
  return { sourceLang, targetLang };
}

function unitOf(segment: SegmentRow, document: DocumentRow): string {
  const target = segment.target as InlineContent | null;
  return xliffUnit({
    id: unitIdOf(segment),
    name: segment.place,
    version: versionOf(target),
    state: stateOf(segment, document),
    ...(target && segment.needsReview && { subState: 'needs_review' }),
    notes: shownFindings(segment.issues as Finding[]).map(
      ({ severity, explanation }) => `${severity}: ${explanation}`,
    ),
    source: contentOfTags(segment.source as InlineContent),
    target: target && contentOfTags(target),
  });
}

/** The unit ID is the position: region and cell IDs may have characters that XML IDs cannot have. */
function unitIdOf({ position }: Pick<SegmentRow, 'position'>): string {
  return `s${position}`;
}

/** Returns the version of a segment's text. It is computed from the text, because a segment has no time of change. */
function versionOf(target: InlineContent | null): string {
  return textVersion(target && formatTagged(target));
}

function stateOf({ target, corrected, needsReview }: SegmentRow, row: DocumentRow): XliffState {
  if (target === null) return 'initial';
  if (isApproved(row) && !needsReview) return 'final';
  return corrected ? 'reviewed' : 'translated';
}

/** A review as XLIFF: the body is the XLIFF document, and the query contains the other fields. */
export const xliffSegmentReviewInput = z.object({
  document_id: documentReviewInput.shape.document_id,
  body: rawBody,
  notes: documentReviewInput.shape.notes,
  reviewer: documentReviewInput.shape.reviewer,
});

type Correction = ReviewOfSegments['corrections'][number];

/**
 * The same limit as for a review in JSON. While corrections are stored, the document is locked; while they are added to
 * the TM, the tenant's TM is locked.
 */
const maxCorrections = 1000;

const { target_text: targetText } = documentReviewInput.shape.corrections.element.shape;

/**
 * Applies an XLIFF document that `exportSegments` wrote and a reviewer has changed. Units without changes or without a
 * translation change nothing, except that the state `reviewed` or `final` accepts the findings of a flagged segment that
 * are not critical. All other units are corrections; either all of them are applied or none.
 * @throws AppError 400 if the body is not XLIFF; 404; 409 conflict if a changed unit's translation has changed since
 *   the export; 422 if the file is for another document, a source has changed, tags are missing, or more than 1,000
 *   units are changed; and like `reviewDocument`
 */
export async function reviewSegmentsByXliff(
  services: Parameters<typeof reviewDocument>[0],
  withTenant: WithTenant,
  origin: Origin,
  { document_id: documentId, body, ...review }: z.infer<typeof xliffSegmentReviewInput>,
  signal: AbortSignal,
): Promise<{ tenantId: string }> {
  const { tenantId, languages } = await withTenant(async (tx, { tenant }) => {
    const document = await requireTranslated(tx, tenant.id, documentId);
    return { tenantId: tenant.id, languages: xliffLanguages(document) };
  });
  const file = await readXliffBody(services, { tenantId, signal }, body, documentId);
  requireLanguages(file, languages);
  const corrections = await services.database.inTenant(tenantId, (tx) =>
    correctionsOf(tx, tenantId, documentId, file),
  );
  if (corrections.length === 0) return { tenantId };
  if (corrections.length > maxCorrections)
    throw new AppError(
      'unprocessable',
      `the file changes ${corrections.length} segments, but a review may change at most ${maxCorrections}; nothing was corrected; export the segments in pages, and send each page`,
    );
  return reviewDocument(services, withTenant, origin, documentId, { ...review, corrections });
}

async function correctionsOf(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { units }: XliffFile,
): Promise<Correction[]> {
  const positions = units.map(positionOf);
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)}`);
  const byId = new Map(rows.map((row) => [unitIdOf(row), row]));
  return units.flatMap((unit) => {
    const row = byId.get(unit.id);
    if (!row) throw unknownUnit(unit);
    return correctionOf(unit, row) ?? [];
  });
}

function positionOf(unit: ReadUnit): number {
  const [, digits] = /^s(0|[1-9]\d{0,8})$/.exec(unit.id) ?? [];
  if (digits === undefined) throw unknownUnit(unit);
  return Number(digits);
}

function unknownUnit(unit: ReadUnit): AppError {
  return unitError('unprocessable', unit, 'segment not found');
}

/** Returns the correction of a unit; undefined if the unit changes nothing. */
function correctionOf(unit: ReadUnit, row: SegmentRow): Correction | undefined {
  const source = row.source as InlineContent;
  const present = row.target as InlineContent | null;
  if (unit.target === null) return undefined;
  const version = requireVersion(unit, {
    ofUnit: withTags(unit.source),
    present: withTags(contentOfTags(source)),
  });
  const read = tagsOfContent(unit.target, source);
  if ('wrong' in read) throw unitError('unprocessable', unit, `its target cannot be set: ${read.wrong}`);
  const { target, tagged } = read;
  const text = plainText(target);
  const { error } = targetText.safeParse(text);
  if (error) throw unitError('unprocessable', unit, `its target: ${error.issues[0]?.message}`);
  const isPresent =
    present !== null && (tagged ? formatTagged(target) === formatTagged(present) : text === row.targetText);
  const accepts = row.needsReview && (unit.state === 'reviewed' || unit.state === 'final');
  const isStale = version !== versionOf(present);
  // A unit of an old version without changes is ignored.
  if (isPresent ? isStale || !accepts : version === versionOf(target)) return undefined;
  if (isStale)
    throw unitError(
      'conflict',
      unit,
      'its translation has changed since the export, so nothing was corrected; export it again, then repeat the change',
    );
  return {
    region_id: row.regionId,
    cell_id: row.cellId,
    target_text: text,
    replaces: row.targetText,
    replacesTagged: present,
    isMarkedFinal: isPresent,
    ...(tagged && { target }),
  };
}

/** Returns a source with its tags identified by their IDs, because a tool may have dropped the data of the tags. */
function withTags(content: XliffContent): string {
  return content.map((item) => (typeof item === 'string' ? item : `<${item.type} ${item.id}>`)).join('');
}
