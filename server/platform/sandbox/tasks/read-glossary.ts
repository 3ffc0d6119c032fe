import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { readGlossaryCsv } from '#server/formats/glossary/csv.ts';
import { readGlossaryJson } from '#server/formats/glossary/json.ts';
import { readGlossaryTbx, readGlossaryTmx } from '#server/formats/glossary/markup.ts';
import { readGlossaryXlsx } from '#server/formats/glossary/xlsx.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  GlossaryFileError,
  type GlossaryKind,
} from '#server/formats/glossary-file.ts';

export interface ReadGlossaryPayload {
  bytes: Uint8Array;
  kind: GlossaryKind;
  /** The languages that the upload declares. A TMX or TBX file needs both. */
  declared: DeclaredLanguages;
}

/** The file, or the reason of its rejection with a message for its sender. */
export type ReadGlossaryResult =
  | { file: GlossaryFile }
  | { refused: FileErrorReason | 'invalid'; message: string };

/**
 * Reads a glossary file. A rejection is a result and not an error, because error classes are lost between processes.
 */
export async function readGlossaryTask(payload: ReadGlossaryPayload): Promise<ReadGlossaryResult> {
  try {
    return { file: await read(payload) };
  } catch (error) {
    if (error instanceof FileError) return { refused: error.reason, message: error.message };
    if (error instanceof GlossaryFileError) return { refused: 'invalid', message: error.message };
    throw error;
  }
}

function read({ bytes, kind, declared }: ReadGlossaryPayload): GlossaryFile | Promise<GlossaryFile> {
  if (kind === 'csv') return readGlossaryCsv(bytes, declared);
  if (kind === 'xlsx') return readGlossaryXlsx(bytes, declared);
  if (kind === 'json') return readGlossaryJson(bytes, declared);
  const { source, target } = declared;
  if (!source || !target) throw new Error(`a ${kind} file needs two languages`);
  return (kind === 'tbx' ? readGlossaryTbx : readGlossaryTmx)(bytes, { source, target });
}
