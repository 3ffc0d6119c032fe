import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import type { RestProcedure } from './procedures.ts';

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
