import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { plainFileName } from '#server/formats/document-kind.ts';
import { clip } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import {
  declaredType,
  requireLanguagePair,
  requireRoomForSet,
  requireSetName,
  suffixOf,
  tmxTypes,
  unreadableFile,
} from '#server/language/set-upload.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { releaseBytes } from '#server/platform/sandbox/release-bytes.ts';
import { SandboxError } from '#server/platform/sandbox/sandbox-error.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type { MemorySummary, ReadMemoryPayload } from '#server/platform/sandbox/tasks/read-memory.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import type { UploadedFile } from '#server/trpc.ts';
import { collectParts, insertRows, type RowPart, rowParts } from '../packed-rows.ts';
import type { ImportForm, MemoryImportPoll, MemorySet } from '../schema.ts';
import {
  activateVersion,
  countOtherSets,
  countSegmentsOfPair,
  createdSetView,
  isGoldenName,
} from '../sets.ts';
import { deleteReplacedVersion, insertVersion, type SetVersion } from '../versions.ts';
import { importPoll, insertImport, isImporting } from './import-jobs.ts';
import { embedFile } from './import-vectors.ts';
import { updateStatistics } from './planner-statistics.ts';

/** A completed import, or one that continues in the background (202). */
export type Received = { set: MemorySet } | { accepted: MemoryImportPoll };

/** The upload: the tenant, and the name and languages of the set into which the file is imported. */
interface Upload {
  tenantId: string;
  name: string;
  sourceLang: string;
  targetLang: string;
  pairSource: string;
  pairTarget: string;
  /** The name of the file, as it is shown; null if it has none. */
  fileName: string | null;
}

/**
 * Creates or replaces a set from a TMX file. All checks happen here, for small and large files: a child process reads
 * the whole file, and the number of segments must be within the limits. Then one transaction stores the segments and
 * their fuzzy index. If there are at most TM_ASYNC_THRESHOLD segments, they become active immediately. Otherwise a
 * worker creates their vectors and then activates them.
 * @param fileName the name of the file as it is shown, if the form's file has another one
 * @throws AppError 400, 409 tm_import_in_progress, 413, 415, 422, 502
 */
export async function receiveImport(
  services: Pick<Services, 'database' | 'embedder' | 'fileWork' | 'log' | 'settings'>,
  withTenant: WithTenant,
  form: ImportForm,
  signal: AbortSignal,
  fileName?: string,
): Promise<Received> {
  // Authenticate the caller before returning validation errors. Make all possible checks before reading the file, which
  // is expensive.
  const { upload, ...payload } = await withTenant(async (tx, { tenant }) => {
    const { file, name, source, target } = checkForm(form);
    await requireIdle(isImporting(tx, tenant.id, name));
    requireRoomForSet(
      await countOtherSets(tx, tenant.id, name),
      services.settings.WORKSPACE_LIMITS.translation_memories,
      setLimit,
    );
    const languages = { sourceLang: source.tag, targetLang: target.tag };
    const pair = { pairSource: source.code, pairTarget: target.code };
    return {
      upload: {
        tenantId: tenant.id,
        name,
        ...languages,
        ...pair,
        fileName: shownName(fileName ?? file.name),
      },
      bytes: file.bytes,
      source,
      target,
    };
  });
  if (isReceiving(upload)) throw inProgress();
  const running = receivedAs(upload);
  receiving.add(running);
  try {
    return await readAndStore(services, upload, payload, signal);
  } finally {
    receiving.delete(running);
  }
}

/**
 * The imports that this process is receiving. Imports that other processes receive are detected when they are stored.
 */
const receiving = new Set<string>();

const receivedAs = ({ tenantId, name }: Pick<Upload, 'tenantId' | 'name'>) => `${tenantId}:${name}`;

/** Whether this process is receiving an import into the set: it is reading the file, or is about to store it. */
export function isReceiving(set: Pick<Upload, 'tenantId' | 'name'>): boolean {
  return receiving.has(receivedAs(set));
}

