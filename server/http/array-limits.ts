import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { locationOf, type Route } from '#server/trpc.ts';

/** Limits one array by a setting, or with its own error. Other arrays have the `.max()` of their schema. */
interface ArrayLimit {
  most(settings: Settings): number;
  /** @param input the whole input of the procedure, not only the array */
  refusal(settings: Settings, input: unknown): AppError;
}

/**
 * Array limits by array schema. Register a limit with `z.array(…).register(arrayLimits, …)`, as the last call on the
 * schema.
 */
export const arrayLimits = z.registry<ArrayLimit>();

/** @throws AppError if an array has too many elements; only lengths are checked */
type ArrayCheck = (input: unknown, settings: Settings) => void;

/**
 * Returns a function that checks the lengths of all arrays in an input, or undefined if the input has no arrays. Run
 * it before the schema: zod reads all elements and reports every problem before it compares the length. A limit
 * applies to all arrays of one schema together: the limit of a nested array counts the elements of all arrays with
 * this schema in the input.
 * @throws Error for an array without a limit: each needs `.max()` or an entry in `arrayLimits`
 */
export function createArrayCheck(
  schema: z.ZodType | undefined,
  route: Route | undefined,
): ArrayCheck | undefined {
  const look = schema && lookInto(schema);
  return look && ((input, settings) => look(input, { input, path: [], counts: new Map(), settings, route }));
}

interface Walk {
  /** The whole input. */
  input: unknown;
  path: (string | number)[];
  /** For each array schema, the number of elements that have been counted. */
  counts: Map<z.ZodType, number>;
  settings: Settings;
  route: Route | undefined;
}

type Look = (value: unknown, walk: Walk) => void;

/** The fields of zod's internal schema definition through which arrays can be reached. */
interface Definition {
  type: string;
  element?: z.ZodType;
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  valueType?: z.ZodType;
  options?: z.ZodType[];
  in?: z.ZodType;
  out?: z.ZodType;
}

/** Returns undefined if the schema contains no array. */
function lookInto(schema: z.ZodType): Look | undefined {
  // zod's base type lacks the fields that only some kinds of schemas have.
  const definition = schema._zod.def as unknown as Definition;
  switch (definition.type) {
    case 'array':
      return lookAtArray(schema, definition.element as z.ZodType);
    case 'object':
      return lookAtObject(definition.shape ?? {});
    case 'record':
      return lookAtRecord(definition.valueType as z.ZodType);
    case 'union':
      return together((definition.options ?? []).map(lookInto));
    case 'pipe':
      return together([definition.in, definition.out].map((part) => part && lookInto(part)));
    case 'lazy':
    case 'set':
    case 'map':
    case 'tuple':
    case 'intersection':
      throw new Error(
        `an input schema has a ${definition.type}, in which the length of arrays cannot be checked`,
      );
    default:
      return definition.innerType && lookInto(definition.innerType);
  }
}

function lookAtArray(schema: z.ZodType, element: z.ZodType): Look {
  const own = arrayLimits.get(schema);
  const maximum = maximumOf(schema);
  if (!own && maximum === undefined) throw new Error('an array in an input schema has no maximum length');
  const inside = lookInto(element);
  return (value, walk) => {
    if (!Array.isArray(value)) return;
    const count = (walk.counts.get(schema) ?? 0) + value.length;
    walk.counts.set(schema, count);
    if (own ? count > own.most(walk.settings) : count > (maximum as number))
      throw own ? own.refusal(walk.settings, walk.input) : tooLong(walk, maximum as number);
    if (inside) for (const [index, one] of value.entries()) step(inside, one, index, walk);
  };
}

/** Returns the limit of the schema's `.max()` or `.length()`; the lowest one if it has several. */
function maximumOf(schema: z.ZodType): number | undefined {
  // zod's types omit the fields of a check's definition.
  const checks = (schema._zod.def.checks ?? []).map(
    ({ _zod }) => _zod.def as unknown as { check: string; maximum?: number; length?: number },
  );
  const maxima = checks.flatMap(({ check, maximum, length }) =>
    check === 'max_length' ? [maximum as number] : check === 'length_equals' ? [length as number] : [],
  );
  return maxima.length > 0 ? Math.min(...maxima) : undefined;
}

function tooLong({ route, path }: Walk, maximum: number): AppError {
  return new AppError('invalid_fields', [
    { loc: locationOf(route, path), msg: `must have at most ${maximum} entries`, type: 'too_big' },
  ]);
}

function lookAtObject(shape: Record<string, z.ZodType>): Look | undefined {
  const fields = Object.entries(shape).flatMap(([name, schema]): [string, Look][] => {
    const inside = lookInto(schema);
    return inside ? [[name, inside]] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, walk) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inside] of fields) step(inside, (value as Record<string, unknown>)[name], name, walk);
  };
}

function lookAtRecord(valueType: z.ZodType): Look | undefined {
  const inside = lookInto(valueType);
  if (!inside) return undefined;
  return (value, walk) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, one] of Object.entries(value)) step(inside, one, name, walk);
  };
}

function together(looks: (Look | undefined)[]): Look | undefined {
  const some = looks.filter((look) => look !== undefined);
  if (some.length < 2) return some[0];
  return (value, walk) => {
    for (const look of some) look(value, walk);
  };
}

function step(inside: Look, value: unknown, name: string | number, walk: Walk): void {
  walk.path.push(name);
  inside(value, walk);
  walk.path.pop();
}
