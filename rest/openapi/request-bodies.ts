import { type JsonSchema, methods, type OpenApiDocument, type Operation } from './document.ts';

type Schemas = Record<string, JsonSchema>;

/**
 * Makes request fields with a default optional in generated clients, too. openapi-typescript treats a property of a
 * component that has a default as always present, which is right only for responses. So the body of POST
 * /api/translations, which the specification leaves open, is written out in place, because openapi-typescript then
 * treats it as a request. Components that only requests use mention their defaults in descriptions instead.
 */
export function relaxRequests(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  for (const operation of operationsOf(document))
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      if (operation.operationId === 'translations.create') media.schema = writtenOut(media.schema, schemas);
      const id = media.schema.$ref?.split('/').at(-1);
      if (id !== undefined && schemas[id]) schemas[id] = defaultsInWords(schemas[id]);
    }
  return document;
}

function operationsOf({ paths }: OpenApiDocument): Operation[] {
  return Object.values(paths).flatMap((item) => methods.flatMap((method) => item[method] ?? []));
}

function writtenOut(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map((one) => writtenOut(one, schemas)) };
  return structuredClone(schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema);
}

function defaultsInWords(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const { default: value, ...rest } = property;
    if (value === undefined) return [name, property];
    if (value === null) return [name, rest];
    const words = [rest.description, `Default: \`${value}\`.`];
    return [name, { ...rest, description: words.filter(Boolean).join(' ') }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}
