import { existsSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { Sandbox, type SandboxOptions } from '#server/platform/sandbox/sandbox.ts';
import type { tasks } from './tasks.ts';

export type TestSandbox = Sandbox<typeof tasks>;

/** A sandbox for the tasks of the tests. It is closed at the end of the test. */
export function openTestSandbox(options: SandboxOptions = {}): TestSandbox {
  const readable = ['./network-attempts.ts', './probes.ts'].map((path) => new URL(path, import.meta.url));
  const sandbox = new Sandbox<typeof tasks>(new URL('./tasks.ts', import.meta.url), options, readable);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Returns the ID of the process in a sandbox with one process. Starts the process if it does not run. */
export async function processOf(sandbox: TestSandbox): Promise<number> {
  await sandbox.run('echo', undefined);
  return sandbox.processIds[0]!;
}

/** Whether the process exists and is not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // The process has ended since, unless the system has no /proc.
    return !existsSync('/proc/self');
  }
}
