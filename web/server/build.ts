import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locale } from './locale.ts';

/** The output directory of `npm run build:web`. */
export const dist = join(import.meta.dirname, '../dist');

/**
 * The parts of a language's messages. `signIn`: the messages of the sign-in, which all screens need; `sets`: those of
 * glossaries and TMs; `tools`: those of dialogs and of tools that the editor loads on demand; `settings`: those of members,
 * security, API keys, storage and billing; `work`: those of files, texts and the editor; `workspace`: those of all areas
 * that no other part has. The others have the messages of their area.
 */
export const catalogParts = [
  'signIn',
  'workspace',
  'demo',
  'operator',
  'styleGuides',
  'audit',
  'estimates',
  'sets',
  'tools',
  'usage',
  'quality',
  'settings',
  'assignments',
  'translate',
  'work',
] as const;
export type CatalogPart = (typeof catalogParts)[number];

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
