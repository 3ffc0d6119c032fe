import type { DeclaredLanguages, GlossaryFile, GlossaryKind, TableAssignment } from '../glossary-file.ts';
import { readGlossaryCsv } from './csv.ts';
import { readGlossaryJson } from './json.ts';
import { readGlossaryTbx, readGlossaryTmx } from './markup.ts';
import { readGlossaryXlsx } from './xlsx.ts';

/**
 * Reads a glossary file.
 *
 * @param declared the languages that the upload declares; a TMX or TBX file needs both
 * @param assigned the use of the columns of a CSV file or workbook, if the upload assigns them
 * @throws {GlossaryFileError} if the content is not a glossary
 * @throws {FileError} `protected`, `too_large` or `unreadable`, for a workbook
 */
export function readGlossary(
  kind: GlossaryKind,
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned?: TableAssignment,
): GlossaryFile | Promise<GlossaryFile> {
  if (kind === 'csv') return readGlossaryCsv(bytes, declared, assigned);
  if (kind === 'xlsx') return readGlossaryXlsx(bytes, declared, assigned);
  if (kind === 'json') return readGlossaryJson(bytes, declared);
  const { source, target } = declared;
  if (!source || !target) throw new Error(`a ${kind} file needs two languages`);
  return (kind === 'tbx' ? readGlossaryTbx : readGlossaryTmx)(bytes, { source, target });
}
