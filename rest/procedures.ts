import { z } from 'zod';
import type { AppRouter } from '#server/router.ts';
import { inputSource, type ProcedureMeta, proceduresOf, type Route } from '#server/trpc.ts';

/** A procedure as the REST door and the document see it. */
export interface RestProcedure {
  /** Its tRPC path, like `translations.create`. */
  path: string;
  type: 'query' | 'mutation';
  route: Route;
  meta: ProcedureMeta;
  input: z.ZodType | undefined;
  /** The fields of its input, empty where it has none. */
  inputShape: Record<string, z.ZodType>;
  output: z.ZodType;
}

interface ProcedureDefinition {
  type: 'query' | 'mutation';
  meta?: ProcedureMeta;
  inputs: z.ZodType[];
  output?: z.ZodType;
}

/** Every procedure of the router that has a route, with what its definition says. */
export function restProcedures(router: AppRouter): RestProcedure[] {
  return proceduresOf(router).flatMap(([path, procedure]) => {
    // tRPC keeps the schemas at run time and leaves them out of the type.
    const definition = procedure._def as unknown as ProcedureDefinition;
    const { type, meta, inputs, output } = definition;
    if (!meta?.route) return [];
    if (!output) throw new Error(`${path}: a procedure with a route needs an output schema`);
    // One that may be left out is still an object here, whose fields are.
    const input = inputs[0] instanceof z.ZodPrefault ? inputs[0].unwrap() : inputs[0];
    if (input && !(input instanceof z.ZodObject)) throw new Error(`${path}: the input must be an object`);
    const inputShape = input ? (input.shape as Record<string, z.ZodType>) : {};
    const unknown = meta.route.query?.find((name) => !inputShape[name]);
    if (unknown)
      throw new Error(`${path}: the query parameter ${unknown} fills an input that does not exist`);
    return [{ path, type, route: meta.route, meta, input, inputShape, output }];
  });
}

/** Whether a body must be sent: an empty one reads as an empty object, so it is missing where one of its fields is. */
export function needsBody({ route, input, inputShape }: RestProcedure): boolean {
  const needed = Object.entries(inputShape)
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([name]) => inputSource(route, name));
  if (needed.length > 0) return needed.includes('body');
  // No field must be there, and yet one of several may have to.
  return input?.safeParse({}).success === false;
}
