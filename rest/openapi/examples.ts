import { type JsonSchema, methods, type OpenApiDocument } from './document.ts';
import { sampleComponents } from './sample-components.ts';
import { fileExamples, requestExamples, sampleOf } from './sample-values.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/**
 * Adds an example to every body and required parameter. Examples are generated from the schemas, so they always fit;
 * the name of a field selects its sample value. Only the examples of a caller's first requests are written by hand.
 */
export function addExamples(document: OpenApiDocument): OpenApiDocument {
  const { schemas } = document.components;
  for (const item of Object.values(document.paths))
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const written = requestExamples[operation.operationId];
      // Optional parameters get no example: Swagger UI fills in all examples, and a cursor or key that the reader did
      // not intend would change the request.
      for (const parameter of operation.parameters)
        if (parameter.required) parameter.example = exampleOf(parameter.schema, schemas, parameter.name);
      for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
        if (written && type === 'application/json') Object.assign(media, written);
        else media.example = fileExamples[type] ?? exampleOf(media.schema, schemas);
      for (const { content = {} } of Object.values(operation.responses))
        for (const [type, media] of Object.entries(content)) {
          if (media.examples || media.example) continue;
          const file = media.schema.format === 'binary' ? fileExamples[type] : undefined;
          media.example = file ?? exampleOf(media.schema, schemas);
        }
    }
  return document;
}

/**
 * Returns a value that fits the schema.
 * @param name name of the field or parameter; selects a fitting sample value
 */
export function exampleOf(schema: JsonSchema, schemas: Schemas, name = ''): unknown {
  const { $ref, allOf, anyOf, oneOf, properties } = schema;
  if ($ref) {
    const id = $ref.split('/').at(-1) as string;
    return withMembers(exampleOf(schemas[id] ?? {}, schemas, name), sampleComponents[id]);
  }
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, schemas, name)));
  const sample = sampleOf(name, schema);
  if (sample !== undefined) return sample;
  // If the schema also has properties, its alternatives are the files of a form, of which any one is sent; `objectOf`
  // handles them.
  const choices = properties ? undefined : (anyOf ?? oneOf);
  if (choices)
    return choices.some(({ type }) => type === 'null') ? null : exampleOf(choices[0] ?? {}, schemas, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const types = [schema.type ?? 'object'].flat();
  if (types.includes('null')) return null;
  switch (types[0]) {
    case 'array':
      return [exampleOf(schema.items ?? {}, schemas, name.replace(/s$/, ''))];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'string':
      return schema.format === 'date-time' ? '2026-09-01T09:30:00.000Z' : name;
    default:
      return objectOf(schema, schemas);
  }
}

/** Returns the required members. For a form that takes any one of several files, also the first file. */
function objectOf({ properties = {}, required = [], anyOf }: JsonSchema, schemas: Schemas): object {
  const shown = [...required, ...(anyOf?.[0]?.required ?? [])];
  return Object.fromEntries(
    shown.map((member) => [member, exampleOf(properties[member] ?? {}, schemas, member)]),
  );
}

/** Returns the value with the members of `told`, which replace its own members of the same name. */
function withMembers(value: unknown, told: unknown): unknown {
  if (!isObject(told)) return told ?? value;
  const own = isObject(value) ? value : {};
  const members = Object.entries(told).map(([name, member]) => [
    name,
    member === null ? null : withMembers(own[name], member),
  ]);
  return { ...own, ...Object.fromEntries(members) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