async function readAndStore(
  services: Pick<Services, 'database' | 'embedder' | 'fileWork' | 'log' | 'settings'>,
  upload: Upload,
  payload: ReadMemoryPayload,
  signal: AbortSignal,
): Promise<Received> {
  const scope = { tenantId: upload.tenantId, signal };
  const received = await readMemoryFile(services, scope, payload, async (read) => {
    if (read.summary.segments === 0)
      throw new AppError(
        'validation_error',
        `the file has no unit with texts in both ${upload.sourceLang} and ${upload.targetLang}`,
      );
    if (read.summary.segments > services.settings.TM_ASYNC_THRESHOLD)
      return { accepted: await stageImport(services, upload, read, signal) };
    // Collect the rows first: creating the vectors may take long, and the child process must be free for other files.
    return { read: { summary: read.summary, parts: await collectParts(read.parts) } };
  });
  if (received.accepted) return received;
  return { set: await storeImport(services, upload, received.read, signal) };
}

/** Stores the rows while they are read, as a staged version, which a worker activates later. */
function stageImport(
  services: Pick<Services, 'database' | 'settings'>,
  upload: Upload,
  { summary, parts }: ReadMemory,
  signal: AbortSignal,
): Promise<MemoryImportPoll> {
  const { tenantId, name: setName, sourceLang, targetLang, pairSource, pairTarget } = upload;
  return withMemoryLock(services, { upload, summary, signal }, async (tx) => {
    const version = { tenantId, versionId: newId() };
    await insertVersion(tx, { ...version, fileName: upload.fileName });
    await storeParts(tx, version, parts);
    const importId = newId();
    const row = await insertImport(tx, {
      ...version,
      importId,
      status: 'running',
      setName,
      sourceLang,
      targetLang,
      pairSource,
      pairTarget,
      totalUnits: summary.totalUnits,
      dedupedUnits: summary.segments,
      skippedUnits: summary.skippedUnits,
      duplicatesDropped: summary.duplicatesDropped,
    });
    await addJob(tx, 'import_memory', { tenantId, importId }, { key: `import_memory:${importId}` });
    return importPoll(row);
  });
}

/** Stores the rows and activates their version. */
async function storeImport(
  services: Pick<Services, 'database' | 'embedder' | 'log' | 'settings'>,
  upload: Upload,
  { summary, parts }: { summary: MemorySummary; parts: RowPart[] },
  signal: AbortSignal,
): Promise<MemorySet> {
  const { tenantId } = upload;
  // Check the limits before calling the model: if the file is rejected, no model call is paid for.
  if (services.embedder)
    await services.database.inTenant(tenantId, (tx) => requireCapacity(services, tx, upload, summary));
  const embedded = await embedFile(services, { tenantId, signal }, parts);
  const { set, replaced } = await withMemoryLock(services, { upload, summary, signal }, async (tx) => {
    const version = { tenantId, versionId: newId() };
    await insertVersion(tx, { ...version, fileName: upload.fileName });
    await storeParts(tx, version, [...parts, ...(embedded?.parts ?? [])]);
    const { fileName: _, ...set } = upload;
    return activateVersion(tx, {
      ...version,
      ...set,
      setId: newId(),
      entryCount: summary.segments,
      embeddingModel: embedded?.model ?? null,
    });
  });
  await updateStatistics(services, tenantId, summary.segments);
  await deleteReplacedVersion(services, replaced);
  return createdSetView(set, summary);
}

/**
 * Stores parts in order. The next part is sent while the database is storing the previous one, so that the database is
 * never idle.
 */
async function storeParts(
  tx: Tx,
  version: SetVersion,
  parts: AsyncIterable<RowPart> | Iterable<RowPart>,
): Promise<void> {
  let before = Promise.resolve();
  for await (const { kind, rows } of parts) {
    const stored = insertRows(tx, kind, version, rows);
    // If the previous part fails, this one fails too. The error of the previous part is thrown below.
    stored.catch(() => {});
    await before;
    before = stored;
  }
  await before;
}

/**
 * Checks the limits and runs `work` under the tenant's lock, so that two imports cannot both use the same free
 * capacity, and only one import at a time has the same name.
 */
