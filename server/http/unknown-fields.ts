import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { middleware } from '#server/trpc.ts';

/**
 * The key in a form's input that lists the names of unknown form fields. A form is read field by field, and only
 * fields of the procedure's input become part of the input.
 */
export const leftOutFields = Symbol('fields of a form that its input does not have');

/** Maximum unknown fields that are listed, because a caller may send any number of them. */
const maxFields = 10;

/**
 * Returns middleware that stores the paths of unknown fields of a request in `ctx.unknownFields`, like `sorce_lang`
 * or `inputs[0].Txt`. The list is complete after the input has been read. Objects with arbitrary keys are not
 * searched.
 */
export const notingUnknownFields = (schema: z.ZodObject) =>
  middleware(({ next }) => next({ ctx: { unknownFields: [] as string[] } })).unstable_pipe(
    ({ ctx: { unknownFields }, getRawInput, next }) =>
      next({
        getRawInput: async () => {
          const input = await getRawInput();
          unknownFields.push(...unknownFieldsOf(input, schema));
          return input;
        },
      }),
  );

/** Returns the paths of an input's fields that its schema does not have, at most `maxFields`. */
export function unknownFieldsOf(input: unknown, schema: z.ZodType | undefined): string[] {
  return schema ? unknownIn(input, schema, '').take(maxFields).toArray() : [];
}

/** Maximum names that a header lists, and maximum characters of each name. */
const maxNames = 20;
const maxNameLength = 60;

/**
 * Sets the response header that names the parameters and fields of a request that the service ignores. Names are
 * percent-encoded, and their number and length are limited. `...` stands for omitted names or characters.
 */
export function nameIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return;
  const listed = names.slice(0, maxNames).map((name) => {
    const encoded = encodeURIComponent(name.slice(0, maxNameLength).toWellFormed());
    return name.length > maxNameLength ? `${encoded}...` : encoded;
  });
  reply.header('x-ignored-parameters', [...listed, ...(names.length > maxNames ? ['...'] : [])].join(', '));
}

function* unknownIn(value: unknown, schema: z.ZodType, at: string): Generator<string, undefined> {
  if (schema instanceof z.ZodArray) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries())
      yield* unknownIn(item, schema.element as z.ZodType, `${at}[${index}]`);
  } else if (schema instanceof z.ZodObject && !schema.def.catchall) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const prefix = at === '' ? '' : `${at}.`;
    const given = value as Record<string | symbol, unknown>;
    // The names of unknown form fields have not been checked yet, unlike the rest of the input.
    for (const name of (given[leftOutFields] as string[] | undefined) ?? [])
      yield name.toWellFormed().replaceAll('\0', '\uFFFD');
    for (const [name, field] of Object.entries(given)) {
      const known = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
      if (known) yield* unknownIn(field, known, `${prefix}${name}`);
      else yield `${prefix}${name}`;
    }
  }
}
