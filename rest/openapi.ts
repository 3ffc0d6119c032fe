import { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import type { AppRouter } from '#server/router.ts';
import { currentVersion } from './api-version.ts';
import { bodyTypes } from './body-parsers.ts';
import { mergeDoubles, nameBodies, plainJson } from './openapi/components.ts';
import {
  type JsonSchema,
  type Method,
  methods,
  type OpenApiDocument,
  type Operation,
  operationOf,
} from './openapi/document.ts';
import { addExamples } from './openapi/examples.ts';
import { describeFiles, withoutBytes } from './openapi/files.ts';
import { inlineSchemas } from './openapi/inline.ts';
import { briefDescription, description, tagsOf } from './openapi/introduction.ts';
import { describeOperation, moveQueryInputs } from './openapi/operation.ts';
import { describeHeaders } from './openapi/response-headers.ts';
import { errorSchemas } from './openapi/responses.ts';
import { describeRpc, rpcProcedures } from './openapi/rpc.ts';
import { type ClientsDocument, withSecurity } from './openapi/security.ts';
import { mergeOperations, publicPathOf, withOwnPaths } from './openapi/shared-path.ts';
import { titleInlineSchemas } from './openapi/titles.ts';
import { type RestProcedure, restProcedures } from './procedures.ts';
import { queryKinds } from './query.ts';

export type { OpenApiDocument } from './openapi/document.ts';

/**
 * Builds the OpenAPI 3.1.0 document of all procedures with a route: the output of trpc-to-openapi, completed with the
 * details that this generator drops or does not support. The procedures' schemas stay unchanged, and the order of the
 * document does not depend on the order of the router.
 * @param basePath the path of the service's public URL, the prefix of the document's paths
 * @throws Error if two different bodies have one id, or if a header fills an input that does not exist
 */
export function buildOpenApiDocument(router: AppRouter, basePath = ''): OpenApiDocument {
  return documentOf(restProcedures(router), basePath);
}

function documentOf(described: readonly RestProcedure[], basePath: string): OpenApiDocument {
  const procedures = withOwnPaths(described).map(withoutBytes);
  const generated = generateOpenApiDocument(generatorInput(procedures), {
    title: 'LinguaLoop',
    version: currentVersion,
    description,
    openApiVersion: '3.1.0',
    baseUrl: basePath || '/',
    securitySchemes: {},
  });
  const { openapi, info, servers, paths, components } = mergeDoubles(plainJson(generated));
  const schemas = { ...components.schemas, ...errorSchemas };
  moveQueryInputs(procedures, paths);
  nameBodies(procedures, paths, schemas);
  const document = inlineSchemas({
    openapi,
    info: { ...info, contact: { name: 'LinguaLoop' }, license: { name: 'MIT', identifier: 'MIT' } },
    servers,
    tags: tagsOf(procedures),
    paths: describePaths(procedures, paths),
    components: { schemas: sortedByKey(schemas) },
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
  generated: OpenApiDocument['paths'],
): OpenApiDocument['paths'] {
  const all: OpenApiDocument['paths'] = {};
  const inOrder = procedures.toSorted((a, b) => rank(a) - rank(b));
  for (const procedure of inOrder) {
    const path = publicPathOf(procedure.route.path);
    const method = procedure.route.method.toLowerCase() as Method;
    const generatedOperation = operationOf(generated, procedure.route);
    const described = describeFiles(procedure, describeOperation(procedure, generatedOperation));
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

type GeneratorRouter = Parameters<typeof generateOpenApiDocument>[0];

/**
 * Returns a router for trpc-to-openapi that has the procedures with the generator's own metadata, and without
 * handlers. The real procedures must not get this metadata, because the generator's request handler would rewrite
 * their schemas.
 */
function generatorInput(procedures: readonly RestProcedure[]): GeneratorRouter {
  const view = procedures.map((procedure) => [
    procedure.path,
    {
      _def: {
        type: procedure.type,
        inputs: procedure.input ? [withoutMembers(procedure)] : [],
        output: procedure.output,
        meta: { openapi: openapiMeta(procedure) },
      },
    },
  ]);
  // The generator reads only this part of a router, but the type of its parameter requires all of tRPC's internals.
  return { _def: { procedures: Object.fromEntries(view) } } as unknown as GeneratorRouter;
}

/**
 * Returns the procedure's input with a string in place of each parameter with members, which the generator does not
 * support. `describeOperation` replaces these strings.
 */
function withoutMembers({ route, inputShape, input }: RestProcedure): z.ZodType | undefined {
  const members = [...queryKinds(inputShape, route)].flatMap(([name, kind]) =>
    kind === 'members' ? [name] : [],
  );
  if (members.length === 0) return input;
  const strings = members.map((name) => [name, z.string().optional()]);
  return z.object({ ...inputShape, ...Object.fromEntries(strings) });
}

function openapiMeta({ path, route, inputShape }: RestProcedure): Record<string, unknown> {
  const headers = Object.entries(route.headers ?? {}).map(([input, header]) => {
    const schema = inputShape[input];
    if (!schema)
      throw new Error(`${path}: the header ${header} sets the input ${input}, which does not exist`);
    return [header, sent(schema).optional()];
  });
  return {
    method: route.method,
    path: route.path,
    operationId: path,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    protect: false,
    errorResponses: [],
    contentTypes: bodyTypes[route.body ?? 'json'],
    ...(headers.length > 0 && { requestHeaders: z.object(Object.fromEntries(headers)) }),
  };
}

/**
 * Returns the schema of a header as clients send it: a header cannot be null, and an omitted header means its
 * default.
 */
function sent(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return sent(schema.unwrap() as z.ZodType);
  return schema;
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
