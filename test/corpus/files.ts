import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('./', import.meta.url);

/** The bytes of a file of the corpus, by its path in it. */
export function corpusFile(path: string): Uint8Array {
  return readFileSync(new URL(path, root));
}

/** The names of the files in one of its folders. */
export function corpusNames(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root)).sort();
}
