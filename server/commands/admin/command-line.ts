import { parseArgs } from 'node:util';
import { type Command, type Given, Refusal, type Server } from './command.ts';
import { anonymizeMember, invite, restoreAdmin } from './commands/administrators.ts';
import { audit } from './commands/audit.ts';
import { cancelDeletion, deleteTenant, deletions, setRetention } from './commands/deletions.ts';
import { exportsOf, exportTenant, saveExport } from './commands/exports.ts';
import { apiKeys, resealSecrets, revokeKey, rotateKey } from './commands/keys.ts';
import { models } from './commands/models.ts';
import { cancelDocumentCommand, queue, requeue, retry } from './commands/queue.ts';
import { adoptStorage, storage } from './commands/storage.ts';
import {
  deactivateTenant,
  endSessions,
  reactivateTenant,
  setAllowance,
  setStorageCap,
  tenant,
  tenants,
} from './commands/tenant.ts';

/** The operator's commands by name, in the order in which the help lists them. */
export const commands = {
  tenants,
  tenant,
  'api-keys': apiKeys,
  'rotate-key': rotateKey,
  'revoke-key': revokeKey,
  'restore-admin': restoreAdmin,
  invite,
  'anonymize-member': anonymizeMember,
  'end-sessions': endSessions,
  'deactivate-tenant': deactivateTenant,
  'reactivate-tenant': reactivateTenant,
  'delete-tenant': deleteTenant,
  'cancel-deletion': cancelDeletion,
  deletions,
  'export-tenant': exportTenant,
  exports: exportsOf,
  'save-export': saveExport,
  'set-allowance': setAllowance,
  'set-retention': setRetention,
  queue,
  retry,
  requeue,
  'cancel-document': cancelDocumentCommand,
  models,
  storage,
  'set-storage-cap': setStorageCap,
  'adopt-storage': adoptStorage,
  'reseal-secrets': resealSecrets,
  audit,
} satisfies Record<string, Command>;

type CommandName = keyof typeof commands;

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Does the work of a command, and yields the lines to print. */
type Work = (server: Server) => AsyncIterable<string>;

/**
 * Parses a command line. Finds every mistake before a database is opened.
 * @returns lines of help, or the work to do
 * @throws Refusal that describes the mistake
 */
export function readCommandLine([name, ...args]: readonly string[]): string[] | Work {
  if (name === undefined || name === '--help' || name === '-h') return usageOfAll();
  if (!isCommandName(name)) throw new Refusal(`unknown command: ${name}; npm run admin lists them`);
  const command = commands[name];
  const given = readArguments(command, args);
  return given === null ? usageOf(name) : command.prepare(given);
}

/**
 * Parses the arguments and options after a command's name.
 * @returns null if --help is among them
 * @throws Refusal that names the unknown, missing or extra argument
 */
function readArguments({ parameters, options }: Command, args: readonly string[]): Given | null {
  const { values, positionals } = parse(options, args);
  if (values['help']) return null;
  const missing = parameters[positionals.length];
  if (missing !== undefined) throw new Refusal(`<${missing}> is missing`);
  if (positionals.length > parameters.length)
    throw new Refusal(`${positionals.length} arguments given, expected ${parameters.length}`);
  return { ...values, ...Object.fromEntries(parameters.map((name, i) => [name, positionals[i]])) };
}

function parse(
  options: Command['options'],
  args: readonly string[],
): { values: Given; positionals: string[] } {
  const types = Object.entries(options).map(([name, { type }]) => [name, { type }] as const);
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...Object.fromEntries(types), help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    // Use only the first sentence of Node's message, which names the option. The rest is advice.
    throw new Refusal(
      /^.*?(?=\. |\.?\n|\.?$)/.exec((error as Error).message)?.[0] ?? 'the arguments cannot be parsed',
    );
  }
}

/** Returns the help for all commands. */
function usageOfAll(): string[] {
  const names = Object.keys(commands) as CommandName[];
  return [
    'npm run admin -- <command>   (npm run -s admin -- <command> omits the lines that npm itself prints)',
    '',
    ...names.flatMap((name) => [`  ${signature(name)}`, `      ${commands[name].summary}`]),
    '',
    '<command> --help lists its options.',
  ];
}

/** Returns the help for one command. */
function usageOf(name: CommandName): string[] {
  const { summary, options } = commands[name];
  const entries = Object.entries(options).map(([option, { value, summary: about }]) => ({
    flag: flag(option, value),
    about,
  }));
  const width = Math.max(...entries.map((entry) => entry.flag.length));
  return [
    `npm run admin -- ${signature(name)}`,
    '',
    summary,
    ...(entries.length > 0 ? [''] : []),
    ...entries.map((entry) => `  ${entry.flag.padEnd(width)}   ${entry.about}`),
  ];
}

function signature(name: CommandName): string {
  const { parameters, options } = commands[name];
  return [
    name,
    ...parameters.map((parameter) => `<${parameter}>`),
    ...Object.entries(options).map(([option, { value }]) => `[${flag(option, value)}]`),
  ].join(' ');
}

function flag(option: string, value: string | undefined): string {
  return value === undefined ? `--${option}` : `--${option} <${value}>`;
}
