import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The same settings as in the scripts of package.json. */
const mallocSettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' };

export interface RunningService {
  address: string;
  pid: number;
  /** Peak resident memory of the process so far, in MB; null if the system does not report it. */
  peakMemory(): Promise<number | null>;
  /** Sends the signal, waits until the process ends, and returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts one of the service's programs in a separate process, and waits until it prints that it has started.
 * @param within a command that runs the program in its place, such as `ip netns exec`
 */
export async function startService(
  env: Record<string, string>,
  script = 'server/main.ts',
  args: string[] = [],
  within: string[] = [],
): Promise<RunningService> {
  const [program = '', ...given] = [
    ...[...within, process.execPath],
    ...['--max-semi-space-size=8', join(root, script), ...args],
  ];
  const child = spawn(program, given, {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', PORT: '0', ...mallocSettings, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const line = await firstLine(child, ended);
  return {
    address: /https?:\/\/\S+/.exec(line)?.[0] ?? '',
    pid: child.pid as number,
    peakMemory: () => peakMemory(child.pid as number),
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}

async function firstLine(child: ChildProcess, ended: Promise<number | null>): Promise<string> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const started = new Promise<string>((resolve) => {
    let seen = '';
    child.stdout?.on('data', (chunk) => {
      if (seen === '' || !seen.includes('LinguaLoop')) seen += chunk;
      const line = /LinguaLoop [^"]*/.exec(seen)?.[0];
      if (line) resolve(line);
    });
  });
  const failed = ended.then((code) => {
    throw new Error(`the service ended with ${code}: ${errors}`);
  });
  failed.catch(() => {});
  return Promise.race([started, failed]);
}

async function peakMemory(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024);
}
