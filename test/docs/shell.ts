import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Snippet } from './snippets.ts';

/** Before the blocks of a page: an error response is a failure, in $(...) too. */
const preamble = `set -euo pipefail
trap 'echo "failed: $BLOCK" >&2' ERR
curl() {
  command curl --fail-with-body "$@" && return
  [ $BASH_SUBSHELL = 0 ] || echo "$BLOCK: curl $*" >> .failures
  return 22
}`;

/** After them: no variable contains a field that was missing in a response. */
const epilogue = `! declare -p | grep '="undefined"$' >> .failures
env -0 > .environment`;

export interface ShellOptions {
  /** The working directory of the blocks. */
  place: string;
  env: Record<string, string>;
  /** Milliseconds after which everything that they have started is killed. */
  longest: number;
  /** A transformation of their code. */
  adapt: (code: string) => string;
  /** Commands before them. */
  before?: string;
}

/** The output of blocks, and the variables that they have exported. */
export interface ShellOutcome {
  printed: string;
  variables: Record<string, string>;
}

/**
 * Runs blocks of commands in one shell, in their order.
 * @throws Error with what they printed if a command fails, naming the page and line of its block
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
