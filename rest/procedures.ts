import { z } from 'zod';
import type { AppRouter } from '#server/router.ts';
import { inputSource, type ProcedureMeta, proceduresOf, type Route } from '#server/trpc.ts';

/** A procedure as REST and the OpenAPI document use it. */
export interface RestProcedure {
  /** Its tRPC path, like `translations.create`. */
  path: string;
  type: 'query' | 'mutation';
  route: Route;
  meta: ProcedureMeta;
  input: z.ZodType | undefined;
  /** The fields of its input; empty if it has none. */
  inputShape: Record<string, z.ZodType>;
  output: z.ZodType;
}

/** All procedures of the router with a route, and their definitions. */
export function restProcedures(router: AppRouter): RestProcedure[] {
  return proceduresOf(router).flatMap(([path, { type, meta, inputs, output }]) => {
    if (!meta?.route) return [];
    if (!output) throw new Error(`${path}: a procedure with a route needs an output schema`);
    // An optional input is unwrapped to its object, whose fields are needed here.
    const input = inputs[0] instanceof z.ZodPrefault ? inputs[0].unwrap() : inputs[0];
    if (input && !(input instanceof z.ZodObject)) throw new Error(`${path}: the input must be an object`);
    const inputShape = input ? (input.shape as Record<string, z.ZodType>) : {};
    const unknown = meta.route.query?.find((name) => !inputShape[name]);
    if (unknown)
      throw new Error(`${path}: the query parameter ${unknown} fills an input that does not exist`);
    return [{ path, type, route: meta.route, meta, input, inputShape, output }];
  });
}

/**
 * Whether a body is required: if it is absent, the input is read as an empty object, which then lacks a required
 * field of the body.
 */
export function needsBody({ route, input, inputShape }: RestProcedure): boolean {
  const needed = Object.entries(inputShape)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => inputSource(route, name));
  if (needed.length > 0) return needed.includes('body');
  // No single field is required, but the schema may require one of several.
  return input?.safeParse({}).success === false;
}

/** Whether a repetition with the same Idempotency-Key does no work twice. Imports, for example, are not keyed. */
export function isKeyed({ headers }: Route): boolean {
  return Object.values(headers ?? {}).includes('Idempotency-Key');
}
