import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, type OpenApiDocument, operationOf, refTo } from './document.ts';

/** What the generator makes; without schemas that have ids it names no components. */
type Generated = Omit<OpenApiDocument, 'components'> & Partial<Pick<OpenApiDocument, 'components'>>;

/**
 * The generated document as JSON, without what would mislead a client: objects are open, because fields may be
 * added within a version (A 9 rule 6), and an integer's bounds are named where they are ours, not JavaScript's.
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
 * Leaves one component per id. The generator doubles a schema that stands on both sides of the wire, as X for
 * requests and XOutput for answers; what is answered fits X too, whose defaults are merely optional.
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
 * Makes each body whose input has an id the component of that id. The generator takes the path parameters out of
 * the input and loses its id on the way; so an input's id names what is left, the body. Where the schema
 * is answered too, the request's form stands: nobody must be asked for what has a default.
 */
export function nameBodies(
  procedures: readonly RestProcedure[],
  paths: OpenApiDocument['paths'],
  schemas: Record<string, JsonSchema>,
): void {
  const seen = new Map<string, string>();
  for (const { path, route, input } of procedures) {
    const id = input?.meta()?.id;
    // The same schema in each, where there are two.
    const bodies = Object.values(operationOf(paths, route).requestBody?.content ?? {});
    const schema = bodies[0]?.schema;
    if (!id || !schema) continue;
    const text = JSON.stringify(schema);
    if ((seen.get(id) ?? text) !== text) throw new Error(`${path}: another body is called ${id} too`);
    seen.set(id, text);
    schemas[id] = schema;
    for (const body of bodies) body.schema = refTo(id);
  }
}
