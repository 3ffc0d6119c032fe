import type { Mend, PageTemplate, Recognition } from '#server/formats/document.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { TextOutcome } from '#server/formats/text-tally.ts';
import type { Warning } from '#server/http/warnings.ts';
import { pausing } from '#server/platform/threads/slices.ts';
import { mismatchWarnings } from '#server/translation/intake/request-warnings.ts';
import { readSource } from '../artifacts.ts';
import { type DocumentRun, updateRun } from '../document-run.ts';
import { keepTranslations } from '../earlier-document.ts';
import { extractFile } from '../file-work.ts';
import { demandsReview, languagesOf, requestOf, selectDocument } from '../jobs.ts';
import { selectKept } from '../kept-texts.ts';
import { callTool, keepTexts, selectMends, storeFound } from '../mends.ts';
import { countUses, selectTemplates } from '../page-templates.ts';
import { findingView } from '../quality-report.ts';
import { recognizePages, selectRecognition } from '../recognition.ts';
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
  const recognition = extracted.imagePages && (await recognizePages(run, bytes, extracted.imagePages));
  const read = recognition
    ? await extractFile(services, { ...payload, recognition }, { tenantId, signal })
    : extracted;
  const earlier = await mendsOfEarlier(run, bytes, recognition);
  const fixed =
    earlier.length > 0 ? { mends: earlier, kept: [], templates: [] } : await fromTemplates(run, recognition);
  const { mends } = fixed;
  const { segments, pageCount, findings, outcome } =
    mends.length > 0
      ? await extractFile(services, { ...payload, recognition, mends }, { tenantId, signal })
      : read;
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
    if (mends.length > 0) await storeFound(tx, run.row, { mends, before: read.segments, after: segments });
    await keepTexts(tx, run, fixed.kept);
    await countUses(tx, run, fixed.templates);
    const { update_of: earlierId } = requestOf(row);
    if (earlierId !== undefined) await updateRun(tx, run, await keepTranslations(tx, run, earlierId));
  });
}

/** Returns the mends of the earlier document, as they are in a new version of its file. */
async function mendsOfEarlier(
  { services, tenantId, row }: DocumentRun,
  bytes: Uint8Array,
  recognition: Recognition | undefined,
): Promise<Mend[]> {
  const { update_of: documentId } = requestOf(row);
  if (documentId === undefined || row.sourceFormat !== 'pdf') return [];
  const earlier = await services.database.inTenant(tenantId, async (tx) => {
    const found = await selectDocument(tx, tenantId, documentId);
    if (!found || found.sourceFormat !== 'pdf') return undefined;
    const recognition = await selectRecognition(tx, tenantId, documentId);
    return { found, mends: await selectMends(tx, found), recognition };
  });
  if (!earlier || earlier.mends.length === 0) return [];
  const { found, ...options } = earlier;
  return callTool(services, found, 'find', options, bytes, recognition);
}

/** Returns what the page templates of the workspace fix in the file of a document, and the templates. */
async function fromTemplates(
  { services, tenantId, row }: DocumentRun,
  recognition: Recognition | undefined,
): Promise<{ mends: Mend[]; kept: string[]; templates: string[] }> {
  const rows =
    row.sourceFormat === 'pdf'
      ? await services.database.inTenant(tenantId, (tx) => selectTemplates(tx, tenantId))
      : [];
  if (rows.length === 0) return { mends: [], kept: [], templates: [] };
  const templates = rows.map(({ template }) => template as PageTemplate);
  const { pages, ...fixed } = await callTool(services, row, 'apply', { recognition }, templates);
  return { ...fixed, templates: [...new Set(pages.map(({ template }) => rows[template]!.templateId))] };
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
