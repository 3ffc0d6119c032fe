import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { dist } from '#web/server/build.ts';
import type { Ready } from './ready.ts';

/** Maximum size of the fonts that a screen loads, in kilobytes. They are compressed already. */
export const maxFonts = 100;

/** A screen, and the limits for it. */
export interface Screen {
  name: string;
  ready: Ready;
  /** Maximum size of a first load in kilobytes, compressed with gzip and without fonts. */
  most: number;
  /**
   * Maximum seconds until the screen can be used: `cold` at the first visit, `warm` with the files in the browser's
   * cache.
   */
  cold: number;
  warm?: number;
}

/** The measured screens: the sign-in, the inbox with tasks, and the editor of a document. */
export const screens = {
  signIn: { name: 'sign-in', ready: { selector: 'input[type=password]' }, most: 141, cold: 1.2 },
  inbox: { name: 'inbox', ready: { selector: 'main li a' }, most: 190, cold: 2, warm: 1.2 },
  editor: { name: 'editor', ready: { selector: 'textarea[data-edited]' }, most: 251, cold: 2.2, warm: 1.4 },
} as const satisfies Record<string, Screen>;

/**
 * Collects the built files that a page loads, by the network.
 * @returns a function that returns the sizes of the files until then, in kilobytes: `files` compressed with gzip
 */
export function watchFiles(page: Page): () => { files: number; fonts: number; names: string[] } {
  const loaded = new Set<string>();
  page.on('requestfinished', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/static/')) loaded.add(pathname);
  });
  return () => {
    const names = [...loaded];
    const sizeOf = (some: string[]) => some.reduce((sum, name) => sum + compressedSize(name), 0) / 1000;
    const isFont = (name: string) => name.endsWith('.woff2');
    return {
      files: sizeOf(names.filter((name) => !isFont(name))),
      fonts: sizeOf(names.filter(isFont)),
      names,
    };
  };
}

function compressedSize(pathname: string): number {
  const file = join(dist, pathname);
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size;
}
