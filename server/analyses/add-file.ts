import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { analyses, analysisFiles } from '#db/schema/analyses.ts';
import { removeFile, storeFile } from '#server/documents/artifacts.ts';
import type { RunServices } from '#server/documents/document-run.ts';
import { checkForm } from '#server/documents/submission-form.ts';
import { AppError } from '#server/errors.ts';
import { plainFileName } from '#server/formats/document-kind.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { clip } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { newId } from '#server/platform/ids.ts';
import type { Destination } from '#server/storage/destination.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { expectRoom, requireRoom } from '#server/storage/usage.ts';
import {
  type AnalysisRow,
  type FileRow,
  getAnalysisRow,
  lockAnalysis,
  queueAnalysis,
  requireFewOpen,
  selectFiles,
} from './analyses.ts';
import { formOf, orRefusal } from './file-form.ts';
import { type AddFileRequest, maxFiles } from './schema.ts';

type NewFile = Omit<typeof analysisFiles.$inferInsert, 'position'>;

/**
 * Adds a file to an analysis, and queues its counting. A file that is empty, too large, or of an unsupported type is
 * added as refused, and is not stored. The same file under the same name is added once.
 * @throws AppError 404; 409 if the analysis was stopped or is full; 413, 429, 507
 */
export async function addFile(
  services: RunServices,
  withTenant: WithTenant,
  { analysis_id: analysisId, file_name: name, content }: AddFileRequest,
): Promise<FileRow> {
  const { settings } = services;
  // A copy, because it is handed over to another thread.
  const bytes = new Uint8Array(Buffer.from(content, 'base64'));
  const sha256 = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex');
  const fileName = shortName(plainFileName(name).trim()) || 'document';
  const same = { sha256, fileName };
  const begun = await withTenant(async (tx, { tenant }) => {
    const analysis = await getAnalysisRow(tx, tenant.id, analysisId);
    const known = await requirePlace(tx, analysis, same);
    if (known) return { known };
    const destination = await destinationIn(tx, services, tenant.id);
    if (destination.provider === 'platform') await expectRoom(tx, settings, tenant.id, bytes.length);
    return { analysis, destination };
  });
  if ('known' in begun) return begun.known;
  const { analysis, destination } = begun;
  const { tenantId } = analysis;
  const row = { tenantId, analysisId, fileName, sizeBytes: bytes.length, sha256 };
  const refusal =
    bytes.length > settings.MAX_UPLOAD_BYTES
      ? `The file has ${bytes.length} bytes; at most ${settings.MAX_UPLOAD_BYTES} are accepted.`
      : orRefusal(() => checkForm(formOf(analysis, { fileName, bytes }, analysis.targetLangs[0]!)));
  const add = (file: NewFile) => withTenant((tx) => insertFile(tx, services, destination, analysis, file));
  if (typeof refusal === 'string')
    return add({ ...row, fileId: newId(), isStored: false, state: 'refused', refusal });

  const { format } = refusal;
  const stored = await storeFile(
    services,
    destination,
    { tenantId, documentId: analysisId, kind: 'source', contentType: layoutKinds[format].mediaType },
    bytes,
  );
  const { artifactId: fileId, address } = stored;
  const inserted = await add({ ...row, fileId, format, address, isStored: true, state: 'waiting' }).catch(
    async (error: unknown) => {
      // After other errors, the file stays: the COMMIT may have succeeded. Without a row, the sweep removes it.
      if (error instanceof AppError) await removeFile(services, stored).catch(() => {});
      throw error;
    },
  );
  if (inserted.fileId !== fileId) await removeFile(services, stored).catch(() => {});
  return inserted;
}

/** Returns a name of at most 250 characters, with the suffix of the file. */
function shortName(name: string): string {
  const suffix = /\.\w{1,20}$/.exec(name)?.[0] ?? '';
  return clip(name.slice(0, name.length - suffix.length), 250 - suffix.length) + suffix;
}

/** Returns the same file if the analysis has it. @throws AppError 409, 429 if the analysis takes no other file */
async function requirePlace(
  tx: Tx,
  { tenantId, analysisId, canceledAt }: AnalysisRow,
  { sha256, fileName }: Pick<FileRow, 'sha256' | 'fileName'>,
): Promise<FileRow | undefined> {
  const isSame = and(eq(analysisFiles.sha256, sha256), eq(analysisFiles.fileName, fileName));
  const [known] = await selectFiles(tx, { tenantId, analysisId }, isSame);
  if (known) return known;
  if (canceledAt) throw new AppError('conflict', 'the analysis was canceled; create another one');
  const isOfAnalysis = and(eq(analysisFiles.tenantId, tenantId), eq(analysisFiles.analysisId, analysisId));
  if ((await tx.$count(analysisFiles, isOfAnalysis)) >= maxFiles)
    throw new AppError('conflict', `the analysis has ${maxFiles} files, which is the maximum`);
  await requireFewOpen(tx, tenantId, analysisId);
  return undefined;
}

async function insertFile(
  tx: Tx,
  services: Pick<RunServices, 'settings'>,
  destination: Destination,
  { tenantId, analysisId }: AnalysisRow,
  file: NewFile,
): Promise<FileRow> {
  const analysis = await lockAnalysis(tx, tenantId, analysisId);
  const known = await requirePlace(tx, analysis, file);
  if (known) return known;
  if (file.isStored && destination.provider === 'platform')
    await requireRoom(tx, services.settings, tenantId, file.sizeBytes);
  const [row] = await tx
    .insert(analysisFiles)
    .values({
      ...file,
      position: sql`(select coalesce(max(position), 0) + 1 from analysis_files
        where tenant_id = ${tenantId} and analysis_id = ${analysisId})`,
    })
    .returning();
  await tx
    .update(analyses)
    .set({ updatedAt: sql`now()` })
    .where(and(eq(analyses.tenantId, tenantId), eq(analyses.analysisId, analysisId)));
  if (file.state === 'waiting') await queueAnalysis(tx, analysis);
  return row!;
}
