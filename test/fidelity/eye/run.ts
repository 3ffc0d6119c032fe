import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type FileResult, type FileTask, resultName } from './run-file.ts';

export type RunOptions = Pick<FileTask, 'output' | 'targets' | 'pages'>;

/** In milliseconds. */
const longest = 600_000;

/** Judges each file in its own process, some at the same time. A file that takes too long has no figures. */
export async function judgeFiles(paths: readonly string[], options: RunOptions): Promise<FileResult[]> {
  mkdirSync(options.output, { recursive: true });
  const results: FileResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < paths.length) {
      const index = next++;
      const path = paths[index]!;
      results[index] = await judgeInProcess({ ...options, path, name: resultName(path, index) });
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return results;
}

function judgeInProcess(task: FileTask): Promise<FileResult> {
  const script = join(import.meta.dirname, 'run-file.ts');
  const written = join(task.output, `${task.name}.json`);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script, JSON.stringify(task)], {
      stdio: 'ignore',
      timeout: longest,
      killSignal: 'SIGKILL',
    });
    child.on('close', (code, signal) => {
      if (code === 0 && existsSync(written)) resolve(JSON.parse(readFileSync(written, 'utf8')) as FileResult);
      else {
        const problem = signal ? `no result after ${longest / 1000} s` : `the process ended with ${code}`;
        resolve({ path: task.path, name: task.name, judged: [], problem });
      }
    });
  });
}
