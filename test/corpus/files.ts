import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('./', import.meta.url);

/** Reads a file of the corpus. @param path relative to the corpus */
export function corpusFile(path: string): Uint8Array {
  return readFileSync(new URL(path, root));
}

/** The names of the files in a directory of the corpus. */
export function corpusNames(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root)).sort();
}
