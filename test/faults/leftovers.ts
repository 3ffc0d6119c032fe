import { spawnSync } from 'node:child_process';

/** The processes whose command line contains a directory, as `pid command line`. Most of them belong to PostgreSQL. */
export function processesOf(folder: string): string[] {
  const { stdout } = spawnSync('ps', ['-e', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(folder));
}
