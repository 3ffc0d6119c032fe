import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/setup/launch.ts';

export const monitoring = join(root, 'examples/monitoring');

export const readMonitoring = (name: string) => readFileSync(join(monitoring, name), 'utf8');

/** Whether Prometheus is installed (Debian's package `prometheus`). */
export const hasPrometheus = ['promtool', 'prometheus'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

if (!hasPrometheus)
  console.log('prometheus is not installed: its tests of alerts and board are skipped (test/operations)');

/** Runs promtool in the directory of the examples, and returns its output. Throws if it finds a mistake. */
export const promtool = (...args: string[]) =>
  execFileSync('promtool', args, { cwd: monitoring, encoding: 'utf8' });
