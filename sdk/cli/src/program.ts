import { version } from '../../src/index.ts';
import {
  aligned,
  type Command,
  describeFailure,
  exitCodes,
  helpOf,
  nearest,
  parse,
  UnknownNameError,
  UsageError,
} from './command.ts';
import { align } from './commands/align.ts';
import { compat } from './commands/compat.ts';
import { glossary } from './commands/glossary.ts';
import { login, logout, whoami } from './commands/login.ts';
import { mcp } from './commands/mcp.ts';
import { memory } from './commands/memory.ts';
import { relay } from './commands/relay.ts';
import { review } from './commands/review.ts';
import { translate } from './commands/translate.ts';
import { usage } from './commands/usage.ts';
import { openClient } from './credentials.ts';
import { type Io, say, stylesOf, tell } from './io.ts';

/**
 * Runs the program.
 * @param argv the arguments after the name of the program
 * @returns the exit code
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    if (io.signal.aborted) {
      tell(io, 'interrupted');
      return exitCodes.interrupted;
    }
    const style = stylesOf(io, io.stderr);
    tell(io, `${style('red', 'error:')} ${describeFailure(error)}`);
    if (!(error instanceof UsageError)) return exitCodes.failed;
    if (error instanceof UnknownNameError)
      tell(io, 'Run "lingualoop --help" for the commands, or "lingualoop <command> --help" for one of them.');
    return exitCodes.usage;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<number> {
  const [first] = argv;
  if (first === '--version' || first === '-v') {
    say(io, version);
    return exitCodes.done;
  }
  if (
    first === undefined ||
    first === '--help' ||
    first === '-h' ||
    (first === 'help' && argv.length === 1)
  ) {
    const asked = first !== undefined;
    (asked ? say : tell)(io, overview());
    return asked ? exitCodes.done : exitCodes.usage;
  }
  const names = first === 'help' ? argv.slice(1) : argv;
  const { path, command, rest } = find(names);
  const asksForHelp = first === 'help' || rest.includes('--help') || rest.includes('-h');
  if (asksForHelp || !command.run) {
    if (!asksForHelp && rest.length > 0) throw unknown(rest[0] as string, command.subcommands ?? {}, path);
    (asksForHelp ? say : tell)(io, helpOf(path, command));
    return asksForHelp ? exitCodes.done : exitCodes.usage;
  }
  const { args, values } = parse(command, rest);
  return command.run({ io, args, values, client: async () => (await openClient(io, values)).client });
}

/** Finds a command by its names, and the arguments after them. */
function find(argv: readonly string[]): { path: string; command: Command; rest: readonly string[] } {
  let [name = '', ...rest] = argv;
  let command = memberOf(commands, name);
  if (!command) throw unknown(name, commands, '');
  let path = name;
  while (command.subcommands && rest[0] !== undefined && !rest[0].startsWith('-')) {
    [name = '', ...rest] = rest;
    const next = memberOf(command.subcommands, name);
    if (!next) throw unknown(name, command.subcommands, path);
    command = next;
    path = `${path} ${name}`;
  }
  return { path, command, rest };
}

/** Returns a command by its name. Every object also has names such as `toString`. */
function memberOf(known: Readonly<Record<string, Command>>, name: string): Command | undefined {
  return Object.hasOwn(known, name) ? known[name] : undefined;
}

function unknown(name: string, known: Readonly<Record<string, Command>>, path: string): UnknownNameError {
  const near = nearest(name, Object.keys(known));
  const asked = [path, name].filter(Boolean).join(' ');
  return new UnknownNameError(
    `unknown command ${JSON.stringify(asked)}${near ? `; did you mean "${near}"?` : ''}`,
  );
}

function overview(): string {
  return [
    'LinguaLoop translates files and texts, with review and translation memory.',
    '',
    'Usage',
    '  lingualoop <command> [options]',
    '',
    'Commands',
    ...aligned(Object.entries(commands).map(([name, { summary }]) => [name, summary])),
    '',
    'Exit codes',
    ...aligned([
      ['0', 'done'],
      ['1', 'failed, or --check found files to translate'],
      ['2', 'wrong command or option'],
      ['3', 'with --fail-on-review: something awaits a review'],
      ['130', 'interrupted'],
    ]),
    '',
    'LINGUALOOP_URL and LINGUALOOP_API_KEY take precedence over "lingualoop login".',
  ].join('\n');
}

/** All commands by their names, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  translate,
  review,
  glossary,
  memory,
  align,
  usage,
  relay,
  mcp,
  compat,
};
