import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { documentKind, type FlattenKind, layoutKind } from '#server/formats/document-kind.ts';
import { memoryText } from '#server/formats/inline-content.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { srxOf } from '#server/language/segmentation/rules.ts';
import { requireLanguagePair, unreadableFile } from '#server/language/set-upload.ts';
import { maxSentences } from '#server/matching/alignment/index.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import { takeTurn } from '#server/platform/sandbox-errors.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import {
  type AlignFilesRequest,
  type FileAlignment,
  type ImportPairsRequest,
  maxPairText,
} from './alignment-schema.ts';
import { type Received, receiveImport } from './imports/start-import.ts';

type AlignServices = Pick<Services, 'database' | 'fileWork' | 'settings'>;

/**
 * Aligns a file and its translation by sentence. Stores nothing. The files may have different formats; their texts must be
 * in the same order.
 * @throws AppError 400 if a file cannot be read or the files do not belong together; 413, 415, 422, 503
 */
export async function alignFiles(
  services: AlignServices,
  withTenant: WithTenant,
  request: AlignFilesRequest,
  signal: AbortSignal,
): Promise<FileAlignment> {
  const { scope, source, target, files, srx } = await withTenant(async (tx, { tenant }) => {
    const pair = requireLanguagePair(request);
    const files = [
      readFile('source_file', request.source_file, services.settings.MAX_UPLOAD_BYTES),
      readFile('target_file', request.target_file, services.settings.MAX_UPLOAD_BYTES),
    ] as const;
    return { scope: { tenantId: tenant.id, signal }, ...pair, files, srx: await srxOf(tx) };
  });
  const aligned = await takeTurn(services.fileWork, scope, async () => {
    const sources = await textsOf(services, files[0], scope);
    const targets = await textsOf(services, files[1], scope);
    return services.fileWork
      .run(
        'align_texts',
        {
          source: { texts: sources, language: source.code },
          target: { texts: targets, language: target.code },
          srx,
        },
        scope,
      )
      .catch((error: unknown) => {
        throw unreadableFile('source_file and target_file', error);
      });
  });
  if ('tooMany' in aligned)
    throw new AppError(
      'validation_error',
      `a file has ${aligned.tooMany} sentences; at most ${maxSentences} can be aligned`,
    );
  if (!aligned.belongTogether)
    throw new AppError(
      'validation_error',
      'target_file does not seem to be a translation of source_file: their sentences have too little in common',
    );
  if (aligned.isUntranslated)
    throw new AppError(
      'validation_error',
      'target_file is not translated: most of its sentences are those of source_file',
    );
  const longest = aligned.links.reduce(
    (max, { source, target }) => Math.max(max, source.length, target.length),
    0,
  );
  if (longest > maxPairText)
    throw new AppError(
      'validation_error',
      `a file has a sentence of ${longest} characters; at most ${maxPairText} can be aligned`,
    );
  return {
    links: aligned.links.map(({ sourceSentences, targetSentences, ...link }) => ({
      ...link,
      source_sentences: sourceSentences,
      target_sentences: targetSentences,
    })),
  };
}

interface UploadedText {
  field: string;
  kind: { layout: LayoutKind } | { flat: FlattenKind };
  bytes: Uint8Array;
}

/** @throws AppError 400, 413, 415 */
export function readFile(
  field: string,
  { file_name, content }: AlignFilesRequest['source_file'],
  maxBytes: number,
): UploadedText {
  const layout = layoutKind(file_name, undefined);
  const flat = documentKind(file_name, undefined);
  if (!layout && !flat)
    throw new AppError(
      'unsupported_media_type',
      `${field} has an unsupported type; its name must have the extension of a supported format, such as .docx or .html`,
    );
  // A copy, because it is handed over to a child process.
  const bytes = new Uint8Array(Buffer.from(content, 'base64'));
  if (bytes.length === 0) throw new AppError('validation_error', `${field} is empty`);
  if (bytes.length > maxBytes)
    throw new AppError('payload_too_large', `${field} exceeds ${maxBytes} bytes (MAX_UPLOAD_BYTES)`);
  return { field, kind: layout ? { layout } : { flat: flat! }, bytes };
}

/**
 * Returns the texts of a file in reading order.
 * @throws AppError 400 if it cannot be read or has no text; 503
 */
export async function textsOf(
  { fileWork }: AlignServices,
  { field, kind, bytes }: UploadedText,
  scope: TaskScope,
): Promise<string[]> {
  const read =
    'flat' in kind
      ? fileWork.run('flatten', { kind: kind.flat, bytes }, scope)
      : fileWork.run('extract_document', { format: kind.layout, bytes }, scope);
  const result = await read.catch((error: unknown) => {
    throw unreadableFile(field, error);
  });
  if ('refused' in result) throw new AppError('validation_error', `${field}: ${result.message}`);
  const texts =
    'text' in result ? result.text.split(/\n{2,}/) : result.segments.map(({ source }) => memoryText(source));
  if (texts.every((text) => text.trim() === ''))
    throw new AppError('validation_error', `${field} has no text`);
  return texts;
}

/**
 * Imports sentence pairs as a TM, in the same way as a TMX file that contains them.
 * @throws AppError as an import
 */
export async function importPairs(
  services: Parameters<typeof receiveImport>[0],
  withTenant: WithTenant,
  { pairs, file_name: fileName = '', ...form }: ImportPairsRequest,
  signal: AbortSignal,
): Promise<Received> {
  const { source_lang: sourceLang, target_lang: targetLang } = form;
  const units = await inSlices(unitsOf(pairs, form));
  const text = tmxHead({ sourceLang, targetLang, creationDate: new Date() }) + units + tmxTail;
  const tmx_file = {
    name: 'pairs.tmx',
    contentType: 'application/xml',
    bytes: new TextEncoder().encode(text),
    via: 'form',
  } as const;
  return receiveImport(services, withTenant, { ...form, tmx_file }, signal, fileName);
}

function* unitsOf(
  pairs: ImportPairsRequest['pairs'],
  {
    source_lang: sourceLang,
    target_lang: targetLang,
  }: Pick<ImportPairsRequest, 'source_lang' | 'target_lang'>,
): Generator<undefined, string> {
  let units = '';
  for (const pair of pairs) {
    units += tmxUnit({ ...pair, sourceLang, targetLang, tuid: null, changedate: null });
    yield;
  }
  return units;
}
