import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Snippet } from './snippets.ts';

/** Runs before the blocks of a page. An error response then counts as a failure, also within $(...). */
const preamble = `set -euo pipefail
trap 'echo "failed: $BLOCK" >&2' ERR
curl() {
  command curl --fail-with-body "$@" && return
  [ $BASH_SUBSHELL = 0 ] || echo "$BLOCK: curl $*" >> .failures
  return 22
}`;

/** Runs after the blocks. No variable may contain the value of a field that is missing in a response. */
const epilogue = `! declare -p | grep '="undefined"$' >> .failures
env -0 > .environment`;

export interface ShellOptions {
  /** The working directory of the commands. */
  place: string;
  env: Record<string, string>;
  /** Milliseconds after which all processes that the commands have started are killed. */
  longest: number;
  /** Changes the code of a block before it is run. */
  adapt: (code: string) => string;
  /** Commands that run before the blocks. */
  before?: string;
}

/** The output of the blocks, and the variables that they export. */
export interface ShellOutcome {
  printed: string;
  variables: Record<string, string>;
}

/**
 * Runs the blocks one after the other in one shell.
 * @throws Error with the output of the blocks if a command fails; the message names the page and the line of the block
 */
export async function runShell(
  snippets: readonly Snippet[],
  { place, env, longest, adapt, before = '' }: ShellOptions,
): Promise<ShellOutcome> {
  const blocks = snippets.map(({ page, line, code }) => `BLOCK=${page}:${line}\n${adapt(code)}`);
  await writeFile(join(place, '.script.sh'), [preamble, before, ...blocks, epilogue].join('\n'));
  await writeFile(join(place, '.failures'), '');
  const shell = spawn('bash', ['.script.sh'], {
    cwd: place,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const late = setTimeout(() => process.kill(-(shell.pid as number), 'SIGKILL'), longest);
  const ended = new Promise<number | null>((resolve) => shell.once('exit', resolve));
  const [code, printed, errors] = await Promise.all([ended, text(shell.stdout), text(shell.stderr)]);
  clearTimeout(late);
  const failures = await readFile(join(place, '.failures'), 'utf8');
  if (code !== 0 || failures) throw new Error(`${failures}${printed.slice(-2000)}\n${errors.slice(-2000)}`);
  const variables = (await readFile(join(place, '.environment'), 'utf8')).split('\0').filter(Boolean);
  return {
    printed,
    variables: Object.fromEntries(
      variables.map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ),
  };
}
