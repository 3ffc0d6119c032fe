import type { AppRouter } from '#server/router.ts';
import { currentVersion } from './api-version.ts';
import {
  type Content,
  type JsonSchema,
  type Method,
  methods,
  type OpenApiDocument,
  type Operation,
  type ResponseObject,
} from './openapi/document.ts';
import { addExamples } from './openapi/examples.ts';
import { createGenerator } from './openapi/generate.ts';
import { inlineSchemas } from './openapi/inline.ts';
import { briefDescription, description, tagsOf, titleInlineSchemas } from './openapi/introduction.ts';
import { describeFiles, describeOperation, withoutBytes } from './openapi/operation.ts';
import { describeHeaders, errorSchemas } from './openapi/responses.ts';
import { describeRpc, rpcProcedures } from './openapi/rpc.ts';
import { type ClientsDocument, withSecurity } from './openapi/security.ts';
import { type RestProcedure, restProcedures } from './procedures.ts';

export type { OpenApiDocument } from './openapi/document.ts';

/**
 * Builds the OpenAPI 3.1.0 document of all procedures with a route, from their zod schemas and routes. The order of the
 * document does not depend on the order of the router.
 * @param basePath the path of the service's public URL, the prefix of the document's paths
 * @throws Error if two different bodies have one id, or if a header fills an input that does not exist
 */
export function buildOpenApiDocument(router: AppRouter, basePath = ''): OpenApiDocument {
  return documentOf(restProcedures(router), basePath);
}

function documentOf(described: readonly RestProcedure[], basePath: string): OpenApiDocument {
  const procedures = described.map(withoutBytes);
  const generator = createGenerator();
  const paths = describePaths(procedures, generator.operationOf);
  const document = inlineSchemas({
    openapi: '3.1.0',
    info: {
      title: 'LinguaLoop',
      description,
      version: currentVersion,
      contact: { name: 'LinguaLoop' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath || '/' }],
    tags: tagsOf(procedures),
    paths,
    components: { schemas: sortedByKey({ ...generator.components(), ...errorSchemas }) },
  });
  return addExamples(relaxRequests(document));
}

/**
 * Builds the document for client generators: the same as `buildOpenApiDocument`, but with the accepted credentials of
 * each operation, names for all types, and procedures that are only served under /trpc (decision 59).
 */
export function buildClientsDocument(router: AppRouter, basePath = ''): ClientsDocument {
  const procedures = [...restProcedures(router), ...rpcProcedures(router)];
  const document = documentOf(procedures, basePath);
  describeRpc(document);
  titleInlineSchemas(document);
  const info = { ...document.info, description: briefDescription(basePath) };
  return withSecurity({ ...document, info }, procedures);
}

function describePaths(
  procedures: readonly RestProcedure[],
  generate: (procedure: RestProcedure) => Operation,
): OpenApiDocument['paths'] {
  const all: OpenApiDocument['paths'] = {};
  const inOrder = procedures.toSorted((a, b) => rank(a) - rank(b));
  for (const procedure of inOrder) {
    const { path } = procedure.route;
    const method = procedure.route.method.toLowerCase() as Method;
    const described = describeFiles(procedure, describeOperation(procedure, generate(procedure)));
    const operation = describeHeaders(procedure, described);
    const first = all[path]?.[method];
    all[path] = { ...all[path], [method]: first ? mergeOperations(first, operation) : operation };
  }
  return sortedByKey(all);
}

function rank({ route }: RestProcedure): number {
  return methods.indexOf(route.method.toLowerCase() as Method);
}

function sortedByKey<T>(record: Record<string, T>): Record<string, T> {
  const keys = Object.keys(record).sort();
  return Object.fromEntries(keys.map((key) => [key, record[key] as T]));
}

type Schemas = Record<string, JsonSchema>;

/**
 * Makes request fields with a default optional in generated clients, too. openapi-typescript treats a property of a
 * component that has a default as always present, which is right only for responses. So the body of POST
 * /api/translations, which the specification leaves open, is written out in place, because openapi-typescript then
 * treats it as a request. Components that only requests use mention their defaults in descriptions instead.
 */
function relaxRequests(document: OpenApiDocument): OpenApiDocument {
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

/** Merges the operations of one path. Name and summary are those of the first. */
function mergeOperations(first: Operation, second: Operation): Operation {
  const known = new Set(first.parameters.map((parameter) => `${parameter.in} ${parameter.name}`));
  const descriptions = [first.description, second.description].filter((text) => text !== undefined);
  return {
    ...first,
    ...(descriptions.length > 0 && { description: descriptions.join('\n\n') }),
    parameters: [
      ...first.parameters,
      ...second.parameters
        .filter((parameter) => !known.has(`${parameter.in} ${parameter.name}`))
        // A parameter that only one of the operations has is optional in the merged operation, even if that one
        // requires it.
        .map((parameter) => ({ ...parameter, required: false })),
    ],
    ...(first.requestBody && {
      requestBody: {
        required: first.requestBody.required,
        content: mergeContent(first.requestBody.content, second.requestBody?.content ?? {}),
      },
    }),
    responses: mergeResponses(first.responses, second.responses),
  };
}

function mergeResponses(
  first: Record<string, ResponseObject>,
  second: Record<string, ResponseObject>,
): Record<string, ResponseObject> {
  const merged = { ...first };
  for (const [status, response] of Object.entries(second)) {
    const known = merged[status];
    merged[status] = known ? mergeResponse(known, response, Number(status) >= 400) : response;
  }
  return merged;
}

function mergeResponse(first: ResponseObject, second: ResponseObject, isError: boolean): ResponseObject {
  return {
    ...first,
    ...((first.headers || second.headers) && { headers: { ...first.headers, ...second.headers } }),
    ...(isError && { description: mergeSentences(first.description, second.description) }),
    ...(first.content && { content: mergeContent(first.content, second.content ?? {}) }),
  };
}

/** Merges the meanings of an error, separated by semicolons; the first letter is a capital. */
function mergeSentences(...sentences: string[]): string {
  const meanings = new Map<string, string>();
  for (const meaning of sentences.flatMap((sentence) => sentence.replace(/\.$/, '').split('; ')))
    if (!meanings.has(meaning.toLowerCase())) meanings.set(meaning.toLowerCase(), meaning);
  return `${[...meanings.values()].join('; ')}.`;
}

function mergeContent(first: Content, second: Content): Content {
  const merged = { ...first };
  for (const [type, media] of Object.entries(second)) {
    const known = merged[type];
    const examples = { ...media.examples, ...known?.examples };
    merged[type] = {
      ...media,
      ...known,
      ...(Object.keys(examples).length > 0 && { examples }),
      schema: known ? anyOf(known.schema, media.schema) : media.schema,
    };
  }
  return merged;
}

function anyOf(...schemas: JsonSchema[]): JsonSchema {
  const flat = schemas.flatMap((schema) =>
    schema.anyOf && Object.keys(schema).length === 1 ? schema.anyOf : [schema],
  );
  const unique = [...new Map(flat.map((schema) => [JSON.stringify(schema), schema])).values()];
  return unique.length === 1 ? (unique[0] as JsonSchema) : { anyOf: unique };
}
