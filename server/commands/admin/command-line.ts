import { parseArgs } from 'node:util';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { accessCommands } from './commands/access.ts';
import { type CommandMeta, commandRouter, type Server } from './commands/command.ts';
import { dataCommands } from './commands/data.ts';
import { resealSecrets } from './commands/reseal-secrets.ts';
import { workCommands } from './commands/work.ts';
import { workspaceCommands } from './commands/workspaces.ts';
import { inJson, inText } from './printing.ts';
import '#server/platform/input-messages.ts';

/** The operators' commands by name, in the order in which the help lists them. */
export const commands = commandRouter({
  ...workspaceCommands,
  ...accessCommands,
  ...dataCommands,
  ...workCommands,
  'reseal-secrets': resealSecrets,
});

/** A mistake of the caller, described in one line. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** An input of a command, as its JSON schema describes it. */
interface Input {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  anyOf?: Input[];
}

/** A command as its procedure defines it. */
interface Command extends CommandMeta {
  input: z.ZodType;
  /** The required inputs, in their order. */
  parameters: readonly string[];
  /** All other inputs, by their names in the schema. */
  options: Readonly<Record<string, Input>>;
  /** All inputs. */
  inputs: Readonly<Record<string, Input>>;
}

const json: Input = { type: 'boolean', description: 'Prints JSON: one object, or one in each line.' };

/** The commands by name. */
export const commandsByName: ReadonlyMap<string, Command> = new Map(
  Object.entries(commands._def.procedures).map(([name, { _def }]) => {
    // tRPC's types omit the schemas, which the definition has at run time.
    const { meta, inputs } = _def as unknown as { meta: CommandMeta; inputs: z.ZodType[] };
    const input = inputs[0] ?? z.object({});
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
    const { properties = {}, required = [] } = schema as {
      properties?: Record<string, Input>;
      required?: string[];
    };
    const optional = Object.entries(properties).filter(([key]) => !required.includes(key));
    const options = { ...Object.fromEntries(optional), json };
    return [name, { ...meta, input, parameters: required, options, inputs: properties }];
  }),
);

/** Does the work of a command, and returns the lines to print. */
type Work = (server: Server) => Promise<Iterable<string>>;

/**
 * Parses a command line. Finds every mistake before a database is opened.
 * @returns lines of help, or the work to do
 * @throws Refusal that describes the mistake
 */
export function readCommandLine([name, ...args]: readonly string[]): string[] | Work {
  if (name === undefined || name === '--help' || name === '-h') return usageOfAll();
  const command = commandsByName.get(name);
  if (!command) throw new Refusal(`unknown command: ${name}; npm run admin lists them`);
  const { values, positionals } = parse(command, args);
  if (values['help']) return usageOf(name, command);
  const input = inputOf(command, values, positionals);
  return async (server) => {
    const output = await call(server, name, input);
    return values['json'] ? inJson(output) : inText(output, command.secret);
  };
}

/** Calls the procedure of a command. @throws the error that the procedure has thrown, not tRPC's */
async function call(server: Server, name: string, input: unknown): Promise<object> {
  // The name was looked up, and the procedure checks its input: the types of each command are not needed here.
  const calls = commands.createCaller(server) as unknown as Record<
    string,
    (input: unknown) => Promise<object>
  >;
  try {
    return await (calls[name] as (typeof calls)[string])(input);
  } catch (error) {
    throw error instanceof TRPCError ? (error.cause ?? error) : error;
  }
}

type Values = Record<string, string | boolean | undefined>;

function parse({ options }: Command, args: readonly string[]): { values: Values; positionals: string[] } {
  const types = Object.entries(options).map(
    ([name, { type }]) => [kebab(name), { type: type === 'boolean' ? type : ('string' as const) }] as const,
  );
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

/**
 * Returns the input of the procedure.
 * @throws Refusal that names the argument or option
 */
function inputOf({ input, parameters, inputs }: Command, values: Values, positionals: string[]): object {
  const missing = parameters[positionals.length];
  if (missing !== undefined) throw new Refusal(`<${missing}> is missing`);
  if (positionals.length > parameters.length)
    throw new Refusal(`${positionals.length} arguments given, expected ${parameters.length}`);
  const object: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(inputs)) {
    const place = parameters.indexOf(name);
    const given = place < 0 ? values[kebab(name)] : positionals[place];
    if (given !== undefined) object[name] = typedValue(of, given);
  }
  const issue = input.safeParse(object).error?.issues[0];
  if (!issue) return object;
  const name = String(issue.path[0]);
  throw new Refusal(`${parameters.includes(name) ? `<${name}>` : `--${kebab(name)}`} ${issue.message}`);
}

/** The name of an option on the command line, such as `dry-run`. */
const kebab = (name: string) => name.replaceAll('_', '-');

/** A number if the input can be one. The schema explains what is wrong with another text. */
function typedValue({ type, anyOf = [] }: Input, value: string | boolean): string | boolean | number {
  const isNumeric = [type, ...anyOf.map((of) => of.type)].some((of) => of === 'integer' || of === 'number');
  return isNumeric && typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** Returns the help for all commands. */
function usageOfAll(): string[] {
  return [
    'npm run admin -- <command>   (npm run -s admin -- <command> omits the lines that npm itself prints)',
    '',
    ...[...commandsByName].flatMap(([name, command]) => [
      `  ${signature(name, command)}`,
      `      ${command.summary}`,
    ]),
    '',
    '<command> --help lists its options. All commands have --json.',
  ];
}

/** Returns the help for one command. */
function usageOf(name: string, command: Command): string[] {
  const described = command.parameters.filter((parameter) => command.inputs[parameter]?.description);
  const entries = [
    ...described.map((parameter) => [`<${parameter}>`, command.inputs[parameter] as Input] as const),
    ...Object.entries(command.options).map(([option, of]) => [flag(option, of), of] as const),
  ];
  const width = Math.max(...entries.map(([shown]) => shown.length));
  return [
    `npm run admin -- ${signature(name, command)}`,
    '',
    command.summary,
    '',
    ...entries.map(([shown, { description = '', type, default: value }]) => {
      const standard = value === undefined || type === 'boolean' ? '' : ` Default: ${value}.`;
      return `  ${shown.padEnd(width)}   ${description}${standard}`;
    }),
  ];
}

function signature(name: string, { parameters, options }: Command): string {
  const { json: _, ...own } = options;
  return [
    name,
    ...parameters.map((parameter) => `<${parameter}>`),
    ...Object.entries(own).map(([option, of]) => `[${flag(option, of)}]`),
  ].join(' ');
}

/** Maximum values that the help lists. */
const maxListed = 3;

function flag(option: string, { type, enum: values, anyOf = [] }: Input): string {
  const name = `--${kebab(option)}`;
  if (type === 'boolean') return name;
  if (values && values.length <= maxListed) return `${name} <${values.join('|')}>`;
  return `${name} <${type === 'integer' || anyOf.some((of) => of.type === 'integer') ? 'number' : 'text'}>`;
}
