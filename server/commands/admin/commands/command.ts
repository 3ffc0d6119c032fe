import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import { type Database, isTenantId } from '#db/client.ts';
import { normalizeEmail } from '#server/identity/access/email-address.ts';
import { tenantAccount } from '#server/identity/tenants/schema.ts';
import type { Settings } from '#server/settings.ts';

/** The services that commands use. The keys of stored secrets are not included, because few commands need them. */
export interface Server {
  settings: Settings;
  database: Database;
}

export interface CommandMeta {
  summary: string;
  /** The output that is a secret. Its value is the last line. */
  secret?: string;
}

/*
 * The operators' commands are procedures that no transport serves: only a person on the server can run them. The name,
 * the input schema with its descriptions, and the output are all that `npm run admin` needs to parse a command line, to
 * explain it and to print the result. Required inputs are arguments in their order; all others are options.
 */
const t = initTRPC.context<Server>().meta<CommandMeta>().create();

export const commandRouter = t.router;

/** The base of a command. Its calls are not authenticated. @param summary one line for the help */
export const command = (summary: string, meta: Omit<CommandMeta, 'summary'> = {}) =>
  t.procedure.meta({ summary, ...meta });

/** Checks only the format of the ID. The transaction of the command checks whether the tenant exists. */
export const tenantId = z.string().refine(isTenantId, 'is not a valid tenant ID');

/** A tenant ID, or '' for no tenant. */
export const tenantIdOrNone = z
  .string()
  .refine((id) => id === '' || isTenantId(id), 'is not a valid tenant ID');

export const ofTenant = z.object({ tenant_id: tenantId });

export const emailAddress = z
  .string()
  .overwrite(normalizeEmail)
  .max(320, 'is not a valid email address')
  .pipe(z.email('is not a valid email address'));

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

/** The tenant that a command has changed. Members of one that is not active cannot sign in. */
export const account = tenantAccount.pick({ id: true, name: true, active: true });

/** `changed` is false if the tenant was already in the requested state. */
export const outcome = account.extend({ changed: z.boolean() });
