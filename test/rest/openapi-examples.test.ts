import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { type JsonSchema, methods, type Operation } from '#rest/openapi/document.ts';
import { buildOpenApiDocument } from '#rest/openapi.ts';
import { type ErrorName, errorTable } from '#server/errors.ts';
import { appRouter } from '#server/router.ts';

const document = buildOpenApiDocument(appRouter);
const operations = Object.values(document.paths).flatMap((item) =>
  methods.flatMap((method) => item[method] ?? []),
);

describe('every operation', () => {
  test('has a summary, a description, and words for each parameter and response', () => {
    for (const { operationId, summary, description, parameters, responses } of operations) {
      expect([operationId, summary, description]).not.toContain(undefined);
      for (const parameter of parameters)
        expect(parameter.description, `${operationId} ${parameter.name}`).toMatch(/\w{3}/);
      for (const [status, response] of Object.entries(responses))
        expect(response.description, `${operationId} ${status}`).toMatch(/\w{3}/);
    }
  });

  test('shows an example of each required parameter and body, which fits its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'document');
    // Compiled schemas. Most responses share one, and compiling a schema takes long.
    const compiled = new Map<string, ValidateFunction>();
    for (const { operationId, parameters, requestBody, responses } of operations) {
      const check = (where: string, schema: JsonSchema, example: unknown) => {
        const place = `${operationId} ${where}`;
        expect(example, place).toBeDefined();
        const own = JSON.stringify(schema).replaceAll('"#/', '"document#/');
        const validate = compiled.get(own) ?? ajv.compile(JSON.parse(own));
        compiled.set(own, validate);
        expect(validate(example), `${place} ${ajv.errorsText(validate.errors)}`).toBe(true);
      };
      for (const { name, schema, example, required } of parameters)
        if (required || example !== undefined) check(name, schema, example);
      const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      for (const [type, { schema, example, examples }] of bodies.flatMap((body) =>
        Object.entries(body ?? {}),
      ))
        for (const shown of examples ? Object.values(examples).map(({ value }) => value) : [example])
          check(type, schema, shown);
    }
  });

  test('shows each of its errors at the status of its code', () => {
    for (const { operationId, responses } of operations)
      for (const [status, { content }] of Object.entries(responses)) {
        if (!(Number(status) >= 400)) continue;
        const shown = Object.entries(content?.['application/json']?.examples ?? {});
        expect(shown.length, `${operationId} ${status}`).toBeGreaterThan(0);
        for (const [name, { value }] of shown) {
          const { status: documented } = errorTable[name as ErrorName];
          expect(documented, `${operationId} ${name}`).toBe(Number(status));
          const { error_code } = value as { error_code?: string };
          expect(error_code).toBe(name);
        }
      }
  });
});

describe('every property', () => {
  test('is described, in components and where it is written out', () => {
    const found = new Set<string>();
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      if (!schema.description) found.add(name);
      collectUndescribed(schema, name, found);
    }
    for (const operation of operations)
      for (const schema of bodySchemas(operation)) collectUndescribed(schema, operation.operationId, found);
    expect([...found]).toEqual([]);
  });

  test('with a default is optional for a caller, whichever generator reads it', () => {
    for (const { operationId, requestBody } of operations)
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        expect(defaultsThatAreRequired(schema), operationId).toEqual([]);
  });
});

/**
 * Adds the places of properties that have no description. A reference to a component needs none, because the component
 * has one.
 */
function collectUndescribed(schema: JsonSchema, place: string, found: Set<string>): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (!property.description && !property.$ref) found.add(`${place}.${name}`);
    collectUndescribed(property, `${place}.${name}`, found);
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])])
    collectUndescribed(part, place, found);
  if (schema.items) collectUndescribed(schema.items, `${place}[]`, found);
}

function bodySchemas({ requestBody, responses }: Operation): JsonSchema[] {
  const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
  return bodies.flatMap((body) => Object.values(body ?? {}).map(({ schema }) => schema));
}

/**
 * Finds properties that are required and have a default. Generators of clients treat a property with a default in a
 * component as always present.
 */
function defaultsThatAreRequired({ $ref, properties = {}, required = [], anyOf = [] }: JsonSchema): string[] {
  const named = document.components.schemas[$ref?.split('/').at(-1) ?? ''];
  const inComponent = Object.entries(named?.properties ?? {}).filter(
    ([, { default: value }]) => value !== undefined,
  );
  return [
    ...inComponent.map(([name]) => name),
    ...required.filter((name) => properties[name]?.default !== undefined),
    ...anyOf.flatMap(defaultsThatAreRequired),
  ];
}
