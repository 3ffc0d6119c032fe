import { generateOpenApiDocument } from 'trpc-to-openapi';
import type { AppRouter } from '#server/router.ts';
import { errorSchemas } from './openapi/answers.ts';
import { mergeDoubles, nameBodies, plainJson } from './openapi/components.ts';
import { type Method, methods, type OpenApiDocument, operationOf } from './openapi/document.ts';
import { describeFiles, withoutBytes } from './openapi/files.ts';
import { describeOperation } from './openapi/operation.ts';
import { moveQueryInputs } from './openapi/query-inputs.ts';
import { addressOf, mergeOperations, withOwnPaths } from './openapi/shared-address.ts';
import { documentView } from './openapi/view.ts';
import { type RestProcedure, restProcedures } from './procedures.ts';
import { currentVersion } from './versions.ts';

export type { OpenApiDocument } from './openapi/document.ts';

const description = [
  'Multi-tenant, human-in-the-loop translation.',
  'Operations that are not public need a credential, `X-API-Key` or `Authorization: Bearer`.',
  'Every response carries `X-Request-ID`.',
  'Fields and values may be added within a version: ignore unknown fields, tolerate unknown values.',
].join(' ');

/**
 * The OpenAPI 3.1.0 document (A 1 rule 6) of every procedure that has a route: what trpc-to-openapi generates,
 * with what it loses or cannot say put right. It changes no schema, and its order does not depend on the
 * router's.
 * @throws Error where two different bodies have one id, or a header fills an input that does not exist
 */
export function buildOpenApiDocument(router: AppRouter): OpenApiDocument {
  const procedures = withOwnPaths(restProcedures(router)).map(withoutBytes);
  const generated = generateOpenApiDocument(documentView(procedures), {
    title: 'LinguaLoop',
    version: currentVersion,
    description,
    openApiVersion: '3.1.0',
    baseUrl: '/',
    securitySchemes: {},
  });
  const { openapi, info, servers, paths, components } = mergeDoubles(plainJson(generated));
  const schemas = { ...components.schemas, ...errorSchemas };
  moveQueryInputs(procedures, paths);
  nameBodies(procedures, paths, schemas);
  return {
    openapi,
    info,
    servers,
    tags: [...new Set(procedures.map(({ route }) => route.tag))].sort().map((name) => ({ name })),
    paths: describePaths(procedures, paths),
    components: { schemas: sortedByKey(schemas) },
  };
}

function describePaths(
  procedures: readonly RestProcedure[],
  generated: OpenApiDocument['paths'],
): OpenApiDocument['paths'] {
  const described: OpenApiDocument['paths'] = {};
  const inOrder = procedures.toSorted((a, b) => rank(a) - rank(b));
  for (const procedure of inOrder) {
    const path = addressOf(procedure.route.path);
    const method = procedure.route.method.toLowerCase() as Method;
    const generatedOperation = operationOf(generated, procedure.route);
    const operation = describeFiles(procedure, describeOperation(procedure, generatedOperation));
    const first = described[path]?.[method];
    described[path] = { ...described[path], [method]: first ? mergeOperations(first, operation) : operation };
  }
  return sortedByKey(described);
}

function rank({ route }: RestProcedure): number {
  return methods.indexOf(route.method.toLowerCase() as Method);
}

function sortedByKey<T>(record: Record<string, T>): Record<string, T> {
  const keys = Object.keys(record).sort();
  return Object.fromEntries(keys.map((key) => [key, record[key] as T]));
}
