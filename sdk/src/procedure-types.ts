import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router.ts';

export type { AppRouter } from '../../server/router.ts';

// Names and types of the service's procedures. They are not published.

type Inputs = inferRouterInputs<AppRouter>;
type Outputs = inferRouterOutputs<AppRouter>;
type Procedures = AppRouter['_def']['record'];
type Domain = keyof Procedures & keyof Inputs & keyof Outputs & string;

type NamesOf<Kind extends 'query' | 'mutation'> = {
  [D in Domain]: {
    [P in keyof Procedures[D] & string]: Procedures[D][P] extends { _def: { type: Kind } }
      ? `${D}.${P}`
      : never;
  }[keyof Procedures[D] & string];
}[Domain];

/** The name of a procedure that changes nothing, such as `audit.list`. */
export type QueryName = NamesOf<'query'>;
/** The name of a procedure that may change something, such as `apiKeys.revoke`. */
export type MutationName = NamesOf<'mutation'>;

type Member<All, Name> = Name extends `${infer D extends keyof All & string}.${infer P}`
  ? P extends keyof All[D]
    ? All[D][P]
    : never
  : never;

/** The input of a procedure. */
export type InputOf<Name extends QueryName | MutationName> = Member<Inputs, Name>;
/** The output of a procedure. */
export type OutputOf<Name extends QueryName | MutationName> = Member<Outputs, Name>;
