import {
  type GlossaryFile,
  GlossaryFileError,
  readGlossaryCsv,
  readGlossaryTmx,
} from '#server/formats/glossary-file.ts';
import type { LanguageCode } from '../../languages.ts';

export interface ReadGlossaryPayload {
  bytes: Uint8Array;
  /** The languages of a TMX file; null for a CSV. */
  declared: { source: LanguageCode; sourceTag: string; target: LanguageCode; targetTag: string } | null;
}

export type ReadGlossaryResult = { file: GlossaryFile } | { refused: string };

/** A glossary file, read. A refusal is a result, because error classes do not cross processes. */
export function readGlossaryTask({ bytes, declared }: ReadGlossaryPayload): ReadGlossaryResult {
  try {
    return { file: declared ? readGlossaryTmx(bytes, declared) : readGlossaryCsv(bytes) };
  } catch (error) {
    if (!(error instanceof GlossaryFileError)) throw error;
    return { refused: error.message };
  }
}
