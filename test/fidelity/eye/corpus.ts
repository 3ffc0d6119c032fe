import { join } from 'node:path';
import { corpusNames } from '#test/corpus/files.ts';

const folder = join(import.meta.dirname, '../../corpus');

/** The documents that LibreOffice lays out in thousands of pages are left out. */
const tooLong = ['made-large-24000-strings.xlsx'];

/** The paths of the PDF and Office files in the corpus. */
export function corpusDocuments(): string[] {
  return ['pdf', 'docx', 'xlsx'].flatMap((format) =>
    corpusNames(format)
      .filter((name) => name.endsWith(`.${format}`) && !tooLong.includes(name))
      .map((name) => join(folder, format, name)),
  );
}
