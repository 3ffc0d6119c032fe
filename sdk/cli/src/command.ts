import { parseArgs } from 'node:util';
import { ConnectionError, type LinguaLoop, LinguaLoopError, TimeoutError } from '../../src/index.ts';
import type { Io } from './io.ts';

/** An option of a command, such as `--to LANGS`. */
export interface Option {
  /** The effect of the option, without a period at the end. */
  summary: string;
  /** The name of its value in the help; absent for a switch. */
  value?: string;
  short?: string;
  /** Whether it may be given several times. */
  multiple?: boolean;
}

/** The values of a command's options: a string, a list for one that may be repeated, or true for a switch. */
export interface Values {
  text(name: string): string | undefined;
  list(name: string): string[];
  has(name: string): boolean;
}

export interface Call {
  io: Io;
  /** The arguments that are not options. */
  args: readonly string[];
  values: Values;
  /** The client for the service, with the credentials of `login` or of the environment. */
  client(): Promise<LinguaLoop>;
}

/** The result of a command, which is the exit code of the program. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  review: 3,
  interrupted: 130,
} as const;

export interface Command {
  /** One sentence for the list of commands, without a period at the end. */
  summary: string;
  /** The arguments, as in the help: `SOURCE TARGET`, `ID...` for one or more, `[FILE]...` for any number. */
  args?: string;
  /** The maximum of arguments, if it is not that of `args`. */
  maxArgs?: number;
  options?: Readonly<Record<string, Option>>;
  /** Further lines of the help. */
  notes?: readonly string[];
  examples?: readonly string[];
  /** Without it, the command has subcommands. */
  run?(call: Call): Promise<number>;
  subcommands?: Readonly<Record<string, Command>>;
}

/** A call that does not fit the command. The program prints the message, and exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A command or an option that does not exist. The program also prints where its help is. */
export class UnknownNameError extends UsageError {}

/** A failure with a message for the reader. The program prints it without a stack, and exits with 1. */
export class Failed extends Error {
  override name = 'Failed';
}

const general: Readonly<Record<string, Option>> = {
  url: {
    summary: 'the URL of the service (default: LINGUALOOP_URL, or the one of the last login)',
    value: 'URL',
  },
  help: { summary: 'show this help', short: 'h' },
};

/**
 * Parses the arguments of a command.
 * @throws UsageError
 */
export function parse(command: Command, argv: readonly string[]): { args: string[]; values: Values } {
  const options = { ...command.options, ...general };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value, short, multiple }]) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        ...(short !== undefined && { short }),
        ...(multiple && { multiple: true }),
      },
    ]),
  );
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...argv], options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UnknownNameError(sentenceOf((error as Error).message, Object.keys(options)));
  }
  const { positionals, values } = parsed;
  const names = command.args?.split(' ') ?? [];
  const min = names.filter((name) => !name.startsWith('[')).length;
  const max = command.maxArgs ?? (command.args?.endsWith('...') ? Number.POSITIVE_INFINITY : names.length);
  if (!values['help'] && positionals.length < min)
    throw new UsageError(`an argument is missing: ${command.args}`);
  if (positionals.length > max)
    throw new UsageError(`unexpected argument ${JSON.stringify(positionals[max])}`);
  return {
    args: positionals,
    values: {
      text: (name) => (typeof values[name] === 'string' ? values[name] : undefined),
      list: (name) => (Array.isArray(values[name]) ? values[name].map(String) : []),
      has: (name) => values[name] === true,
    },
  };
}

/** Reads an option that is a number from 1. @throws UsageError */
export function numberOf(values: Values, name: string): number | undefined {
  const text = values.text(name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} must be a whole number from 1`);
  return Number(text);
}

/** Returns the first sentence of Node's message; for an unknown option, with the nearest one. */
function sentenceOf(message: string, names: readonly string[]): string {
  const unknown = /^Unknown option '(-{1,2}[^']+)'/.exec(message)?.[1];
  if (unknown === undefined) return message.split(/\. To |\n/, 1)[0] ?? message;
  const near = nearest(unknown.replace(/^-+/, ''), names);
  return `unknown option ${unknown}${near ? `; did you mean --${near}?` : ''}`;
}

/** Returns the name with the fewest different letters, if it differs in at most two. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((other) => ({ other, distance: distanceOf(name, other) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= 2 ? best.other : undefined;
}

/** The number of letters to insert, delete or replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 0; i < one.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = above[j]! + (one[i] === other[j] ? 0 : 1);
      row.push(Math.min(replaced, above[j + 1]! + 1, row[j]! + 1));
    }
    above = row;
  }
  return above[other.length]!;
}

/** Returns the help of a command. @param path its names, such as `glossary upload` */
export function helpOf(path: string, command: Command): string {
  const { summary, args = '', options = {}, notes = [], examples = [], subcommands } = command;
  const name = `lingualoop ${path}`.trim();
  const usage = subcommands ? `${name} <command>` : [name, args, '[options]'].filter(Boolean).join(' ');
  const parts = [`${capital(summary)}.`, '', 'Usage', `  ${usage}`];
  if (subcommands)
    parts.push(
      '',
      'Commands',
      ...aligned(Object.entries(subcommands).map(([key, one]) => [key, one.summary])),
    );
  const listed = { ...(subcommands ? {} : options), ...general };
  parts.push(
    '',
    'Options',
    ...aligned(Object.entries(listed).map(([key, option]) => [flagOf(key, option), option.summary])),
  );
  if (notes.length > 0) parts.push('', ...notes);
  if (examples.length > 0) parts.push('', 'Examples', ...examples.map((line) => `  ${line}`));
  return parts.join('\n');
}

function flagOf(name: string, { value, short }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
}

export function aligned(rows: readonly (readonly [string, string] | string[])[]): string[] {
  const width = Math.max(...rows.map(([left = '']) => left.length));
  return rows.map(([left = '', right = '']) => `  ${left.padEnd(width)}  ${right}`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Returns a failure as one line for the reader, with what to do if that is known. */
export function describeFailure(error: unknown): string {
  if (error instanceof UsageError || error instanceof Failed) return error.message;
  if (error instanceof ConnectionError) return `the service cannot be reached: ${error.message}`;
  if (error instanceof TimeoutError) return error.message;
  if (error instanceof LinguaLoopError) {
    const { limit, actual, status } = error;
    const sizes = limit !== null && actual !== null ? ` (${actual} of at most ${limit})` : '';
    return `${error.message}${sizes}${status === 401 ? '; run "lingualoop login"' : ''}`;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  return code
    ? `${message}`
    : `unexpected error: ${error instanceof Error ? (error.stack ?? message) : String(error)}`;
}
