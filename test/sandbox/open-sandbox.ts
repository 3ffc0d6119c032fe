import { existsSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { Sandbox, type SandboxOptions } from '#server/platform/sandbox/sandbox.ts';
import type { tasks } from './tasks.ts';

export type TestSandbox = Sandbox<typeof tasks>;

/** A sandbox for the tasks of the tests, closed when the test is over. */
export function openTestSandbox(options: SandboxOptions = {}): TestSandbox {
  const readable = ['./network-attempts.ts', './probes.ts'].map((path) => new URL(path, import.meta.url));
  const sandbox = new Sandbox<typeof tasks>(new URL('./tasks.ts', import.meta.url), options, readable);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Returns the id of the process that runs the tasks of a sandbox with one process; it is started if it is not there. */
export async function processOf(sandbox: TestSandbox): Promise<number> {
  await sandbox.run('echo', undefined);
  return sandbox.processIds[0]!;
}

/** Whether the process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // Gone meanwhile, where there is such a folder at all.
    return !existsSync('/proc/self');
  }
}
