import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { extname, join, relative, resolve, sep } from 'node:path';

/** The file types that the service reads as text. */
const extensions: ReadonlySet<string> = new Set([
  '.csv',
  '.docx',
  '.htm',
  '.html',
  '.json',
  '.md',
  '.pdf',
  '.txt',
  '.xml',
]);

/** The translation of one file into one language. */
export interface Task {
  /** The path of the file relative to the directory, with `/` between its parts. */
  file: string;
  to: string;
}

/** Lists the files that can be translated, in a directory and all directories below it, ordered by name. */
export async function findFiles(folder: string, out: string): Promise<string[]> {
  const outFolder = resolve(out) + sep;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && extensions.has(extname(entry.name).toLowerCase()))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !resolve(path).startsWith(outFolder))
    .map((path) => relative(folder, path).replaceAll(sep, '/'))
    .filter((file) => !file.split('/').some((part) => part.startsWith('.')))
    .sort();
}

/**
 * Returns the idempotency key of a task. It is the same in every run, as long as path, content, languages and domain
 * are the same.
 */
export function keyOf(task: Task, content: Uint8Array, request: { from: string; domain: string }): string {
  const hash = createHash('sha256').update(content).digest('hex');
  const identity = JSON.stringify([task.file, hash, request.from, task.to, request.domain]);
  return `batch-translate-${createHash('sha256').update(identity).digest('hex')}`;
}

/**
 * Returns the output files of a task, relative to the out directory: one file, or one for each page if there are
 * several.
 */
export function outputsOf({ file, to }: Task, format: string, pages: number): string[] {
  if (pages === 1) return [`${file}.${to}.${format}`];
  return Array.from({ length: pages }, (_, page) => `${file}.${to}.page-${page + 1}.${format}`);
}
