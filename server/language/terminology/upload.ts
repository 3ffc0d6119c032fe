import { createHash } from 'node:crypto';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { xlsxType } from '#server/formats/glossary/writer.ts';
import {
  type GlossaryFile,
  type GlossaryKind,
  type GlossaryTable,
  glossaryKinds,
} from '#server/formats/glossary-file.ts';
import { tbxType } from '#server/formats/tbx/writer.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import {
  declaredType,
  readDeclaredLanguage,
  requireDeclaredLanguage,
  requireDifferent,
  requireRoomForSet,
  requireSetName,
  suffixOf,
  tmxTypes,
  unreadableFile,
} from '#server/language/set-upload.ts';
import { newId } from '#server/platform/ids.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type { ReadGlossaryPayload } from '#server/platform/sandbox/tasks/read-glossary.ts';
import { withTenantLock } from '#server/platform/tenant-lock.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import type { UploadedFile } from '#server/trpc.ts';
import type { GlossaryForm, UploadedGlossary } from './schema.ts';
import { countOtherSets, insertEntries, lockSet, type NewEntry, replaceSet, setView } from './sets.ts';
import { countByLanguages, requireCapacity, sizesOf } from './size-limits.ts';
import type { AssignedTable, ReadTable } from './term-schema.ts';
import { glossaryWarnings } from './upload-warnings.ts';

/**
 * Creates a glossary, or replaces the one with this name; either all of the file is stored or nothing. A child process
 * reads the file, then one transaction stores it.
 * @param expected `replaces`: the revision that the glossary must have; null if it must not exist. If the same request
 *   has been completed before, nothing changes. Default: any. `table`: the use of the file's columns
 * @throws AppError 400, 413, 415, 422; 409 if the glossary has another revision
 */
export async function uploadGlossary(
  services: UploadServices,
  withTenant: WithTenant,
  form: GlossaryForm,
  signal: AbortSignal,
  expected?: { replaces: string | null; table: AssignedTable | undefined },
): Promise<UploadedGlossary> {
  const { tenantId, name, source, target, read, entries } = await readUpload(
    services,
    withTenant,
    form,
    signal,
    expected?.table,
  );
  const warnings = await inSlices(glossaryWarnings(read, entries));
  const revision = expected ? revisionAfter(expected, form) : newId();
  // With the lock, two uploads cannot both use the same free capacity.
  return withTenantLock(services.database, tenantId, 'terminology', async (tx) => {
    if (expected) {
      const present = await lockSet(tx, tenantId, name);
      if (present?.revision === revision) return { ...setView(present), warnings };
      if ((present?.revision ?? null) !== expected.replaces)
        throw new AppError(
          'state_conflict',
          'the glossary has changed since the preview; preview the file again',
        );
    }
    await requireRoomForUpload(tx, services.settings, tenantId, name, entries);
    const set = await replaceSet(tx, {
      tenantId,
      setId: newId(),
      name,
      sourceLang: source?.tag ?? null,
      targetLang: target?.tag ?? null,
      entryCount: entries.length,
      // Terms are not embedded. The name of the model only shows whether one is configured.
      embeddingModel: services.embedder?.model ?? null,
      revision,
    });
    await insertEntries(tx, tenantId, set.setId, entries);
    return { ...setView(set), warnings };
  });
}

/** Returns the revision of a glossary after this upload, which is the same whenever the request is repeated. */
function revisionAfter(
  { replaces, table }: { replaces: string | null; table: AssignedTable | undefined },
  { name, source_lang, target_lang, terminology_file: file }: GlossaryForm,
): string {
  const fields = JSON.stringify([replaces, name, source_lang, target_lang, file?.name, table]);
  return createHash('sha256')
    .update(fields)
    .update(file?.bytes ?? '')
    .digest('hex')
    .slice(0, 32);
}

export type UploadServices = Pick<Services, 'database' | 'embedder' | 'fileWork' | 'settings'>;

/**
 * Checks the form of an upload, and reads its file.
 * @param table the use of the file's columns. Default: by the names in its header
 * @throws AppError 400, 413, 415, 422
 */
export async function readUpload(
  services: UploadServices,
  withTenant: WithTenant,
  form: GlossaryForm,
  signal: AbortSignal,
  table?: AssignedTable,
) {
  // Authenticate the caller before returning validation errors, and make all checks before reading the file, which is
  // expensive.
  const { tenantId, file, kind, name, source, target } = await withTenant(async (tx, { tenant }) => {
    const checked = checkForm(form);
    await requireRoomForGlossary(tx, services.settings, tenant.id, checked.name);
    return { tenantId: tenant.id, ...checked };
  });
  const payload = {
    ...{ bytes: file.bytes, kind, declared: { source, target } },
    assigned: table && { hasHeader: table.has_header, columns: table.columns },
  };
  const read = await readFile(services, { tenantId, signal }, payload);
  const entries = read.entries.map(
    (entry): NewEntry => ({
      ...entry,
      sourceLang: entry.sourceLang ?? source?.code ?? '',
      targetLang: entry.targetLang ?? target?.code ?? '',
    }),
  );
  return { tenantId, name, source, target, read, entries };
}

