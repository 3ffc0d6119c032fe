import { z } from 'zod';
import { middleware } from '#server/trpc.ts';

/**
 * The key under which a form's input keeps the names of fields that the procedure's input does not have: forms are
 * read field by field, and only known fields become part of the input.
 */
export const leftOutFields = Symbol('fields of a form that its input does not have');

/** Only so many are listed: a caller may send any number. */
const maxFields = 10;

/**
 * Middleware that stores the paths of unknown fields of a request in the context: `sorce_lang`, `inputs[0].Txt`. They
 * are known once the input is read. Objects with arbitrary keys are not searched.
 */
export const notingUnknownFields = (schema: z.ZodObject) =>
  middleware(({ next }) => next({ ctx: { unknownFields: [] as string[] } })).unstable_pipe(
    ({ ctx: { unknownFields }, getRawInput, next }) =>
      next({
        getRawInput: async () => {
          const input = await getRawInput();
          for (const path of unknownIn(input, schema, '')) {
            if (unknownFields.length === maxFields) break;
            unknownFields.push(path);
          }
          return input;
        },
      }),
  );

function* unknownIn(value: unknown, schema: z.ZodType, at: string): Generator<string> {
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries())
      yield* unknownIn(item, schema.element as z.ZodType, `${at}[${index}]`);
  } else if (schema instanceof z.ZodObject && !schema.def.catchall) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const prefix = at === '' ? '' : `${at}.`;
    const given = value as Record<string | symbol, unknown>;
    // The names of other fields are checked with the input.
    for (const name of (given[leftOutFields] as string[] | undefined) ?? [])
      yield name.toWellFormed().replaceAll('\0', '\uFFFD');
    for (const [name, field] of Object.entries(given)) {
      const known = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
      if (known) yield* unknownIn(field, known, `${prefix}${name}`);
      else yield `${prefix}${name}`;
    }
  }
}
