import { writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { type JudgedFile, judgeFile, readSource } from './judge-file.ts';
import { targets } from './word-map.ts';

/** The task of a process that judges one file. */
export interface FileTask {
  /** The file, and the name of its results without an extension. */
  path: string;
  name: string;
  /** The directory of results: translations, and figures as JSON. */
  output: string;
  /** The names of the targets. */
  targets: readonly string[];
  /** The number of pages that are judged. */
  pages: number;
}

export interface FileResult {
  path: string;
  name: string;
  judged: JudgedFile[];
  /** The message of the error that prevented a judgement. */
  problem?: string;
}

export async function judge(task: FileTask): Promise<FileResult> {
  const { path, name, output, pages } = task;
  const result: FileResult = { path, name, judged: [] };
  try {
    const source = await readSource(path, pages);
    for (const target of targets.filter(({ name }) => task.targets.includes(name)))
      result.judged.push(
        (await judgeFile(source, target, join(output, `${name}-${target.name}.pdf`))).judged,
      );
  } catch (error) {
    result.problem = error instanceof Error ? error.message.slice(0, 200) : `${error}`;
  }
  return result;
}

/** The name of a file's results. @param index makes it unique */
export function resultName(path: string, index: number): string {
  const stem = basename(path, extname(path)).replace(/[^\w.-]+/g, '-');
  return `${`${index + 1}`.padStart(3, '0')}-${stem.slice(0, 60)}`;
}

if (process.argv[1] === import.meta.filename) {
  const task = JSON.parse(process.argv[2]!) as FileTask;
  writeFileSync(join(task.output, `${task.name}.json`), JSON.stringify(await judge(task)));
  process.exit(0);
}
