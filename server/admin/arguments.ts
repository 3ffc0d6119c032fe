import { parseArgs } from 'node:util';
import { type Command, type Given, Refusal } from './command.ts';

/**
 * Reads what stands behind a command's name.
 * @returns null where --help is among it
 * @throws Refusal that names what is unknown, missing or too much
 */
export function readArguments({ parameters, options }: Command, args: readonly string[]): Given | null {
  const { values, positionals } = parse(options, args);
  if (values['help']) return null;
  const missing = parameters[positionals.length];
  if (missing !== undefined) throw new Refusal(`<${missing}> is missing`);
  if (positionals.length > parameters.length)
    throw new Refusal(`${positionals.length} arguments were given, and ${parameters.length} are taken`);
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
    // Node's first sentence names the option; what follows is advice, on lines of its own.
    throw new Refusal(/^.*?(?=\. |\.?\n|\.?$)/.exec((error as Error).message)?.[0] ?? 'unreadable arguments');
  }
}
