/** Glossary files: the entries of a CSV or TMX file. */
export { readGlossaryCsv } from './csv.ts';
export type { GlossaryFile, GlossaryFileEntry } from './entry.ts';
export { GlossaryFileError } from './error.ts';
export { readGlossaryTmx } from './tmx.ts';
