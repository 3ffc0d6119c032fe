import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { inputSource, type Route } from '#server/trpc.ts';
import type { RestProcedure } from './procedures.ts';

/**
 * How a query parameter is read. `members` means an object whose members are separate parameters, written
 * `name.key=value` or `name[key]=value`.
 */
type QueryKind = 'string' | 'number' | 'boolean' | 'members';

/** Returns the kind of each query parameter of a route. Called once per route. The schemas stay unchanged. */
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
 * string, so that the schema reports it by name. Unknown parameters are omitted.
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

/**
 * Returns the members of an object parameter. If the request has a plain value for the name, returns this value,
 * which the schema then rejects. Undefined if the request has neither.
 */
function membersOf(query: Record<string, unknown>, name: string): unknown {
  if (query[name] !== undefined) return query[name];
  const members = Object.entries(query).flatMap(([parameter, value]): [string, unknown][] => {
    const key = keyIn(name, parameter);
    return key === undefined ? [] : [[key, value]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Returns the key of a parameter `name.key` or `name[key]`; undefined for other parameters. */
function keyIn(name: string, parameter: string): string | undefined {
  if (!parameter.startsWith(name)) return undefined;
  const rest = parameter.slice(name.length);
  if (rest.startsWith('.')) return rest.slice(1);
  return rest.startsWith('[') && rest.endsWith(']') ? rest.slice(1, -1) : undefined;
}

/** Returns a function that checks whether a procedure reads a query parameter. All procedures read `api-version`, and
 * those that return JSON to a GET read `fields`. */
export function knownParameters(procedure: RestProcedure): (parameter: string) => boolean {
  const { route, inputShape } = procedure;
  const kinds = queryKinds(inputShape, route);
  const names = new Set([...kinds.keys(), 'api-version']);
  if (selectableFields(procedure).length > 0) names.add('fields');
  // The fields of an upload may be in the query, and so may the name of a file that is the body itself.
  if (route.upload) {
    for (const name of Object.keys(inputShape)) names.add(name);
    for (const part of route.upload.parts) names.delete(part);
    if (route.upload.raw) names.add('filename');
  }
  const objects = [...kinds].flatMap(([name, kind]) => (kind === 'members' ? [name] : []));
  return (parameter) => names.has(parameter) || objects.some((name) => keyIn(name, parameter) !== undefined);
}

/**
 * Returns the fields that callers may select with the query parameter `fields`: those of a GET response, or of each
 * object in a list. Empty for all other operations.
 */
export function selectableFields({ route, output }: Pick<RestProcedure, 'route' | 'output'>): string[] {
  if (route.method !== 'GET' || route.download) return [];
  const item = output instanceof z.ZodArray ? output.element : output;
  return item instanceof z.ZodObject ? Object.keys(item.shape) : [];
}

/**
 * Reads the query parameter `fields`, names separated by commas.
 * @returns the selected fields; undefined if the request does not select any
 * @throws AppError 422 for a name that is not in `selectable`
 */
export function readFields(value: unknown, selectable: readonly string[]): string[] | undefined {
  if (value === undefined || selectable.length === 0) return undefined;
  const names = String(value).split(',');
  if (names.every((name) => selectable.includes(name))) return names;
  const msg = `must be one or more of these names, separated by commas: ${selectable.join(', ')}`;
  throw new AppError('invalid_fields', [{ loc: ['query', 'fields'], msg, type: 'invalid_value' }]);
}

/** Returns the output with the selected fields only, in the order of the output. */
export function selectFields(output: unknown, names: readonly string[]): unknown {
  if (Array.isArray(output)) return output.map((item) => selectFields(item, names));
  return Object.fromEntries(Object.entries(output as object).filter(([name]) => names.includes(name)));
}
