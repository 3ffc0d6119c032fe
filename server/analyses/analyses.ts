import { and, asc, desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { analyses, analysisFiles, isPending } from '#db/schema/analyses.ts';
import type { Services } from '#server/context.ts';
import { removeFile } from '#server/documents/artifacts.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { type PageEnd, readCursor } from '#server/http/paging.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { asksForDetection } from '#server/translation/intake/source-language.ts';
import type { AnalysisRequest, ListRequest, StartOutcome, StoredCell, VersionRequest } from './schema.ts';

/*
 * An analysis reads files once, and counts them for several target languages with the look-ups of an estimate. A worker
 * does so, file by file, and stores the counts of each language. Nothing is billed until a start sends the files.
 */

export type AnalysisRow = typeof analyses.$inferSelect;
export type FileRow = Omit<typeof analysisFiles.$inferSelect, 'textKeys'>;

/** Days for which an analysis and its files are kept. */
const keptDays = 30;
/** Maximum number of saved analyses of a workspace, and of those with files that are still to be counted. */
const most = { saved: 200, open: 3 };
/** Analyses that a sweep queues. */
const perSweep = 1000;

const { textKeys: _, ...columns } = getTableColumns(analysisFiles);

/** @throws AppError 422 for an unsupported language; 409 if the workspace has too many analyses */
export async function createAnalysis(
  tx: Tx,
  principal: Principal,
  { source_lang, target_langs, ...options }: AnalysisRequest,
): Promise<AnalysisRow> {
  const tenantId = principal.tenant.id;
  const stated = source_lang.trim() || 'en';
  const sourceLang = asksForDetection(stated) ? 'auto' : requireLanguage('source_lang', stated);
  const targetLangs = new Set(target_langs.map((code) => requireLanguage('target_langs', code.trim())));
  await lockTenant(tx, tenantId);
  if ((await tx.$count(analyses, eq(analyses.tenantId, tenantId))) >= most.saved)
    throw new AppError(
      'conflict',
      `the workspace has ${most.saved} saved analyses, which is the maximum; delete some of them`,
    );
  const [row] = await tx
    .insert(analyses)
    .values({
      tenantId,
      analysisId: newId(),
      sourceLang,
      targetLangs: [...targetLangs],
      options: Object.fromEntries(
        Object.entries(options).flatMap(([name, value]) => (value?.trim() ? [[name, value.trim()]] : [])),
      ),
      createdBy: principal.kind === 'session' ? principal.user.id : null,
      expiresAt: sql`now() + make_interval(days => ${keptDays}::int)`,
    })
    .returning();
  return row!;
}

function isAnalysis(tenantId: string, analysisId: string) {
  return and(eq(analyses.tenantId, tenantId), eq(analyses.analysisId, analysisId));
}

/** @throws AppError 404 */
export async function getAnalysisRow(tx: Tx, tenantId: string, analysisId: string): Promise<AnalysisRow> {
  const [row] = await tx.select().from(analyses).where(isAnalysis(tenantId, analysisId));
  return row ?? throwUnknown();
}

/** Reads and locks an analysis. @throws AppError 404 */
export async function lockAnalysis(tx: Tx, tenantId: string, analysisId: string): Promise<AnalysisRow> {
  const [row] = await tx.select().from(analyses).where(isAnalysis(tenantId, analysisId)).for('no key update');
  return row ?? throwUnknown();
}

function throwUnknown(): never {
  throw new AppError('not_found', 'analysis not found');
}

/** Returns the files of an analysis that match a condition, in their order. */
export function selectFiles(
  tx: Tx,
  { tenantId, analysisId }: Pick<AnalysisRow, 'tenantId' | 'analysisId'>,
  condition?: SQL,
): Promise<FileRow[]> {
  return tx
    .select(columns)
    .from(analysisFiles)
    .where(and(eq(analysisFiles.tenantId, tenantId), eq(analysisFiles.analysisId, analysisId), condition))
    .orderBy(asc(analysisFiles.position));
}

export interface FileSums {
  files: number;
  /** Files that are still to be counted. */
  waiting: number;
  /** Pairs of a file and a language that are counted, or whose file is refused. */
  done: number;
  billable: number;
}

/** Returns the sums of the files of analyses with files, by the ID of the analysis. */
export async function sumFiles(
  tx: Tx,
  tenantId: string,
  rows: readonly AnalysisRow[],
): Promise<Map<string, FileSums>> {
  const { analysisId, state, counted, billableCharacters } = analysisFiles;
  const sums = await tx
    .select({
      analysisId,
      files: sql<number>`count(*)::int`,
      waiting: sql<number>`(count(*) filter (where ${state} = 'waiting'))::int`,
      done: sql<number>`sum(case ${state} when 'waiting' then ${counted}
        else jsonb_array_length(${analyses.targetLangs}) end)::int`,
      billable: sql<number>`(sum(case ${state} when 'refused' then 0 else ${billableCharacters} end))::float8`,
    })
    .from(analysisFiles)
    .innerJoin(
      analyses,
      and(eq(analyses.tenantId, analysisFiles.tenantId), eq(analyses.analysisId, analysisFiles.analysisId)),
    )
    .where(
      and(
        eq(analysisFiles.tenantId, tenantId),
        sql`${analysisId} = any(array(select json_array_elements_text(${JSON.stringify(
          rows.map((row) => row.analysisId),
        )}::json)))`,
      ),
    )
    .groupBy(analysisId);
  return new Map(sums.map((one) => [one.analysisId, one]));
}

/** Returns a page of the analyses of a workspace, latest first, and one more if there is another page. */
export async function listRows(tx: Tx, tenantId: string, { limit, cursor }: ListRequest) {
  const end: PageEnd | undefined = cursor === undefined ? undefined : readCursor(cursor);
  return tx
    .select()
    .from(analyses)
    .where(
      and(
        eq(analyses.tenantId, tenantId),
        end &&
          sql`(${analyses.createdAt}, ${analyses.analysisId}) < (${end.updatedAt.toISOString()}::timestamptz, ${end.id})`,
      ),
    )
    .orderBy(desc(analyses.createdAt), desc(analyses.analysisId))
    .limit(limit + 1);
}

/**
 * Rejects a file if the workspace has too many other analyses that are not counted yet.
 * @throws AppError 429
 */
export async function requireFewOpen(tx: Tx, tenantId: string, analysisId: string): Promise<void> {
  const [row] = await tx
    .select({ open: sql<number>`count(distinct ${analysisFiles.analysisId})::int` })
    .from(analysisFiles)
    .innerJoin(
      analyses,
      and(eq(analyses.tenantId, analysisFiles.tenantId), eq(analyses.analysisId, analysisFiles.analysisId)),
    )
    .where(
      and(
        eq(analysisFiles.tenantId, tenantId),
        eq(analysisFiles.state, 'waiting'),
        sql`${analysisFiles.analysisId} <> ${analysisId} and ${analyses.canceledAt} is null`,
      ),
    );
  if ((row?.open ?? 0) >= most.open)
    throw new AppError(
      'too_many_requests',
      `the workspace has ${most.open} analyses in progress, which is the maximum; cancel one, or try again later`,
      { retryAfter: 10 },
    );
}

/** Queues the work on an analysis in the caller's transaction. */
export async function queueAnalysis(
  tx: Tx,
  { tenantId, analysisId }: Pick<AnalysisRow, 'tenantId' | 'analysisId'>,
  { afterSeconds = 0, hasExpired = false } = {},
): Promise<void> {
  const options = { key: `run_analysis:${analysisId}`, afterSeconds };
  await addJob(tx, 'run_analysis', { tenantId, analysisId, ...(hasExpired && { hasExpired }) }, options);
}

/** Stops the counting. What is counted stays. Does nothing if it has ended. @throws AppError 404 */
export async function cancelAnalysis(tx: Tx, tenantId: string, analysisId: string): Promise<void> {
  await lockAnalysis(tx, tenantId, analysisId);
  await tx
    .update(analyses)
    .set({ canceledAt: sql`now()` })
    .where(
      and(
        isAnalysis(tenantId, analysisId),
        sql`${analyses.canceledAt} is null and exists (select from analysis_files f
          where f.tenant_id = ${tenantId} and f.analysis_id = ${analysisId} and f.state = 'waiting')`,
      ),
    );
}

type RemovingServices = LocatingServices & Pick<Services, 'log'>;

/**
 * Deletes an analysis with its files. Documents that it has sent stay. The rows are deleted first: then a worker notices,
 * and the sweep removes files that are left in platform storage.
 * @throws AppError 404
 */
export async function removeAnalysis(
  services: RemovingServices,
  inTenant: (work: (tx: Tx, tenantId: string) => Promise<FileRow[]>) => Promise<FileRow[]>,
  analysisId: string,
): Promise<void> {
  const files = await inTenant(async (tx, tenantId) => {
    await lockAnalysis(tx, tenantId, analysisId);
    const found = await selectFiles(tx, { tenantId, analysisId });
    await tx.delete(analyses).where(isAnalysis(tenantId, analysisId));
    return found;
  });
  for (const file of files) await removeStored(services, file);
}

/** Removes the stored content of a deleted row. */
async function removeStored(
  services: RemovingServices,
  { tenantId, analysisId, fileId, address, isStored }: FileRow,
): Promise<void> {
  if (!isStored) return;
  const place = { tenantId, documentId: analysisId, artifactId: fileId, address };
  await removeFile(services, place).catch((error: unknown) =>
    services.log.warn(
      { analysis_id: analysisId, error: describeForLog(error) },
      'a file of a deleted analysis was not removed yet',
    ),
  );
}

/**
 * Removes a file that was not sent. Files after it that have repetitions of others are counted again.
 * @throws AppError 404; 409 if documents of the file were requested
 */
export async function removeFileOf(
  services: RemovingServices,
  withTenant: WithTenant,
  { analysis_id: analysisId, file_id: fileId }: { analysis_id: string; file_id: string },
): Promise<void> {
  const removed = await withTenant(async (tx, { tenant: { id: tenantId } }) => {
    const analysis = await lockAnalysis(tx, tenantId, analysisId);
    const file = await requireUnsent(tx, analysis, fileId);
    const ofAnalysis = and(eq(analysisFiles.tenantId, tenantId), eq(analysisFiles.analysisId, analysisId));
    await tx.delete(analysisFiles).where(and(ofAnalysis, eq(analysisFiles.fileId, fileId)));
    if (analysis.canceledAt) return file;
    await tx
      .update(analysisFiles)
      .set({
        ...{ state: 'waiting', textKeys: null },
        // The counts stay until the new ones, with the decision about an earlier version.
        results: sql`(select jsonb_object_agg(key, value || '{"is_stale": true}') from jsonb_each(${analysisFiles.results}))`,
      })
      .where(
        and(
          ofAnalysis,
          sql`${analysisFiles.position} > ${file.position} and ${analysisFiles.state} in ('counted', 'waiting') and ${analysisFiles.starts} = '{}'
            and jsonb_path_exists(${analysisFiles.results}, '$.*.repetitions_across.segments ? (@ > 0)')`,
        ),
      );
    await queueAnalysis(tx, analysis);
    return file;
  });
  await removeStored(services, removed);
}

/**
 * Decides whether a file is a new version of the earlier document with its name, or another file.
 * @throws AppError 404; 409 if the file has no earlier version, is not counted yet, or documents of it were requested
 */
export async function setVersion(
  tx: Tx,
  tenantId: string,
  { analysis_id: analysisId, file_id: fileId, used }: VersionRequest,
): Promise<void> {
  const analysis = await lockAnalysis(tx, tenantId, analysisId);
  const { state, results } = await requireUnsent(tx, analysis, fileId);
  const cells = Object.entries(results as Record<string, StoredCell>).filter(([, cell]) => cell.version);
  if (state !== 'counted' || cells.length === 0)
    throw new AppError('conflict', 'the file is not counted yet, or has no earlier version');
  const changed = cells.flatMap(([code, { version, other, ...counts }]) =>
    version!.used === used ? [] : [[code, { ...other, version: { ...version, used }, other: counts }]],
  );
  await tx
    .update(analysisFiles)
    .set({ results: sql`results || ${JSON.stringify(Object.fromEntries(changed))}::jsonb` })
    .where(and(eq(analysisFiles.tenantId, tenantId), eq(analysisFiles.fileId, fileId)));
}

/** Returns a file of which no document was sent or requested. @throws AppError 404, 409 */
async function requireUnsent(tx: Tx, analysis: AnalysisRow, fileId: string): Promise<FileRow> {
  const [file] = await selectFiles(tx, analysis, eq(analysisFiles.fileId, fileId));
  if (!file) throw new AppError('not_found', 'file of the analysis not found');
  const isSent = Object.values(file.starts as Record<string, StartOutcome>).some(
    ({ state }) => state !== 'refused',
  );
  if (isSent) throw new AppError('conflict', 'documents of the file were already requested');
  return file;
}

/** Deletes an analysis for its caller. @throws AppError 404 */
export function deleteAnalysis(services: RemovingServices, withTenant: WithTenant, analysisId: string) {
  return removeAnalysis(services, (work) => withTenant((tx, { tenant }) => work(tx, tenant.id)), analysisId);
}

/**
 * Queues analyses that no worker has continued for a while: their queue jobs may have been lost with a worker. Also queues
 * those that have expired, which deletes them.
 * @param selectHeld returns the tenants with a legal hold, whose analyses do not expire
 */
export async function resumeAnalyses(
  { database }: Pick<Services, 'database'>,
  idleSeconds: number,
  selectHeld: (tx: Tx) => Promise<string[]>,
): Promise<void> {
  await database.inPlatform(async (tx) => {
    const held = JSON.stringify(await selectHeld(tx));
    const rows = await tx.execute<{ tenantId: string; analysisId: string; hasExpired: boolean }>(sql`
      select tenant_id as "tenantId", analysis_id as "analysisId", true as "hasExpired" from analyses
      where expires_at < now() and tenant_id not in (select jsonb_array_elements_text(${held}::jsonb))
      union
      select a.tenant_id, a.analysis_id, false from analysis_files f
      join analyses a on a.tenant_id = f.tenant_id and a.analysis_id = f.analysis_id
      where ${isPending} and (f.state <> 'waiting' or a.canceled_at is null)
        and a.updated_at < now() - make_interval(secs => ${idleSeconds})
      order by 3 limit ${perSweep}::int`);
    // An analysis that is in both parts is deleted: the later job replaces the other one.
    for (const { hasExpired, ...row } of rows) await queueAnalysis(tx, row, { hasExpired });
  });
}
