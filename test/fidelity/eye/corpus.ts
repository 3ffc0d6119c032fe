import { join } from 'node:path';
import { corpusNames } from '#test/corpus/files.ts';

const folder = join(import.meta.dirname, '../../corpus');

/** The paths of the PDF files in the corpus. */
export function corpusPdfs(): string[] {
  return corpusNames('pdf')
    .filter((name) => name.endsWith('.pdf'))
    .map((name) => join(folder, 'pdf', name));
}
