import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { FileError } from '#server/formats/file-error.ts';
import type { Section } from './report.ts';

/*
 * Files of strangers, which are not in the repository: they are translated, and judged by Python programs that use none
 * of the service's readers.
 */

const python = '/usr/bin/python3';

/** Whether Python has the modules. */
export const hasModules = (modules: string): boolean =>
  spawnSync(python, ['-c', `import ${modules}`]).status === 0;

/** Returns the output of a judge, a program next to this file. */
export function runJudge(script: string, input: string): string {
  return execFileSync(python, [join(import.meta.dirname, script)], {
    input,
    maxBuffer: 1e9,
    encoding: 'utf8',
  });
}

/** Saves contents under names in a new directory while `use` runs, which gets their paths in the same order. */
export function withSaved<T>(
  files: readonly (readonly [name: string, bytes: Uint8Array])[],
  use: (paths: string[]) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  try {
    const paths = files.map(([name], at) => join(folder, `${at}-${basename(name)}`));
    for (const [at, path] of paths.entries()) writeFileSync(path, files[at]![1]);
    return use(paths);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A judge of files of a family of formats. */
export interface FolderJudge<Kind extends string> {
  title: string;
  /** Why the judge cannot run; undefined if it can. */
  missing(): string | undefined;
  /** The format of a file, by its path; undefined for a file that is not judged. */
  kindOf(path: string): Kind | undefined;
  /** The most files of a format that are judged: every second or third one if there are more. */
  most: number;
  /** The columns of the counts that `judge` returns. */
  counts: readonly string[];
  /**
   * Translates a file, and compares it with its source.
   * @throws {FileError} for a file that is rejected
   */
  judge(path: string, source: Buffer, kind: Kind): Promise<{ counts: number[]; faults: string[] }>;
}

/** Judges the files in folders: a row of the table for each format. Faults are printed to the standard error. */
export async function judgeFolders<Kind extends string>(
  judge: FolderJudge<Kind>,
  folders: readonly string[],
): Promise<Section> {
  const found = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => resolve(entry.parentPath, entry.name))
      .sort()
      .flatMap((path) => {
        const kind = judge.kindOf(path);
        return kind === undefined ? [] : [{ path, kind }];
      }),
  );
  const rows: string[][] = [];
  for (const [kind, files] of Map.groupBy(found, (one) => one.kind)) {
    let sums = [0, 0, 0, ...judge.counts.map(() => 0)];
    const add = (values: readonly number[]) => {
      sums = sums.map((sum, at) => sum + (values[at] ?? 0));
    };
    for (const path of spread(files, judge.most).map((one) => one.path)) {
      const report = (fault: string) => console.error(`  ${path}: ${fault.slice(0, 500)}`);
      try {
        const { counts, faults } = await judge.judge(path, readFileSync(path), kind);
        add([1, 0, Math.min(1, faults.length), ...counts]);
        faults.slice(0, 10).forEach(report);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        add([1, 1]);
        report(`refused: ${error.message}`);
      }
    }
    rows.push([kind, ...sums.map(String)]);
  }
  const head = ['format', 'files', 'refused', 'with faults', ...judge.counts];
  return { title: judge.title, notes: '', tables: [{ title: 'By format', head, rows }] };
}

function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(all.length, most) }, (_, at) => all[Math.floor(at * step)]!);
}
