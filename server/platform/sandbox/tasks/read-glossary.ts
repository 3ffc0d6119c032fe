import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { readGlossary } from '#server/formats/glossary/reader.ts';
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
export async function readGlossaryTask({
  bytes,
  kind,
  declared,
}: ReadGlossaryPayload): Promise<ReadGlossaryResult> {
  try {
    return { file: await readGlossary(kind, bytes, declared) };
  } catch (error) {
    if (error instanceof FileError) return { refused: error.reason, message: error.message };
    if (error instanceof GlossaryFileError) return { refused: 'invalid', message: error.message };
    throw error;
  }
}
