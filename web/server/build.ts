import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CatalogPart, Locale } from './locale.ts';

/** The output directory of `npm run build:web`. */
export const dist = join(import.meta.dirname, '../dist');

/** The URLs of a language's messages. */
export type Catalog = Record<CatalogPart, string>;

/** URLs of scripts and style sheets. */
export interface Files {
  scripts: string[];
  styles: string[];
}

/** The URLs of the files that the first page needs. */
export interface Build {
  /** The scripts of the page in the order in which they run: the session, then the application. */
  scripts: string[];
  /** The scripts and everything that they import. */
  first: Files;
  /** The additional files of each screen, by the name of the screen's source file. */
  screens: Record<string, Files>;
  catalogs: Record<Locale, Catalog>;
  /** The style sheet of the public pages. */
  pageStyle: string;
  /** The style sheet of the guides. */
  guideStyle: string;
  /** The script of the frame that shows Word files. */
  wordPreview: string;
}

/** Reads the list of the built files in a directory. Undefined if there is no build, as without dev dependencies. */
export function readBuild(folder: string): Build | undefined {
  const file = join(folder, 'build.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Build) : undefined;
}
