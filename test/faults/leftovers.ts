import { spawnSync } from 'node:child_process';

/** The processes whose command line names a directory, PostgreSQL above all, as `pid command line`. */
export function processesOf(folder: string): string[] {
  const { stdout } = spawnSync('ps', ['-e', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(folder));
}
