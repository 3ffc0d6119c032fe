import type { Tx } from '#db/client.ts';
import type { EnterTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addJob } from '#server/jobs.ts';
import {
  declaredType,
  requireDeclaredLanguage,
  requireSetName,
  suffixOf,
  tmxTypes,
} from '#server/set-upload.ts';
import { inTenantTurn } from '#server/tenant-turn.ts';
import type { UploadedFile } from '#server/trpc.ts';
import { isGoldenName } from '../golden-name.ts';
import { countSegmentsOfPair } from '../queries/capacity.ts';
import { insertImport, insertPart, isImporting } from '../queries/imports.ts';
import { insertRows } from '../queries/rows.ts';
import { replaceSet } from '../queries/sets.ts';
import type { ImportForm, MemoryImportAnswer, MemorySet } from '../schema.ts';
import { createdSetView, importAnswer } from '../set-view.ts';
import { buildIndex, storeIndex } from './build-index.ts';
import { embedFile } from './embed.ts';
import { readMemoryFile } from './read-file.ts';
import { rowParts } from './row-parts.ts';
import { updateStatistics } from './update-statistics.ts';

/** An import that is stored, or one that goes on in the background (202). */
export type Received = { set: MemorySet } | { accepted: MemoryImportAnswer };

/**
 * Creates or replaces a set from a TMX file (B 4.5). Whatever refuses it does so here, at both sizes: the file is read whole
 * in a child process, and what it holds must fit. Up to TM_ASYNC_THRESHOLD segments are stored in one transaction; more are
 * kept as they were read, for a worker.
 * @throws AppError 400, 409 tm_import_in_progress, 413, 415, 422, 502 as B 4.5 and B 7 say
 */
export async function receiveImport(
  services: Services,
  enter: EnterTenant,
  form: ImportForm,
  signal: AbortSignal,
): Promise<Received> {
  // Nobody is told anything who is not let in; and a file that could not be stored is not read, which is not cheap.
  const { tenantId, file, name, source, target } = await enter(async (tx, { tenant }) => {
    const asked = checkForm(form);
    await requireIdle(isImporting(tx, tenant.id, asked.name));
    return { tenantId: tenant.id, ...asked };
  });
  const read = await readMemoryFile(services, { tenantId, signal }, { bytes: file.bytes, source, target });
  if (read.segments === 0)
    throw new AppError(
      'validation_error',
      `the file has no unit with a text in ${source.tag} and in ${target.tag}`,
    );
  const { MAX_TM_SEGMENTS, TM_ASYNC_THRESHOLD } = services.settings;
  const pair = { pairSource: source.code, pairTarget: target.code };
  const described = { name, sourceLang: source.tag, targetLang: target.tag, ...pair };

  const background = read.segments > TM_ASYNC_THRESHOLD;
  const index =
    background || read.shards === 0
      ? null
      : await buildIndex(services, tenantId, { segmentRows: read.segmentRows });

  const requireRoom = async (tx: Tx) => {
    const [importing, held] = await Promise.all([
      isImporting(tx, tenantId, name),
      countSegmentsOfPair(tx, tenantId, pair, name),
    ]);
    await requireIdle(Promise.resolve(importing));
    if (held + read.segments > MAX_TM_SEGMENTS)
      throw new AppError(
        'unprocessable',
        `tm_max_segments_exceeded: ${held} segments of ${pair.pairSource} to ${pair.pairTarget} are held and the file has ${read.segments}; at most ${MAX_TM_SEGMENTS} are allowed`,
      );
  };
  // What is refused must not cost a model's call.
  if (services.embedder && !background) await services.database.inTenant(tenantId, requireRoom);
  const embedded = background ? null : await embedFile(services, { tenantId, signal }, read);

  // Two imports must not both count on the same room, nor a name have two.
  const received = await inTenantTurn(
    services.database,
    tenantId,
    'memory',
    async (tx): Promise<Received> => {
      await requireRoom(tx);
      if (background) {
        const importId = newId();
        const row = insertImport(tx, {
          tenantId,
          importId,
          status: 'running',
          setName: name,
          sourceLang: source.tag,
          targetLang: target.tag,
          ...pair,
          totalUnits: read.totalUnits,
          dedupedUnits: read.segments,
          skippedUnits: read.skippedUnits,
          duplicatesDropped: read.duplicatesDropped,
        });
        await row;
        let partNo = 0;
        for (const rows of rowParts(read.segmentRows, read.ends)) {
          partNo += 1;
          await insertPart(tx, { tenantId, importId, partNo, rows });
        }
        await addJob(tx, 'import_memory', { tenantId, importId }, { key: `import_memory:${importId}` });
        return { accepted: importAnswer(await row) };
      }
      const set = await replaceSet(tx, {
        tenantId,
        setId: newId(),
        ...described,
        entryCount: read.segments,
        embeddingModel: embedded?.model ?? null,
      });
      const to = { tenantId, setId: set.setId, ...pair };
      for (const rows of rowParts(read.segmentRows, read.ends)) await insertRows(tx, 'segments', to, rows);
      for (const rows of embedded?.parts ?? []) await insertRows(tx, 'vectors', to, rows);
      if (index) await storeIndex(tx, to, index);
      return { set: createdSetView(set, read) };
    },
  );
  if ('set' in received) await updateStatistics(services, tenantId, read.segments);
  return received;
}

function checkForm(form: ImportForm) {
  const file = requireFile(form.tmx_file);
  const name = requireSetName(form.name);
  if (isGoldenName(name))
    throw new AppError(
      'validation_error',
      'names that begin with golden-approved- are kept for approved work',
    );
  const source = requireDeclaredLanguage('source_lang', form.source_lang);
  const target = requireDeclaredLanguage('target_lang', form.target_lang);
  if (source.code === target.code)
    throw new AppError('validation_error', 'source_lang and target_lang stand for the same language');
  return { file, name, source, target };
}

async function requireIdle(importing: Promise<boolean>): Promise<void> {
  if (await importing)
    throw new AppError(
      'conflict',
      'tm_import_in_progress: an import into a set of this name is running; wait until it has ended',
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
