import {
  type DeclaredLanguages,
  type GlossaryFile,
  GlossaryFileError,
  type GlossaryKind,
  type TableAssignment,
} from '../glossary-file.ts';
import { fieldView } from '../term-fields.ts';
import { readGlossaryCsv } from './csv.ts';
import { readGlossaryJson } from './json.ts';
import { readGlossaryTbx, readGlossaryTmx } from './markup.ts';
import { readGlossaryXlsx } from './xlsx.ts';

/**
 * Maximum UTF-16 units of the fields of all terms together. In a workbook, a hundred thousand cells can share one long
 * text.
 */
const maxFieldUnits = 20_000_000;

/**
 * Reads a glossary file.
 *
 * @param declared the languages that the upload declares; a TMX or TBX file needs both
 * @param assigned the use of the columns of a CSV file or workbook, if the upload assigns them
 * @throws {GlossaryFileError} if the content is not a glossary
 * @throws {FileError} `protected`, `too_large` or `unreadable`, for a workbook
 */
export async function readGlossary(
  kind: GlossaryKind,
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned?: TableAssignment,
): Promise<GlossaryFile> {
  const file = await readKind(kind, bytes, declared, assigned);
  let units = 0;
  for (const entry of file.entries)
    for (const value of Object.values(fieldView(entry))) units += `${value}`.length;
  if (units > maxFieldUnits) throw new GlossaryFileError('the fields of the terms are too long together');
  return file;
}

function readKind(
  kind: GlossaryKind,
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned: TableAssignment | undefined,
): GlossaryFile | Promise<GlossaryFile> {
  if (kind === 'csv') return readGlossaryCsv(bytes, declared, assigned);
  if (kind === 'xlsx') return readGlossaryXlsx(bytes, declared, assigned);
  if (kind === 'json') return readGlossaryJson(bytes, declared);
  const { source, target } = declared;
  if (!source || !target) throw new Error(`a ${kind} file needs two languages`);
  return (kind === 'tbx' ? readGlossaryTbx : readGlossaryTmx)(bytes, { source, target });
}
