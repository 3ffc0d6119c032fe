import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sideBySide } from './pictures.ts';
import { writePng } from './png.ts';
import type { FileResult } from './run-file.ts';

/** A page of a stranger's file, as sample.tsv lists it. */
export interface StrangerPage {
  /** Its number in the list, with two digits. */
  number: string;
  kind: string;
  repository: string;
  commit: string;
  path: string;
  page: string;
  sha256: string;
}

export function readStrangers(list = join(import.meta.dirname, 'sample.tsv')): StrangerPage[] {
  const [, ...lines] = readFileSync(list, 'utf8').trimEnd().split('\n');
  return lines.map((line, index) => {
    const [kind, repository, commit, path, page, , , sha256] = line.split('\t') as string[];
    const number = `${index + 1}`.padStart(2, '0');
    return {
      number,
      kind: kind!,
      repository: repository!,
      commit: commit!,
      path: path!,
      page: page!,
      sha256: sha256!,
    };
  });
}

/**
 * Cuts the pages from the files of fetched repositories, and returns their paths. Pages whose files are absent are
 * skipped with the reason.
 *
 * @param folder has the Git repositories as `owner+name/repo`
 */
export function cutPages(strangers: readonly StrangerPage[], folder: string, output: string): string[] {
  if (spawnSync('qpdf', ['--version']).error) {
    console.warn('the sample is skipped: qpdf is not installed');
    return [];
  }
  mkdirSync(output, { recursive: true });
  return strangers.flatMap(({ number, repository, commit, path, page, sha256 }) => {
    const skip = (reason: string): [] => {
      console.warn(`page ${number} is skipped: ${repository} ${path} ${reason}`);
      return [];
    };
    const source = fileOf(join(folder, repository.replace('/', '+'), 'repo'), commit, path);
    if (!source) return skip('is not in the folder');
    if (createHash('sha256').update(source).digest('hex') !== sha256) return skip('has another content');
    const whole = join(output, 'whole.pdf');
    writeFileSync(whole, source);
    const cut = join(output, `${number}.pdf`);
    // A warning about the source ends qpdf with 3.
    spawnSync('qpdf', ['--decrypt', whole, '--pages', '.', page, '--', cut]);
    return existsSync(cut) ? [cut] : skip(`has no page ${page} that qpdf can cut`);
  });
}

/**
 * Returns a file of a fetched repository; null if missing.
 *
 * @param repository the directory of a Git repository, with or without a work tree
 */
export function fileOf(repository: string, commit: string, path: string): Buffer | null {
  const git = [repository, join(repository, '.git')].find((each) => existsSync(join(each, 'HEAD')));
  if (!git) return null;
  try {
    return execFileSync('git', ['--git-dir', git, 'show', `${commit}:${path}`], {
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return null;
  }
}

/** In dots per inch, so that small print can be read. */
const resolution = 110;

/** Writes pictures of each page and its translation, without frames and with frames around the faults. */
export function drawStrangers(results: readonly FileResult[], output: string): void {
  for (const { path, name, judged } of results)
    for (const { target, pages } of judged)
      for (const { page, faults } of pages) {
        const result = join(output, `${name}-${target}.pdf`);
        const write = (suffix: string, marked: typeof faults): void =>
          writeFileSync(
            join(output, `${name}-${target}${suffix}.png`),
            writePng(sideBySide(path, result, page, marked, resolution)),
          );
        write('', []);
        write('-faults', faults);
      }
}
