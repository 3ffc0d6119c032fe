import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { readGlossary } from '#server/formats/glossary/reader.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  GlossaryFileError,
  type GlossaryKind,
  type GlossaryTable,
  type TableAssignment,
} from '#server/formats/glossary-file.ts';

export interface ReadGlossaryPayload {
  bytes: Uint8Array;
  kind: GlossaryKind;
  /** The languages that the upload declares. A TMX or TBX file needs both. */
  declared: DeclaredLanguages;
  /** The use of the columns of a CSV file or workbook, if the upload assigns them. */
  assigned?: TableAssignment | undefined;
}

/** The file, or the reason of its rejection with a message for its sender and the columns, if they were read. */
type ReadGlossaryResult =
  | { file: GlossaryFile }
  | {
      refused: FileErrorReason | 'invalid';
      message: string;
      table?: GlossaryTable | undefined;
      unknownNames?: string[] | undefined;
    };

/**
 * Reads a glossary file. A rejection is a result and not an error, because error classes are lost between processes.
 */
export async function readGlossaryTask({
  bytes,
  kind,
  declared,
  assigned,
}: ReadGlossaryPayload): Promise<ReadGlossaryResult> {
  try {
    return { file: await readGlossary(kind, bytes, declared, assigned) };
  } catch (error) {
    if (error instanceof FileError) return { refused: error.reason, message: error.message };
    if (error instanceof GlossaryFileError) {
      const { message, table, unknownNames } = error;
      return { refused: 'invalid', message, table, unknownNames };
    }
    throw error;
  }
}
