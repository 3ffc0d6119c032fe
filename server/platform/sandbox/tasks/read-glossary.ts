import {
  type GlossaryFile,
  GlossaryFileError,
  readGlossaryCsv,
  readGlossaryTbx,
  readGlossaryTmx,
} from '#server/formats/glossary-file.ts';
import type { LanguageCode } from '#server/languages.ts';

export interface ReadGlossaryPayload {
  bytes: Uint8Array;
  kind: 'csv' | 'tmx' | 'tbx';
  /** The languages of a TMX or TBX file; null for a CSV. */
  declared: { source: LanguageCode; sourceTag: string; target: LanguageCode; targetTag: string } | null;
}

export type ReadGlossaryResult = { file: GlossaryFile } | { refused: string };

/**
 * Reads a glossary file. A rejection is a result and not an error, because error classes are lost between processes.
 */
export function readGlossaryTask({ bytes, kind, declared }: ReadGlossaryPayload): ReadGlossaryResult {
  try {
    if (!declared) return { file: readGlossaryCsv(bytes) };
    return { file: (kind === 'tbx' ? readGlossaryTbx : readGlossaryTmx)(bytes, declared) };
  } catch (error) {
    if (!(error instanceof GlossaryFileError)) throw error;
    return { refused: error.message };
  }
}
