import { z } from 'zod';
import { inputSource, type Route } from '#server/trpc.ts';
import type { RestProcedure } from './procedures.ts';

/** How a query parameter is read. `members`: `name.key=value` or `name[key]=value`, any number of them. */
type QueryKind = 'string' | 'number' | 'boolean' | 'members';

/** The type of each query parameter of a route, computed once. The schemas stay unchanged. */
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
  if (schema instanceof z.ZodRecord) return 'members';
  return 'string';
}

/**
 * Converts a query string's values to their schemas' types. A value that is not a valid number or boolean stays a
 * string, so that the schema reports it by name. Parameters that the route does not have are omitted.
 */
export function coerceQuery(
  query: Record<string, unknown>,
  kinds: ReadonlyMap<string, QueryKind>,
): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, kind] of kinds) {
    const value = kind === 'members' ? membersOf(query, name) : query[name];
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

/** The members of an object, or its bare value, which the schema then rejects; undefined without any. */
function membersOf(query: Record<string, unknown>, name: string): unknown {
  if (query[name] !== undefined) return query[name];
  const members = Object.entries(query).flatMap(([parameter, value]): [string, unknown][] => {
    const key = keyIn(name, parameter);
    return key === undefined ? [] : [[key, value]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** The key of a parameter `name.key` or `name[key]`. */
function keyIn(name: string, parameter: string): string | undefined {
  if (!parameter.startsWith(name)) return undefined;
  const rest = parameter.slice(name.length);
  if (rest.startsWith('.')) return rest.slice(1);
  return rest.startsWith('[') && rest.endsWith(']') ? rest.slice(1, -1) : undefined;
}

/**
 * Returns a function that checks whether a procedure reads a query parameter. Every operation reads `api-version`.
 */
export function knownParameters({ route, inputShape }: RestProcedure): (parameter: string) => boolean {
  const kinds = queryKinds(inputShape, route);
  const names = new Set([...kinds.keys(), 'api-version']);
  // Fields of an upload may be in its query; the name of a raw file, too.
  if (route.upload) {
    for (const name of Object.keys(inputShape)) names.add(name);
    for (const part of route.upload.parts) names.delete(part);
    if (route.upload.raw) names.add('filename');
  }
  const objects = [...kinds].flatMap(([name, kind]) => (kind === 'members' ? [name] : []));
  return (parameter) => names.has(parameter) || objects.some((name) => keyIn(name, parameter) !== undefined);
}

/** Names that a header lists, and characters of each. */
const maxNames = 20;
const maxNameLength = 60;

/**
 * The value of a header that lists names from a query string: percent-encoded, and limited. `...` replaces omitted
 * names.
 */
export function listNames(names: readonly string[]): string {
  const listed = names.slice(0, maxNames).map((name) => {
    const encoded = encodeURIComponent(name.slice(0, maxNameLength).toWellFormed());
    return name.length > maxNameLength ? `${encoded}...` : encoded;
  });
  return [...listed, ...(names.length > maxNames ? ['...'] : [])].join(', ');
}
