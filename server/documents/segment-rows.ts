import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Segment } from '#server/formats/document.ts';
import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { plainTypography } from '#server/matching/typography.ts';
import { doubtOf, minConfidence } from './recognition.ts';

/* The rows of the segments of a document, and the keys by which equal segments are found. */

/**
 * Returns the text by which repetitions are found. A pair of formatting is not the same as a link, because a translation
 * may lack it.
 */
export function repeatedText(
  { source, variant }: Pick<Segment, 'source' | 'variant'>,
  tagged = formatTagged(source),
): string {
  const formats = source.flatMap((item) => (typeof item === 'string' || !item.format ? [] : [item.tag]));
  const text = formats.length === 0 ? tagged : `${tagged}\n${formats.join(' ')}`;
  return variant === undefined ? text : `${text}\0${variant}`;
}

/** White space that texts in other typography have equally often: at the ends of a text, line breaks, and several spaces. */
const keptSpace = /(^\s|\s$|\n|\s{2,})/;

/** Returns `repeatedText` with plain typography: texts that differ in typography only have the same. */
export function repeatedTypography(segment: Pick<Segment, 'source' | 'variant'>, sourceLang: string): string {
  const pieces = formatTagged(segment.source).split(keptSpace);
  const plain = pieces.map((piece, at) => (at % 2 === 1 ? piece : plainTypography(piece, sourceLang)));
  return repeatedText(segment, plain.join(''));
}

/** Returns the key by which equal segments are found. */
export function sourceKeyOf(
  segment: Pick<Segment, 'source' | 'variant'>,
  repeated = repeatedText(segment),
): string {
  return createHash('sha256').update(repeated).digest('hex');
}

export function rowOf(segment: Segment, position: number, isDemanded: boolean, rank?: number) {
  const { regionId, cellId, kind, page, place, rectangles, context, variant, source, words } = segment;
  const sourceKey = sourceKeyOf(segment);
  const issues = doubtOf(words);
  return {
    position,
    rank,
    region_id: regionId,
    cell_id: cellId,
    kind,
    page,
    place,
    rectangles,
    context,
    variant,
    max_length: segment.maxLength,
    length_unit: segment.lengthUnit,
    source_key: sourceKey,
    source,
    source_text: plainText(source),
    words: words?.map((word) => ({ ...word, uncertain: word.confidence < minConfidence })),
    issues,
    needs_review: isDemanded || issues.length > 0,
  };
}

export function insertSegments(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  rows: ReturnType<typeof rowOf>[],
): PromiseLike<unknown> {
  return tx.execute(sql`
    insert into document_segments
      (tenant_id, document_id, position, rank, region_id, cell_id, kind, page, place, source_rectangles, context, variant,
        max_length, length_unit, source_key, source, source_text, words, issues, needs_review)
    select ${tenantId}, ${documentId}, r.position, r.rank, r.region_id, r.cell_id, r.kind, r.page, r.place, r.rectangles,
      r.context, r.variant, r.max_length, r.length_unit, decode(r.source_key, 'hex'), r.source, r.source_text, r.words,
      r.issues, r.needs_review
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, rank float8, region_id text, cell_id text, kind text,
      page int, place text, rectangles jsonb, context text, variant text, max_length int, length_unit text, source_key text, source jsonb, source_text text,
      words jsonb, issues jsonb, needs_review boolean)`);
}