/**
 * Requires that the workspace has room for the set and its terms, without the set of this name.
 * @throws AppError 422; the message contains the limit
 */
export async function requireRoomForUpload(
  tx: Tx,
  settings: Services['settings'],
  tenantId: string,
  name: string,
  entries: readonly NewEntry[],
): Promise<void> {
  await requireRoomForGlossary(tx, settings, tenantId, name);
  requireCapacity(await countByLanguages(tx, tenantId, name), sizesOf(entries), settings);
}

/**
 * Requires that the workspace may have one more glossary, or has one of this name.
 * @throws AppError 422; the message contains the limit
 */
export async function requireRoomForGlossary(
  tx: Tx,
  settings: Pick<Services['settings'], 'WORKSPACE_LIMITS'>,
  tenantId: string,
  name: string,
): Promise<void> {
  requireRoomForSet(await countOtherSets(tx, tenantId, name), settings.WORKSPACE_LIMITS.glossaries, {
    code: 'terminology_max_sets_exceeded',
    noun: 'glossaries',
  });
}

function checkForm(form: GlossaryForm) {
  const file = form.terminology_file ?? form.terminology_csv;
  if (!file) throw new AppError('validation_error', 'terminology_file upload is required');
  const kind = requireKind(file);
  if (file.bytes.length === 0) throw new AppError('validation_error', 'terminology_file is empty');
  const name = requireSetName(form.name);
  const read = kind === 'tmx' || kind === 'tbx' ? requireDeclaredLanguage : readDeclaredLanguage;
  const source = read('source_lang', form.source_lang);
  const target = read('target_lang', form.target_lang);
  requireDifferent(source?.code, target?.code);
  return { file, kind, name, source, target };
}

/** Content types that declare TBX. There is no registered type for TBX. */
const tbxTypes: readonly string[] = [tbxType, 'application/x-tbx', 'application/tbx+xml'];

/** The content types that are accepted for each kind of file. */
const typesOf: Readonly<Record<GlossaryKind, readonly string[]>> = {
  csv: ['text/csv', 'application/vnd.ms-excel', 'text/plain'],
  tmx: tmxTypes,
  tbx: [...tbxTypes, 'application/xml', 'text/xml', 'application/octet-stream'],
  xlsx: [xlsxType, 'application/vnd.ms-excel', 'application/octet-stream'],
  json: ['application/json', 'text/json', 'text/plain', 'application/octet-stream'],
};

/** The further content types of a file with the extension `.tsv`, which programs often do not know. */
const tsvTypes = ['text/tab-separated-values', 'application/octet-stream'];

/**
 * Returns the kind of a file, by its suffix. Without a suffix it is CSV, TMX or TBX, by its content type
 * (docs/decisions/0066).
 * @throws AppError 415
 */
function requireKind({ name, contentType }: UploadedFile): GlossaryKind {
  const suffix = suffixOf(name);
  const type = declaredType(contentType);
  // The delimiter of a CSV file is detected.
  const bySuffix = suffix === '.tsv' ? 'csv' : glossaryKinds.find((kind) => suffix === `.${kind}`);
  if (suffix !== '' && !bySuffix)
    throw new AppError('unsupported_media_type', 'terminology_file must be a .csv or .tmx file', {
      hint: '.tsv, .tbx, .xlsx and .json files are accepted too',
    });
  const kind = bySuffix ?? (tbxTypes.includes(type) ? 'tbx' : tmxTypes.includes(type) ? 'tmx' : 'csv');
  const types = suffix === '.tsv' ? [...typesOf.csv, ...tsvTypes] : typesOf[kind];
  if (type !== '' && !types.includes(type))
    throw new AppError(
      'unsupported_media_type',
      `the content type ${JSON.stringify(type.slice(0, 100))} of terminology_file does not match a .${kind} file; send it as ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(types)}`,
    );
  return kind;
}

/** Returns the columns of a table as the API returns them. */
export function tableView({ hasHeader, columns }: GlossaryTable): ReadTable {
  return { has_header: hasHeader, columns };
}

async function readFile(
  { fileWork }: Pick<Services, 'fileWork'>,
  scope: TaskScope,
  payload: ReadGlossaryPayload,
): Promise<GlossaryFile> {
  try {
    const read = await fileWork.run('read_glossary', payload, scope);
    if ('refused' in read)
      throw new AppError('validation_error', `terminology_file: ${read.message}`, {
        present: read.table && tableView(read.table),
        ...(read.unknownNames?.length && {
          hint: `not recognized as columns: ${read.unknownNames.map((name) => `“${name}”`).join(', ')}`,
        }),
      });
    return read.file;
  } catch (error) {
    throw unreadableFile('terminology_file', error);
  }
}
