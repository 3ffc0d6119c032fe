import type { z } from 'zod';
import type { Database } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';

/** What a command works with. No SECRETS_KEY: none of them reads or writes a stored secret. */
export interface Server {
  settings: Settings;
  database: Database;
}

/** What the caller got wrong, in one line. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

export interface CommandOption {
  type: 'boolean' | 'string';
  /** What the value is, in the usage line. */
  value?: string;
  summary: string;
}

/** Arguments and options by their names, as they were written. */
export type Given = Record<string, string | boolean | undefined>;

export interface Command {
  summary: string;
  /** Names of the arguments, in their order; all are required. */
  parameters: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /**
   * Checks what was given. What comes back does the work, once, and tells line by line what was done: a secret stands
   * alone on the last.
   * @throws Refusal that names the argument or option
   */
  prepare(given: Given): (server: Server) => AsyncIterable<string>;
}

interface Definition<I extends z.ZodObject> extends Omit<Command, 'prepare'> {
  /** A field for each parameter and option. */
  input: I;
  run(server: Server, input: z.infer<I>): AsyncIterable<string>;
}

export function defineCommand<I extends z.ZodObject>({ input, run, ...shown }: Definition<I>): Command {
  return {
    ...shown,
    prepare(given) {
      const read = input.safeParse(given);
      if (read.success) return (server) => run(server, read.data);
      const issue = read.error.issues[0];
      const name = String(issue?.path[0]);
      throw new Refusal(`${name in shown.options ? `--${name}` : `<${name}>`} ${issue?.message}`);
    },
  };
}
