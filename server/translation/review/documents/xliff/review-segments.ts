import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { formatTagged, type InlineContent, plainText } from '#server/formats/inline-content.ts';
import { contentOfTags, tagsOfContent, type XliffContent } from '#server/formats/xliff/content.ts';
import type { ReadUnit, XliffFile } from '#server/formats/xliff/reader.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requestOf } from '#server/translation/documents/jobs.ts';
import { documentReviewInput } from '#server/translation/documents/schema.ts';
import { ofDocument } from '#server/translation/documents/segments.ts';
import { rawBody } from '#server/trpc.ts';
import { readXliffBody, requireLanguages, requireVersion, unitError } from '../../xliff-exchange.ts';
import { type ReviewOfSegments, reviewDocument } from '../correct.ts';
import { requireTranslated } from '../document.ts';
import { unitIdOf, versionOf } from './export-segments.ts';

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
 * are not critical. All other units
 * are corrections; either all of them are applied or none.
 * @throws AppError 400 if the body is not XLIFF; 404; 409 conflict if a changed unit's translation has changed since
 *   the export; 422 if the file is for another document, a source has changed, tags are missing, or more than 1,000
 *   units are changed; and like `reviewDocument`
 */
export async function reviewSegmentsByXliff(
  services: Parameters<typeof reviewDocument>[0],
  withTenant: WithTenant,
  { document_id: documentId, body, ...review }: z.infer<typeof xliffSegmentReviewInput>,
  signal: AbortSignal,
): Promise<{ tenantId: string }> {
  const { tenantId, languages } = await withTenant(async (tx, { tenant }) => {
    const document = await requireTranslated(tx, tenant.id, documentId);
    const { source_lang: sourceLang, target_lang: targetLang } = requestOf(document);
    return { tenantId: tenant.id, languages: { sourceLang, targetLang } };
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
  return reviewDocument(services, withTenant, documentId, { ...review, corrections });
}

type SegmentRow = typeof documentSegments.$inferSelect;

async function correctionsOf(
  tx: Tx,
  tenantId: string,
  documentId: string,
  { units }: XliffFile,
): Promise<Correction[]> {
  const positions = units.map((unit) => positionOf(unit));
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int))`,
    );
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
