import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, type OpenApiDocument, operationOf, type Parameter } from './document.ts';

/**
 * Makes parameters of the inputs that a route with a body takes from its query: the generator puts all but the path
 * parameters into the body. A body of which nothing is left is none.
 */
export function moveQueryInputs(procedures: readonly RestProcedure[], paths: OpenApiDocument['paths']): void {
  for (const { route } of procedures) {
    if (!route.query) continue;
    const operation = operationOf(paths, route);
    const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);
    const [parameters = []] = schemas.map((schema) => takeOut(schema, route.query ?? []));
    operation.parameters = [...(operation.parameters ?? []), ...parameters];
    if (Object.keys(schemas[0]?.properties ?? {}).length === 0) delete operation.requestBody;
  }
}

/** Takes properties out of an object's schema, which is changed. */
function takeOut(schema: JsonSchema, names: readonly string[]): Parameter[] {
  const { properties = {}, required = [] } = schema;
  const taken = names.flatMap((name): Parameter[] => {
    const property = properties[name];
    if (!property) return [];
    delete properties[name];
    const { description } = property;
    return [
      {
        in: 'query',
        name,
        ...(required.includes(name) && { required: true }),
        ...(description !== undefined && { description }),
        schema: property,
      },
    ];
  });
  const left = required.filter((name) => !names.includes(name));
  if (left.length > 0) schema.required = left;
  else delete schema.required;
  return taken;
}