function withMemoryLock<T>(
  services: Pick<Services, 'database' | 'settings'>,
  { upload, summary, signal }: { upload: Upload; summary: MemorySummary; signal: AbortSignal },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { tenantId, name } = upload;
  const checked = async (tx: Tx) => {
    await requireCapacity(services, tx, upload, summary);
    return work(tx);
  };
  return withTenantLock(services.database, tenantId, 'memory', checked, {
    tryLock: { name, refusal: inProgress },
    signal,
  });
}

async function requireCapacity(
  { settings }: Pick<Services, 'settings'>,
  tx: Tx,
  { tenantId, name, pairSource, pairTarget }: Upload,
  { segments }: MemorySummary,
): Promise<void> {
  const [importing, held] = await Promise.all([
    isImporting(tx, tenantId, name),
    countSegmentsOfPair(tx, tenantId, { pairSource, pairTarget }, name),
  ]);
  await requireIdle(Promise.resolve(importing));
  requireRoomForSet(
    await countOtherSets(tx, tenantId, name),
    settings.WORKSPACE_LIMITS.translation_memories,
    setLimit,
  );
  if (held + segments > settings.MAX_TM_SEGMENTS)
    throw new AppError(
      'unprocessable',
      `tm_max_segments_exceeded: ${held} segments from ${pairSource} to ${pairTarget} are already stored, and the file has ${segments}; at most ${settings.MAX_TM_SEGMENTS} in total are allowed`,
    );
}

const shownName = (fileName: string) => clip(plainFileName(fileName), 255) || null;

const setLimit = { code: 'tm_max_sets_exceeded', noun: 'uploaded translation memories' };

function checkForm(form: ImportForm) {
  const file = requireFile(form.tmx_file);
  const name = requireSetName(form.name);
  if (isGoldenName(name))
    throw new AppError('validation_error', 'names starting with golden-approved- are reserved');
  return { file, name, ...requireLanguagePair(form) };
}

async function requireIdle(importing: Promise<boolean>): Promise<void> {
  if (await importing) throw inProgress();
}

function inProgress(): AppError {
  return new AppError(
    'conflict',
    'tm_import_in_progress: an import into the translation memory with this name is running; wait until it has ended',
  );
}

function requireFile(file: UploadedFile | undefined): UploadedFile {
  if (!file) throw new AppError('validation_error', 'tmx_file upload is required');
  if (suffixOf(file.name) !== '.tmx')
    throw new AppError('unsupported_media_type', 'tmx_file must be a .tmx file');
  const type = declaredType(file.contentType);
  if (type !== '' && !tmxTypes.includes(type))
    throw new AppError('unsupported_media_type', 'tmx_file must be XML (TMX 1.4b)');
  if (file.bytes.length === 0) throw new AppError('validation_error', 'tmx_file is empty');
  return file;
}

/** The summary of a TMX file, and its rows, which can be read as they arrive. */
interface ReadMemory {
  summary: MemorySummary;
  parts: AsyncIterable<RowPart>;
}

/**
 * Reads a TMX file in a child process, when the tenant gets a slot. Calls `take` when the whole file has been read and
 * its bytes released. `take` gets the file's segments without duplicates and their index, and may read the rows until
 * it returns.
 * @throws AppError 400 if the file cannot be read, 503 if too many files are queued or the process ends after the
 *   summary
 */
async function readMemoryFile<T>(
  { fileWork }: Pick<Services, 'fileWork'>,
  scope: TaskScope,
  payload: ReadMemoryPayload,
  take: (read: ReadMemory) => Promise<T>,
): Promise<T> {
  let read = false;
  try {
    return await fileWork.stream('read_memory', payload, scope, async (pieces) => {
      const { value: first } = await pieces.next();
      releaseBytes(payload.bytes);
      read = true;
      if (first?.kind === 'refused') throw new AppError('validation_error', `tmx_file: ${first.message}`);
      if (first?.kind !== 'summary') throw new Error('read_memory must send its summary first');
      const { kind: _, ...summary } = first;
      return take({ summary, parts: rowParts(pieces) });
    });
  } catch (error) {
    // The file has been read, so it did not cause this crash.
    if (read && error instanceof SandboxError && error.reason === 'crashed')
      throw new AppError('transient_error', 'the import was interrupted; nothing was imported, try again', {
        cause: error,
      });
    throw unreadableFile('tmx_file', error);
  }
}
