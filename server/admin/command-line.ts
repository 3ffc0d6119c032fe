import { readArguments } from './arguments.ts';
import { Refusal, type Server } from './command.ts';
import { commands, isCommandName } from './commands.ts';
import { usageOf, usageOfAll } from './usage.ts';

/** What a command does, once it is told where; the lines that it prints. */
export type Work = (server: Server) => AsyncIterable<string>;

/**
 * What a command line asks for: lines of help, or work. Whatever may be wrong with it is found here, before a database is
 * looked for.
 * @throws Refusal that names what is wrong
 */
export function readCommandLine([name, ...args]: readonly string[]): string[] | Work {
  if (name === undefined || name === '--help' || name === '-h') return usageOfAll();
  if (!isCommandName(name)) throw new Refusal(`unknown command: ${name}; npm run admin lists them`);
  const command = commands[name];
  const given = readArguments(command, args);
  return given === null ? usageOf(name) : command.prepare(given);
}
