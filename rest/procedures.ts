import { z } from 'zod';
import type { AppRouter } from '#server/router.ts';
import { inputSource, type ProcedureMeta, proceduresOf, type Route } from '#server/trpc.ts';

/** A procedure in the form that REST and the OpenAPI document need. */
export interface RestProcedure {
  /** The tRPC path of the procedure, like `translations.create`. */
  path: string;
  type: 'query' | 'mutation';
  route: Route;
  meta: ProcedureMeta;
  input: z.ZodType | undefined;
  /** The fields of the procedure's input; empty if it has no input. */
  inputShape: Record<string, z.ZodType>;
  output: z.ZodType;
}

/** Returns all procedures of the router that have a route, with their definitions. */
export function restProcedures(router: AppRouter): RestProcedure[] {
  return proceduresOf(router).flatMap(([path, { type, meta, inputs, output }]) => {
    if (!meta?.route || type === 'subscription') return [];
    if (!output) throw new Error(`${path}: a procedure with a route needs an output schema`);
    // Unwrap an input that is optional as a whole, because the code below needs its fields.
    const input = inputs[0] instanceof z.ZodPrefault ? inputs[0].unwrap() : inputs[0];
    if (input && !(input instanceof z.ZodObject)) throw new Error(`${path}: the input must be an object`);
    const inputShape = input ? (input.shape as Record<string, z.ZodType>) : {};
    const unknown = meta.route.query?.find((name) => !inputShape[name]);
    if (unknown) throw new Error(`${path}: the query parameter ${unknown} sets an input that does not exist`);
    return [{ path, type, route: meta.route, meta, input, inputShape, output }];
  });
}

/**
 * Whether a request must have a body. A missing body is read as an empty object, so it is an error if a field of the
 * body is required.
 */
export function needsBody({ route, input, inputShape }: RestProcedure): boolean {
  const needed = Object.entries(inputShape)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => inputSource(route, name));
  if (needed.length > 0) return needed.includes('body');
  // No single field is required, but the schema may require one of several.
  return input?.safeParse({}).success === false;
}

/**
 * Whether the procedure accepts an Idempotency-Key, so that a repeated request does no work twice. Imports, for
 * example, do not.
 */
export function isKeyed({ headers }: Route): boolean {
  return Object.values(headers ?? {}).includes('Idempotency-Key');
}
