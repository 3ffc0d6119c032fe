import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { poll } from './poll.ts';

export const root = join(import.meta.dirname, '../..');

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** Options of Node with which a process loads its modules as those of `server/commands/node.sh` do. */
export const loadingFast = ['--require', join(root, 'server/platform/module-loading.ts')];

/** A process that a test has started. */
export interface Launched {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** Returns everything that the process has printed so far. */
  printed(): string;
  /** Resolves when the process has printed these words. */
  says(words: string): Promise<unknown>;
  /** The URL at which the service listens. */
  address(): string;
}

/**
 * Runs a command in the root directory of the repository. Its environment consists of PATH, a free port and `env`.
 * @param command the arguments of Node; if `file` names another program, the arguments of that
 */
export function launch(
  command: readonly string[],
  env: Record<string, string | undefined> = {},
  { file = process.execPath, ...options }: SpawnOptions & { file?: string } = {},
): Launched {
  const child = spawn(file, file === process.execPath ? [...loadingFast, ...command] : command, {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const output = { stdout: '', stderr: '' };
  let printed = '';
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      output[name] += chunk;
      printed += chunk;
    });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...output }));
  });
  return {
    child,
    ended,
    printed: () => printed,
    says: (words) => poll(async () => printed.includes(words), 60),
    address: () => /LinguaLoop listens on ([^\s"]+)/.exec(printed)?.[1] ?? '',
  };
}

/** Creates a directory that is removed after the current test. */
export async function testFolder(prefix = 'lingualoop-test-'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** The processes whose command line contains a directory, as `pid command line`. Most of them belong to PostgreSQL. */
export function processesOf(folder: string): string[] {
  const { stdout } = spawnSync('ps', ['-e', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(folder));
}
