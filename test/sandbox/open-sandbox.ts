import { existsSync, readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { Sandbox, type SandboxOptions } from '#server/sandbox/sandbox.ts';
import type { tasks } from './tasks.ts';

export type TestSandbox = Sandbox<typeof tasks>;

/** A sandbox for the tasks of the tests, closed when the test is over. */
export function openTestSandbox(options: SandboxOptions = {}): TestSandbox {
  const sandbox = new Sandbox<typeof tasks>(new URL('./tasks.ts', import.meta.url), options, [
    new URL('./network-attempts.ts', import.meta.url),
  ]);
  onTestFinished(() => sandbox.close());
  return sandbox;
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
