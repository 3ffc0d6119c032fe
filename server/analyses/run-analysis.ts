import { and, eq, isNotNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { analyses, analysisFiles, isPending } from '#db/schema/analyses.ts';
import { readArtifact } from '#server/documents/artifacts.ts';
import type { RunServices } from '#server/documents/document-run.ts';
import { findEarlierByName } from '#server/documents/earlier-document.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import type { TaskPayloads } from '#server/platform/job-queue.ts';
import { takeTurn } from '#server/platform/sandbox-errors.ts';
import { type AnalysisRow, type FileRow, queueAnalysis, removeAnalysis, selectFiles } from './analyses.ts';
import { readFile, shortKey } from './count-file.ts';
import { isRefusal, refusalText } from './file-form.ts';
import type { StoredCell } from './schema.ts';
import { isRequested, sendFile } from './start.ts';

/** Milliseconds of a run, and of one file in it. Then the task is queued again, so that other tasks get their turn. */
const ownLimits = { runMs: 5000, fileMs: 20_000 };
/** Maximum number of workers that begin to read a file, without an end. */
const maxAttempts = 5;
/** Seconds until the next run, if the sandbox, the storage or the database cannot be used now. */
const pauseSeconds = 5;
/** Seconds after which another worker may take the analysis, if nothing was stored in the meantime. */
const leaseSeconds = 60;
/** Maximum number of different texts of a file that are compared with later files. */
const maxKeys = 20_000;

/**
 * Continues an analysis: sends what its start has requested, and counts the next files. Deletes it when it has expired.
 * May be interrupted at any point.
 */
export async function runAnalysis(
  services: RunServices,
  payload: TaskPayloads['run_analysis'],
  limits = ownLimits,
): Promise<void> {
  const { tenantId, analysisId } = payload;
  const { database, backgroundWork, log } = services;
  const end = Date.now() + limits.runMs;
  const requeue = (afterSeconds = 0) =>
    database.inTenant(tenantId, (tx) =>
      queueAnalysis(tx, payload, { afterSeconds, hasExpired: payload.hasExpired ?? false }),
    );
  const taken = await take(services, payload);
  // The other worker may be at its end, and not see what has been added since.
  if (!taken) return taken === false ? requeue(pauseSeconds) : undefined;
  const earlier = new EarlierTexts(services);
  try {
    // A run does at least one step.
    for (let isLate = false; ; isLate = Date.now() > end) {
      const found = await read(services, payload);
      if (!found) return;
      const { analysis, pending } = found;
      if (payload.hasExpired && analysis.expiresAt < new Date())
        return await removeAnalysis(
          services,
          (work) => database.inTenant(tenantId, (tx) => work(tx, tenantId)),
          analysisId,
        );
      const requested = pending.find(isRequested);
      const waiting = analysis.canceledAt ? undefined : pending.find(({ state }) => state === 'waiting');
      if (!requested && !waiting) return;
      if (isLate) return await requeue();
      const signal = backgroundWork.stopping;
      if (requested) await sendFile(services, analysis, requested, { signal, end });
      else if (waiting)
        await countFile(services, {
          analysis,
          file: waiting,
          earlier,
          signal,
          end: Date.now() + limits.fileMs,
        });
    }
  } catch (error) {
    if (!isTemporary(services, error)) throw error;
    log.info({ analysis_id: analysisId, error: describeForLog(error) }, 'an analysis is continued later');
    await requeue(pauseSeconds);
  } finally {
    await database.inTenant(tenantId, (tx) =>
      tx.update(analyses).set({ workedUntil: null }).where(isAnalysis(payload)),
    );
  }
}

/** Whether the work can continue later: the process stops, or the sandbox or the storage cannot be used now. */
const isTemporary = ({ backgroundWork }: RunServices, error: unknown): boolean =>
  backgroundWork.stopping.aborted || (error instanceof AppError && error.code !== 'internal_error');

const isAnalysis = ({ tenantId, analysisId }: TaskPayloads['run_analysis']) =>
  and(eq(analyses.tenantId, tenantId), eq(analyses.analysisId, analysisId));

/** The columns of an analysis that a worker has. */
const inWork = {
  updatedAt: sql`now()`,
  workedUntil: sql`now() + make_interval(secs => ${leaseSeconds}::int)`,
};

/** Takes the analysis for this worker. Returns whether it has it, or undefined if the analysis was deleted. */
function take({ database }: RunServices, payload: TaskPayloads['run_analysis']) {
  return database.inTenant(payload.tenantId, async (tx) => {
    const taken = await tx
      .update(analyses)
      .set(inWork)
      .where(and(isAnalysis(payload), sql`coalesce(${analyses.workedUntil} < now(), true)`));
    if (taken.count > 0) return true;
    return (await tx.$count(analyses, isAnalysis(payload))) > 0 ? false : undefined;
  });
}

/** Reads the analysis and the files that are not done; undefined if it was deleted. */
function read({ database }: RunServices, payload: TaskPayloads['run_analysis']) {
  return database.inTenant(payload.tenantId, async (tx) => {
    const [analysis] = await tx.update(analyses).set(inWork).where(isAnalysis(payload)).returning();
    return analysis && { analysis, pending: await selectFiles(tx, analysis, isPending) };
  });
}

interface Counting {
  analysis: AnalysisRow;
  file: FileRow;
  earlier: EarlierTexts;
  signal: AbortSignal;
  /** The time after which the next language is left to another run. */
  end: number;
}

/** Reads a file and counts it for the languages that are left. Each language is stored when it is done. */
async function countFile(services: RunServices, counting: Counting): Promise<void> {
  const { analysis, file, signal } = counting;
  const { tenantId } = file;
  const attempts = file.attempts + 1;
  if (attempts > maxAttempts)
    return refuse(services, file, 'The file could not be read: the process stopped at each attempt.');
  await change(services, file, { attempts });
  try {
    await countLanguages(services, counting);
  } catch (error) {
    if (isRefusal(error)) return refuse(services, file, refusalText(error));
    // Only the attempts of processes that died, or that met an error of the service, count.
    if (isTemporary(services, error)) await change(services, file, { attempts: file.attempts });
    throw error;
  }

  async function countLanguages(services: RunServices, { earlier, end }: Counting): Promise<void> {
    const place = { ...file, documentId: file.analysisId, artifactId: file.fileId };
    const bytes = await readArtifact(services, place);
    const scope = { tenantId, signal };
    const inTurn = <T>(work: () => Promise<T>) => takeTurn(services.fileWork, scope, work);
    const named = { fileName: file.fileName, bytes };
    const read = await inTurn(() => readFile(services, analysis, named, scope));
    if (read.isEmpty) return refuse(services, file, 'No text was found in the file.');
    const { request, imagePages } = read;
    const sourceLang = request.source_lang;
    const versions = await services.database.inTenant(tenantId, (tx) =>
      findEarlierByName(tx, tenantId, { ...file, request }),
    );
    const known = await earlier.before(file, sourceLang);
    const former = file.results as Record<string, StoredCell>;
    const left = analysis.targetLangs.filter((code) => !former[code] || former[code].is_stale);
    const keys = new Set<bigint>();
    for (const [index, targetLang] of left.entries()) {
      if (index > 0 && (Date.now() > end || (await isCanceled(services, file)))) return;
      const texts = await inTurn(() => read.textsFor(targetLang));
      for (const { sourceKey } of texts) if (keys.size < maxKeys) keys.add(shortKey(sourceKey));
      const asNew = await inTurn(() => read.count(texts, known.keys));
      const version = versions.get(targetLang);
      const update = version && (await inTurn(() => read.count(texts, known.keys, version.document_id)));
      const asVersion = update?.unchanged.segments ? update : undefined;
      const used = former[targetLang]?.version?.used ?? true;
      const [asUsed, other] = used ? [asVersion, asNew] : [asNew, asVersion];
      const counts: StoredCell =
        version && asUsed && other ? { ...asUsed, version: { ...version, used }, other } : asNew;
      const isLast = index === left.length - 1;
      const columns = {
        attempts: 0,
        sourceLang,
        imagePages,
        results: sql`results || ${JSON.stringify({ [targetLang]: counts })}::jsonb`,
        ...(isLast && { state: 'counted', textKeys: Buffer.from(BigUint64Array.from(keys).buffer) }),
      };
      // If a file before it was removed, it is counted again.
      if (!(await change(services, file, columns, known.files)))
        return void (await change(services, file, { attempts: file.attempts }));
    }
  }
}

async function refuse(services: RunServices, file: FileRow, refusal: string): Promise<void> {
  await change(services, file, { state: 'refused', refusal });
}

/**
 * Updates the row of a file that is still to be counted.
 * @param after the files before it that must still be there
 * @returns whether it was updated
 */
function change(
  { database }: RunServices,
  { tenantId, fileId, analysisId }: FileRow,
  columns: Partial<Record<keyof typeof analysisFiles.$inferInsert, unknown>>,
  after: readonly string[] = [],
): Promise<boolean> {
  return database.inTenant(tenantId, async (tx) => {
    // The row of the analysis is locked first, as by everyone who removes a file.
    await tx.update(analyses).set(inWork).where(isAnalysis({ tenantId, analysisId }));
    const { count } = await tx
      .update(analysisFiles)
      .set(columns as Partial<typeof analysisFiles.$inferInsert>)
      .where(
        and(
          eq(analysisFiles.tenantId, tenantId),
          eq(analysisFiles.fileId, fileId),
          eq(analysisFiles.state, 'waiting'),
          sql`(select count(*) from ${analysisFiles} as earlier where earlier.tenant_id = ${tenantId}
            and earlier.file_id = ${anyOf(after)} and earlier.text_keys is not null) = ${after.length}`,
        ),
      );
    return count > 0;
  });
}

const anyOf = (ids: readonly string[]) =>
  sql`any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`;

/** Whether a member has canceled or deleted the analysis. */
async function isCanceled({ database }: RunServices, { tenantId, analysisId }: FileRow): Promise<boolean> {
  const [row] = await database.inTenant(tenantId, (tx) =>
    tx.select({ canceledAt: analyses.canceledAt }).from(analyses).where(isAnalysis({ tenantId, analysisId })),
  );
  return !row || row.canceledAt !== null;
}

/** The texts of the files before a file, by source language. Each file's texts are loaded once in a run. */
class EarlierTexts {
  readonly #services: RunServices;
  readonly #keys = new Map<string, Set<bigint>>();
  #files = new Set<string>();

  constructor(services: RunServices) {
    this.#services = services;
  }

  /** Returns the keys of the texts, and the files that they are from. */
  async before(
    { tenantId, analysisId, position }: FileRow,
    sourceLang: string,
  ): Promise<{ keys: ReadonlySet<bigint>; files: readonly string[] }> {
    const { fileId, sourceLang: language, textKeys } = analysisFiles;
    const select = (tx: Tx, except: ReadonlySet<string>) =>
      tx
        .select({
          ...{ fileId, language },
          keys: sql<Buffer | null>`case when not ${fileId} = ${anyOf([...except])} then ${textKeys} end`,
        })
        .from(analysisFiles)
        .where(
          and(
            eq(analysisFiles.tenantId, tenantId),
            eq(analysisFiles.analysisId, analysisId),
            lt(analysisFiles.position, position),
            isNotNull(textKeys),
          ),
        );
    const rows = await this.#services.database.inTenant(tenantId, async (tx) => {
      const found = await select(tx, this.#files);
      const files = new Set(found.map(({ fileId }) => fileId));
      if ([...this.#files].every((id) => files.has(id))) return found;
      // A file was removed, or is counted again.
      this.#keys.clear();
      this.#files.clear();
      return select(tx, this.#files);
    });
    for (const { fileId, language, keys } of rows) {
      this.#files.add(fileId);
      if (!keys) continue;
      const all = this.#keys.get(language ?? '') ?? new Set();
      this.#keys.set(language ?? '', all);
      for (let at = 0; at < keys.length; at += 8) all.add(keys.readBigUInt64LE(at));
    }
    return { keys: this.#keys.get(sourceLang) ?? new Set(), files: [...this.#files] };
  }
}
