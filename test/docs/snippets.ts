import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** All pages with commands that a reader may run. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'sdk/README.md',
  ...globSync('docs/*.md', { cwd: root }),
  ...globSync('examples/**/README.md', { cwd: root }),
].sort();

/** A block of code on a page. */
export interface Snippet {
  page: string;
  /** The number of the line on which the code begins. */
  line: number;
  /** The first word after the opening fence, such as `sh` or `ts`; empty for a diagram. */
  language: string;
  /** The reason why no test runs the block: the text after `not run:` on its opening fence. */
  reason: string | undefined;
  code: string;
}

/** The blocks of code on a page, in order. */
export function snippetsOf(page: string, text = readFileSync(join(root, page), 'utf8')): Snippet[] {
  return [...text.matchAll(/^( *)```(.*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', info = '', code = ''], at, all) => {
      const [language = ''] = info.trim().split(/\s+/);
      const before = text.slice(0, all[at]?.index);
      return {
        page,
        line: before.split('\n').length + 1,
        language,
        reason: /\bnot run: (.+)$/.exec(info)?.[1],
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      };
    },
  );
}

/**
 * The part of a page below a heading, up to the next heading of the same or a higher level. Line numbers stay the same.
 */
export function sectionOf(page: string, heading: string): string {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const level = /^#+/.exec(heading)?.[0].length ?? 1;
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`${page} has no "${heading}"`);
  const end = lines.findIndex((line, at) => at > from && new RegExp(`^#{1,${level}} `).test(line));
  return lines.map((line, at) => (at > from && (end < 0 || at < end) ? line : '')).join('\n');
}

/** The names of the shell variables that code reads, and of those that it sets. */
export function variablesOf(code: string): { read: Set<string>; set: Set<string> } {
  // A shell reads no variables within single quotes. Blocks of ours end the quotes before a variable: '"'$INVITE'"'.
  const read = [...code.matchAll(/\$\{?([A-Z][A-Z0-9_]*)/g)].map(([, name]) => name as string);
  const set = [...code.matchAll(/(?:^|[\s;])([A-Z][A-Z0-9_]*)=/g)].map(([, name]) => name as string);
  return { read: new Set(read), set: new Set(set) };
}
