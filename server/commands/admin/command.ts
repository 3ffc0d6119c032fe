import { z } from 'zod';
import { type Database, isTenantId } from '#db/client.ts';
import { normalizeEmail } from '#server/identity/access/email-address.ts';
import type { Settings } from '#server/settings.ts';

/** The services that commands use. The keys of stored secrets are not included, because only one command needs them. */
export interface Server {
  settings: Settings;
  database: Database;
}

/** A mistake of the caller, described in one line. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

interface CommandOption {
  type: 'boolean' | 'string';
  /** The name for the value in the usage line. Undefined for an option without a value. */
  value?: string;
  summary: string;
}

/** Arguments and options by name, with their values as they were entered. */
export type Given = Record<string, string | boolean | undefined>;

export interface Command {
  summary: string;
  /** The names of the arguments, in their order. All of them are required. */
  parameters: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /**
   * Validates the input. Returns a function that does the work and yields lines to print. If the result contains a
   * secret, it is the last line.
   * @throws Refusal that names the argument or option
   */
  prepare(given: Given): (server: Server) => AsyncIterable<string>;
}

interface Definition<I extends z.ZodObject> extends Omit<Command, 'prepare'> {
  /** The schema of the input, with a field for each argument and option. */
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

/** Checks only the format of the id. The transaction of the command checks whether the tenant exists. */
export const tenantId = z.string().refine(isTenantId, 'is not a valid tenant ID');

/** A tenant id, or '' for no tenant. */
export const tenantIdOrNone = z
  .string()
  .refine((id) => id === '' || isTenantId(id), 'is not a valid tenant ID');

export const emailAddress = z
  .string()
  .overwrite(normalizeEmail)
  .max(320, 'is not a valid email address')
  .pipe(z.email('is not a valid email address'));

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** A time with a time zone, or a day, which means the beginning of this day in UTC. */
export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be a time with a time zone (2026-07-31T09:00:00Z) or a date (2026-07-31)',
  })
  .transform((text) => new Date(text))
  .pipe(
    z
      .date()
      .min(new Date('1970-01-01T00:00:00Z'), 'must not be before 1970')
      .max(new Date('9999-12-31T00:00:00Z'), 'must not be after 9999'),
  );
