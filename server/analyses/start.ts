import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { analyses, analysisFiles } from '#db/schema/analyses.ts';
import { documentJobs } from '#db/schema/documents.ts';
import { credentialOf, submitterOf } from '#server/billing/metering/submitter.ts';
import { readArtifact } from '#server/documents/artifacts.ts';
import type { RunServices } from '#server/documents/document-run.ts';
import { isOneOf } from '#server/documents/jobs.ts';
import { checkForm } from '#server/documents/submission-form.ts';
import { submitInBackground } from '#server/documents/submit.ts';
import { AppError, errorTable } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { requireTranslationEnabled } from '#server/translation/intake/submission-limits.ts';
import { type AnalysisRow, type FileRow, lockAnalysis, queueAnalysis, selectFiles } from './analyses.ts';
import { formOf, isRefusal, refusalText } from './file-form.ts';
import type { StartOutcome, StartRequest, StoredCell } from './schema.ts';

/*
 * A start is stored first, and a worker sends the documents. Each has an idempotency key of its file and language, so a
 * repeated start, a lost response or a killed worker makes no second document.
 */

/** Returns what a start has made of a file in a language; undefined before. */
export function startOf({ starts }: Pick<FileRow, 'starts'>, targetLang: string): StartOutcome | undefined {
  return starts[targetLang] as StartOutcome | undefined;
}

/** Whether documents of a file are still to be sent. */
export function isRequested(file: FileRow): boolean {
  return Object.keys(file.starts).some((code) => startOf(file, code)?.state === 'requested');
}

/**
 * Requests the documents of the counted files in the languages that are counted. Documents that are sent, or requested,
 * stay; refused ones are requested again, and failed ones if they are chosen.
 * @throws AppError 404; 409 if nothing can be sent; 422 for an unknown file or language
 */
export async function requestStart(
  tx: Tx,
  principal: Principal,
  { analysis_id, only }: StartRequest,
): Promise<void> {
  const tenantId = principal.tenant.id;
  const startedBy = { submittedBy: submitterOf(principal), credential: credentialOf(principal) };
  const analysis = await lockAnalysis(tx, tenantId, analysis_id);
  const files = await selectFiles(tx, analysis);
  const chosen = only && readChosen(only, analysis, files);
  const failed = chosen ? await selectFailed(tx, tenantId, files) : new Set();
  let known = 0;
  let requested = 0;
  for (const file of files) {
    if (file.state === 'refused') continue;
    const starts: Record<string, StartOutcome> = {};
    for (const code of Object.keys(file.results)) {
      if (chosen && !chosen.has(`${file.fileId} ${code}`)) continue;
      const before = startOf(file, code);
      if (before?.state === 'sent' && failed.has(before.document_id))
        starts[code] = { state: 'requested', again: before.document_id };
      else if (before && before.state !== 'refused') known++;
      else starts[code] = { state: 'requested' };
    }
    if (Object.keys(starts).length === 0) continue;
    requested += Object.keys(starts).length;
    await mergeStarts(tx, file, starts);
  }
  if (requested === 0) {
    if (known > 0) return;
    throw new AppError(
      'conflict',
      'no file of the analysis can be sent: none is counted yet, or all are refused',
    );
  }
  await tx
    .update(analyses)
    .set({ startedBy, startedAt: sql`coalesce(started_at, now())` })
    .where(and(eq(analyses.tenantId, tenantId), eq(analyses.analysisId, analysis_id)));
  await queueAnalysis(tx, analysis);
}

/** The failed documents of an analysis, without those that the workspace has received in its own storage. */
async function selectFailed(tx: Tx, tenantId: string, files: readonly FileRow[]): Promise<Set<string>> {
  const ids = files.flatMap((file) =>
    Object.keys(file.starts).flatMap((code) => {
      const start = startOf(file, code);
      return start?.state === 'sent' ? start.document_id : [];
    }),
  );
  const rows = await tx
    .select({ id: documentJobs.documentId })
    .from(documentJobs)
    .where(
      and(
        eq(documentJobs.tenantId, tenantId),
        isOneOf(ids),
        sql`${documentJobs.status} = 'failed' and ${documentJobs.failure} #> '{metadata,delivered_to}' is null`,
      ),
    );
  return new Set(rows.map(({ id }) => id));
}

function readChosen(
  only: NonNullable<StartRequest['only']>,
  { targetLangs }: AnalysisRow,
  files: readonly FileRow[],
): Set<string> {
  const known = new Set(files.map(({ fileId }) => fileId));
  return new Set(
    only.map(({ file_id, target_lang }) => {
      const code = requireLanguage('target_lang', target_lang);
      if (known.has(file_id) && targetLangs.includes(code)) return `${file_id} ${code}`;
      throw new AppError('unprocessable', 'only: the analysis does not have this file in this language');
    }),
  );
}

/** @throws other errors than refusals */
export async function sendFile(
  services: RunServices,
  analysis: AnalysisRow,
  file: FileRow,
  { signal, end }: { signal: AbortSignal; end: number },
): Promise<void> {
  const { database } = services;
  const { tenantId, analysisId, fileId } = file;
  if (!analysis.startedBy) throw new Error('the start of the analysis has no submitter');
  const tenant = await database.inTenant(tenantId, (tx) => readTenant(tx, tenantId));
  if (!tenant) return;
  const by = { ...analysis.startedBy, tenant: { id: tenantId, name: tenant.name } };
  const bytes = await readArtifact(services, { ...file, documentId: analysisId, artifactId: fileId }).catch(
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'internal_error') return null;
      throw error;
    },
  );
  for (const code of Object.keys(file.starts)) {
    const start = startOf(file, code);
    if (start?.state !== 'requested') continue;
    const key = ['analysis', fileId, code, ...(start.again ? [start.again] : [])].join(':');
    let outcome: StartOutcome;
    try {
      requireTranslationEnabled(services);
      if (bytes === null)
        throw new AppError(
          'unprocessable',
          'the stored file is lost or damaged; remove it, and add it again',
        );
      // A copy, because the bytes are handed over to a child process.
      const { version } = file.results[code] as StoredCell;
      const form = checkForm({
        ...formOf(analysis, { ...file, bytes: bytes.slice() }, code, key),
        ...(version?.used && { update_of: version.document_id }),
      });
      outcome = { state: 'sent', document_id: await submitInBackground(services, by, form, signal) };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      outcome = { state: 'refused', status: errorTable[error.code].status, detail: refusalText(error) };
    }
    await database.inTenant(tenantId, (tx) => mergeStarts(tx, file, { [code]: outcome }));
    if (Date.now() > end) return;
  }
}

function mergeStarts(tx: Tx, { tenantId, fileId }: FileRow, starts: Record<string, StartOutcome>) {
  return tx
    .update(analysisFiles)
    .set({ starts: sql`${analysisFiles.starts} || ${JSON.stringify(starts)}::jsonb` })
    .where(and(eq(analysisFiles.tenantId, tenantId), eq(analysisFiles.fileId, fileId)));
}
