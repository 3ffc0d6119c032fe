import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locale } from './locale.ts';

/** The output directory of `npm run build:web`. */
export const dist = join(import.meta.dirname, '../dist');

/** The URLs of a language's messages: those of the sign-in, which all screens need, and those of all other areas. */
export interface Catalog {
  signIn: string;
  workspace: string;
}

/** URLs of files. */
export interface Files {
  scripts: string[];
  styles: string[];
}

/** The URLs of the built application's first files. */
export interface Build {
  /** In the order in which they run: the session's, and the application's. */
  scripts: string[];
  /** The scripts with all their imports. */
  first: Files;
  /** The additional files of each screen, by the name of its file. */
  screens: Record<string, Files>;
  catalogs: Record<Locale, Catalog>;
  /** The style sheet of the public pages. */
  pageStyle: string;
  /** The script of the frame that shows Word files. */
  wordPreview: string;
}

/** The build in a directory; undefined without one, as without dev dependencies. */
export function readBuild(folder: string): Build | undefined {
  const file = join(folder, 'build.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Build) : undefined;
}
