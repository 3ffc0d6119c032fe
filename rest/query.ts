import { z } from 'zod';
import { inputSource, type Route } from '#server/trpc.ts';

type QueryKind = 'string' | 'number' | 'boolean';

/** What each query parameter of a route is to become, worked out once; the schemas themselves stay untouched. */
export function queryKinds(shape: Record<string, z.ZodType>, route: Route): ReadonlyMap<string, QueryKind> {
  return new Map(
    Object.entries(shape)
      .filter(([name]) => inputSource(route, name) === 'query')
      .map(([name, schema]) => [name, kindOf(schema)]),
  );
}

function kindOf(schema: z.ZodType): QueryKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return kindOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return 'string';
}

/**
 * A query string's values in their schemas' types. What does not read as a number or a boolean stays the string
 * it is, for the schema to refuse by name; parameters that the route does not have are left out.
 */
export function coerceQuery(
  query: Record<string, unknown>,
  kinds: ReadonlyMap<string, QueryKind>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const value = query[name];
    if (value !== undefined) input[name] = typeof value === 'string' ? coerce(value, kind) : value;
  }
  return input;
}

function coerce(value: string, kind: QueryKind): unknown {
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (kind === 'boolean' && /^(true|1)$/i.test(value)) return true;
  if (kind === 'boolean' && /^(false|0)$/i.test(value)) return false;
  return value;
}
