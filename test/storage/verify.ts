import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { compareStore } from '#server/commands/verify-store/compare.ts';
import { Report } from '#server/commands/verify-store/report.ts';
import type { Services } from '#server/context.ts';
import { loadingFast, root } from '#test/setup/launch.ts';

export interface Verified {
  /** The lines about differences. Each is split into its fields. */
  found: string[][];
  /** The lines with counts. */
  counts: string[];
}

function parsed(lines: readonly string[]): Verified {
  return {
    found: lines.filter((line) => line.includes('\t')).map((line) => line.split('\t')),
    counts: lines.filter((line) => !line.includes('\t')),
  };
}

/** Compares storage and database in this process. */
export async function verifyHere(
  services: Pick<Services, 'accountStores' | 'database' | 'settings' | 'storage'>,
  { tenant, quick = false, repair = false }: { tenant?: string; quick?: boolean; repair?: boolean } = {},
): Promise<Verified> {
  const lines: string[] = [];
  const report = new Report(async (line) => void lines.push(line));
  const { signal: stop } = new AbortController();
  await compareStore({ ...services, report, quick, repair, stop }, tenant);
  await report.summarize();
  return parsed(lines);
}

export interface VerifyCommand extends Verified {
  code: number | null;
  stderr: string;
}

/** Runs `npm run verify-store` as a separate process. */
export function runVerify(
  env: Record<string, string>,
  args: string[] = [],
  nodeArgs: string[] = [],
): Promise<VerifyCommand> {
  const child = spawn(
    process.execPath,
    [
      ...loadingFast,
      '--max-semi-space-size=8',
      ...nodeArgs,
      join(root, 'server/commands/verify-store/main.ts'),
      ...args,
    ],
    { cwd: root, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stderr, ...parsed(stdout.split('\n').filter(Boolean)) }));
  });
}
