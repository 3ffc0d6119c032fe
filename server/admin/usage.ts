import { type CommandName, commands } from './commands.ts';

/** All commands, with what each takes. */
export function usageOfAll(): string[] {
  const names = Object.keys(commands) as CommandName[];
  return [
    'npm run admin -- <command>   (npm run -s admin -- <command> prints nothing else)',
    '',
    ...names.flatMap((name) => [`  ${signature(name)}`, `      ${commands[name].summary}`]),
    '',
    '<command> --help tells of its options.',
  ];
}

/** One command, with its options. */
export function usageOf(name: CommandName): string[] {
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
