import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finding } from '#server/formats/document.ts';
import { type OpenedFile, openFile } from '../opened-file.ts';
import { readFields } from './fields.ts';
import { type Graphics, readGraphics } from './graphics.ts';
import { judgePage, type PageFigures } from './judge-page.ts';
import { type Page, readPages } from './poppler.ts';
import { readDictionary } from './source-text.ts';
import { keyOf, letterRun, type Target, WordMap } from './word-map.ts';

/** A translated file with the figures of its pages. */
export interface JudgedFile {
  target: string;
  pages: PageFigures[];
}

/** The source as poppler shows it. */
export interface SourceFile {
  path: string;
  pages: Page[];
  graphics: Graphics[];
}

/** @param last the number of the last page that is read */
export async function readSource(path: string, last: number): Promise<SourceFile> {
  const pages = readPages(path, last);
  const fields = await readFields(path, last);
  const graphics = pages.map((_, index) => ({
    ...readGraphics(path, index + 1),
    fields: fields[index] ?? [],
  }));
  return { path, pages, graphics };
}

/** The runs of letters in a file, in lower case, which a word map leaves to it. */
export function lettersOf(pages: readonly Page[]): Set<string> {
  const runs = pages.flatMap(({ words }) => words.flatMap(({ text }) => text.match(letterRun) ?? []));
  return new Set(runs.map((run) => keyOf(run).toLowerCase()));
}

/**
 * Translates a PDF with a word map, and judges each page.
 * @param output the path of the translation
 * @param selection the pages that are translated
 */
export async function judgeFile(
  source: SourceFile,
  target: Target,
  output: string,
  selection: { pages?: string[] } = {},
): Promise<{ judged: JudgedFile; opened: OpenedFile; findings: Finding[] }> {
  const map = new WordMap(target, lettersOf(source.pages));
  const opened = await openFile('pdf', readFileSync(source.path), selection);
  const { bytes, findings } = await opened.write(({ source }) => map.translate(source), {
    targetLanguage: target.language,
    ...selection,
  });
  writeFileSync(output, bytes);
  const after = readPages(output, source.pages.length);
  const dictionary = readDictionary();
  const pages = source.pages.flatMap((page, index) => {
    if (!after[index]) return [];
    const graphics = source.graphics[index]!;
    const marks = graphics.marks.length > 0 ? readGraphics(output, index + 1).marks : [];
    return [judgePage(index + 1, page, after[index], graphics, map, { marks, dictionary })];
  });
  return { judged: { target: target.name, pages }, opened, findings };
}

/** Runs with a new directory, which is removed afterwards. */
export async function withDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'fidelity-'));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
