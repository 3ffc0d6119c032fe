import type { GuardName, Scope } from '#server/context.ts';
import { appRouter } from '#server/router.ts';
import { proceduresOf, type Route } from '#server/trpc.ts';

/** A procedure as the contract tests call it. */
export interface Procedure {
  /** Its tRPC path, such as `translations.create`. */
  path: string;
  type: 'query' | 'mutation' | 'subscription';
  /** The REST route; undefined if the procedure is only served over /trpc. */
  route?: Route | undefined;
}

export interface DefinedProcedure extends Procedure {
  guard: GuardName | undefined;
  scopes: readonly Scope[] | undefined;
  hasOutput: boolean;
}

/** All procedures of the service, with and without a route. */
export const procedures: readonly DefinedProcedure[] = proceduresOf(appRouter).map(
  ([path, { type, meta, output }]) => ({
    path,
    type,
    route: meta?.route,
    guard: meta?.guard,
    scopes: meta?.scopes,
    hasOutput: output !== undefined,
  }),
);

/** The names of procedures, which are given by domain: `{ auth: 'proof prove' }` is `auth.proof` and `auth.prove`. */
export const namesOf = (byDomain: Readonly<Record<string, string>>): string[] =>
  Object.entries(byDomain).flatMap(([domain, names]) => names.split(' ').map((name) => `${domain}.${name}`));
