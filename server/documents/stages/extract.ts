import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Segment } from '#server/formats/document.ts';
import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { TextOutcome } from '#server/formats/text-tally.ts';
import type { Warning } from '#server/http/warnings.ts';
import { plainTypography } from '#server/matching/typography.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import { mismatchWarnings } from '#server/translation/intake/request-warnings.ts';
import { newestArtifact, readArtifact } from '../artifacts.ts';
import { type DocumentRun, updateRun } from '../document-run.ts';
import { keepTranslations } from '../earlier-document.ts';
import { extractFile } from '../file-work.ts';
import { demandsReview, languagesOf, requestOf } from '../jobs.ts';
import { selectKept } from '../kept-texts.ts';
import { findingView } from '../quality-report.ts';
import { doubtOf, minConfidence, recognizePages } from '../recognition.ts';
import type { DocumentQualityFinding } from '../schema.ts';
import { selectionOf } from '../selection-fields.ts';
import { progressed } from '../waiting.ts';

/** Verifies that the stored source file is intact. */
export async function ingestSource(run: DocumentRun): Promise<void> {
  await readSource(run);
  await run.services.database.inTenant(run.tenantId, (tx) =>
    updateRun(tx, run, { stage: 'extract', ...progressed }),
  );
}

/**
 * Reads the source file.
 * @throws AppError if the file is missing or damaged
 */
export async function readSource({ services, tenantId, documentId }: DocumentRun): Promise<Uint8Array> {
  const source = await services.database.inTenant(tenantId, (tx) =>
    newestArtifact(tx, tenantId, documentId, 'source'),
  );
  if (!source) throw new Error('the source file of the document is missing');
  return readArtifact(services, source);
}

/** Extracts the segments and stores them. */
export async function extractSegments(run: DocumentRun): Promise<void> {
  const { services, tenantId, documentId, row, signal } = run;
  const bytes = await readSource(run);
  const payload = {
    format: row.sourceFormat,
    bytes,
    selection: selectionOf(requestOf(row)),
    languages: languagesOf(row),
    kept: await selectKept(services, tenantId, documentId),
  };
  const extracted = await extractFile(services, payload, { tenantId, signal });
  const { segments, pageCount, findings, outcome } = extracted.imagePages
    ? await extractFile(
        services,
        { ...payload, recognition: await recognizePages(run, bytes, extracted.imagePages) },
        { tenantId, signal },
      )
    : extracted;
  const isDemanded = demandsReview(row);
  const rows: ReturnType<typeof rowOf>[] = [];
  const pause = pausing(20);
  for (const [position, segment] of segments.entries()) {
    rows.push(rowOf(segment, position, isDemanded));
    await pause();
  }
  const warnings = [...((row.warnings as Warning[] | null) ?? []), ...textWarnings(run, rows)];
  await services.database.inTenant(tenantId, async (tx) => {
    await updateRun(tx, run, {
      status: 'extracted',
      stage: 'admit',
      pageCount,
      extractFindings: [...findings.map(findingView), ...unaccounted(outcome)],
      textOutcome: outcome ?? null,
      warnings: warnings.length > 0 ? warnings : null,
      segments: rows.length,
      translatedSegments: 0,
      sourceChars: rows.reduce((sum, { source_text }) => sum + countCodePoints(source_text), 0),
      ...progressed,
    });
    for (let start = 0; start < rows.length; start += rowsOfStatement)
      await insertSegments(tx, run, rows.slice(start, start + rowsOfStatement));
    const { update_of: earlierId } = requestOf(row);
    if (earlierId !== undefined) await updateRun(tx, run, await keepTranslations(tx, run, earlierId));
  });
}

/** Returns a finding if the reader of the file has lost visible texts. The report must not pass over that. */
function unaccounted(outcome: TextOutcome | undefined): DocumentQualityFinding[] {
  if (!outcome || outcome.unaccounted === 0) return [];
  const message = `${outcome.unaccounted} visible characters of the source are neither translated nor reported as kept`;
  return [{ severity: 'error', code: 'unaccounted_text', message, unit_id: null }];
}

/** UTF-16 units that suffice to detect the language of a text. */
const sampleLength = 20_000;

/** Returns a warning if the text may not be in the stated language. */
function textWarnings({ row }: DocumentRun, rows: readonly { source_text: string }[]): Warning[] {
  const { source_lang, metadata } = requestOf(row);
  if (metadata['source_lang_detection'] !== undefined) return [];
  let text = '';
  for (const { source_text } of rows) {
    if (text.length > sampleLength) break;
    text += `${source_text}\n`;
  }
  return mismatchWarnings(text.slice(0, sampleLength), source_lang);
}

/** Number of rows in one INSERT: at most a few megabytes. */
const rowsOfStatement = 5000;

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

function rowOf(segment: Segment, position: number, isDemanded: boolean) {
  const { regionId, cellId, kind, page, place, rectangles, context, variant, source, words } = segment;
  const sourceKey = sourceKeyOf(segment);
  const issues = doubtOf(words);
  return {
    position,
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

function insertSegments(
  tx: Tx,
  { tenantId, documentId }: DocumentRun,
  rows: ReturnType<typeof rowOf>[],
): PromiseLike<unknown> {
  return tx.execute(sql`
    insert into document_segments
      (tenant_id, document_id, position, region_id, cell_id, kind, page, place, source_rectangles, context, variant,
        max_length, length_unit, source_key, source, source_text, words, issues, needs_review)
    select ${tenantId}, ${documentId}, r.position, r.region_id, r.cell_id, r.kind, r.page, r.place, r.rectangles,
      r.context, r.variant, r.max_length, r.length_unit, decode(r.source_key, 'hex'), r.source, r.source_text, r.words,
      r.issues, r.needs_review
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, region_id text, cell_id text, kind text,
      page int, place text, rectangles jsonb, context text, variant text, max_length int, length_unit text, source_key text, source jsonb, source_text text,
      words jsonb, issues jsonb, needs_review boolean)`);
}
