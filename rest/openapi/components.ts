import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, type OpenApiDocument, operationOf, refTo } from './document.ts';

/** The generator's output. `components` is missing if no schema has an id. */
type Generated = Omit<OpenApiDocument, 'components'> & Partial<Pick<OpenApiDocument, 'components'>>;

/**
 * Returns the generated document as JSON without details that would mislead a client: objects are open, because
 * fields may be added within a version, and the limits of an integer are omitted if they are only those of
 * JavaScript's safe integers.
 */
export function plainJson(generated: object): Generated {
  return JSON.parse(JSON.stringify(generated), (key, value) => {
    if (key === 'additionalProperties' && value === false) return undefined;
    if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined;
    if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined;
    return value;
  });
}

/**
 * Keeps one component per id. If a schema is used in both requests and responses, the generator emits X for requests
 * and XOutput for responses. X is kept, because responses satisfy it, too: the only difference is that fields with a
 * default are optional in X.
 */
export function mergeDoubles(generated: Generated): OpenApiDocument {
  const schemas = { ...generated.components?.schemas };
  const merged = new Map<unknown, string>();
  for (const id of Object.keys(schemas)) {
    const double = `${id}Output`;
    if (!(double in schemas)) continue;
    merged.set(refTo(double).$ref, refTo(id).$ref);
    delete schemas[double];
  }
  return JSON.parse(JSON.stringify({ ...generated, components: { schemas } }), (key, value) =>
    key === '$ref' ? (merged.get(value) ?? value) : value,
  );
}

/**
 * Turns the body of each procedure whose input has an id into the component of that id. The generator removes the
 * path parameters from the input and drops the id; here the id becomes the name of what remains, the body. If
 * responses use the same schema, the form for requests is kept, so that fields with a default stay optional.
 */
export function nameBodies(
  procedures: readonly RestProcedure[],
  paths: OpenApiDocument['paths'],
  schemas: Record<string, JsonSchema>,
): void {
  const seen = new Map<string, string>();
  for (const { path, route, input } of procedures) {
    const id = input?.meta()?.id;
    // If an operation accepts two content types, both have the same schema.
    const bodies = Object.values(operationOf(paths, route).requestBody?.content ?? {});
    const schema = bodies[0]?.schema;
    if (!id || !schema) continue;
    const text = JSON.stringify(schema);
    if ((seen.get(id) ?? text) !== text)
      throw new Error(`${path}: two different request bodies have the id ${id}`);
    seen.set(id, text);
    schemas[id] = schema;
    for (const body of bodies) body.schema = refTo(id);
  }
}
