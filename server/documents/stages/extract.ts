import { countCodePoints } from '#server/formats/text.ts';
import type { TextOutcome } from '#server/formats/text-tally.ts';
import type { Warning } from '#server/http/warnings.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import { mismatchWarnings } from '#server/translation/intake/request-warnings.ts';
import { readSource } from '../artifacts.ts';
import { type DocumentRun, updateRun } from '../document-run.ts';
import { keepTranslations } from '../earlier-document.ts';
import { extractFile } from '../file-work.ts';
import { demandsReview, languagesOf, requestOf } from '../jobs.ts';
import { selectKept } from '../kept-texts.ts';
import { findingView } from '../quality-report.ts';
import { recognizePages } from '../recognition.ts';
import type { DocumentQualityFinding } from '../schema.ts';
import { insertSegments, rowOf } from '../segment-rows.ts';
import { selectionOf } from '../selection-fields.ts';
import { progressed } from '../waiting.ts';

/** Verifies that the stored source file is intact. */
export async function ingestSource(run: DocumentRun): Promise<void> {
  await readSource(run);
  await run.services.database.inTenant(run.tenantId, (tx) =>
    updateRun(tx, run, { stage: 'extract', ...progressed }),
  );
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
