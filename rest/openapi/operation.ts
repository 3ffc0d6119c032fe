import { z } from 'zod';
import { queryKinds, selectableFields } from '#rest/query.ts';
import type { Upload } from '#server/trpc.ts';
import { bodyTypes, rawTypes } from '../body-parsers.ts';
import { needsBody, type RestProcedure } from '../procedures.ts';
import type { Content, JsonSchema, Operation, Parameter } from './document.ts';
import { responsesOf } from './responses.ts';

const date: JsonSchema = { type: 'string', format: 'date' };

/** Listed for every operation, even for those that ignore the version. */
const versionParameters: readonly Parameter[] = [
  {
    in: 'query',
    name: 'api-version',
    required: false,
    description: 'The API version, a date. By default the oldest supported version.',
    schema: date,
  },
  {
    in: 'header',
    name: 'X-Api-Version',
    required: false,
    description: 'The same as the query parameter `api-version`, which takes precedence if both are sent.',
    schema: date,
  },
];

/** The parameter that selects fields of a response. */
function fieldsParameter(procedure: RestProcedure): Parameter[] {
  const names = selectableFields(procedure);
  if (names.length === 0) return [];
  const description = `The fields of the response, separated by commas: ${names.join(', ')}. By default all.`;
  return [{ in: 'query', name: 'fields', required: false, description, schema: { type: 'string' } }];
}

const parameterOrder = ['path', 'query', 'header'];

/**
 * Completes a generated operation with what the schemas do not have. Security is left out on purpose:
 * `withSecurity` adds it for client generators.
 */
export function describeOperation(procedure: RestProcedure, generated: Operation): Operation {
  const { operationId, tags, summary, description, parameters = [], requestBody, responses } = generated;
  const needed = neededInputsOf(procedure);
  return {
    operationId,
    tags,
    summary,
    ...(description !== undefined && { description }),
    parameters: [
      ...parameters.map((one) => requireNeeded(described(one, procedure), needed)),
      ...fieldsParameter(procedure),
      ...versionParameters,
    ].sort((a, b) => parameterOrder.indexOf(a.in) - parameterOrder.indexOf(b.in)),
    ...(requestBody && { requestBody: { ...requestBody, required: needsBody(procedure) } }),
    responses: responsesOf(procedure, responses['200'] ?? { description: '' }),
  };
}

/**
 * Inputs that callers must send although their schemas are optional, by the procedure's path. If one is missing, the
 * service returns 400 with its own message; a schema would return 422. The files of forms are handled separately.
 */
const neededInputs: Readonly<Record<string, readonly string[]>> = {
  'translations.createFromFile': ['target_lang'],
  'documents.translate': ['target_lang'],
  'terminology.upload': ['name'],
  'memory.import': ['name', 'source_lang', 'target_lang'],
  'memory.exportGolden': ['source_lang', 'target_lang'],
};

/** @throws Error if the procedure has no input with one of these names */
function neededInputsOf({ path, inputShape }: RestProcedure): readonly string[] {
  const needed = neededInputs[path] ?? [];
  const unknown = needed.find((name) => !inputShape[name]);
  if (unknown)
    throw new Error(`${path}: the OpenAPI document requires the input ${unknown}, which does not exist`);
  return needed;
}

/** Adds a parameter's description, if only its schema or its input has it. */
function described(parameter: Parameter, { route, inputShape }: RestProcedure): Parameter {
  const [input = parameter.name] =
    Object.entries(route.headers ?? {}).find(([, header]) => header === parameter.name) ?? [];
  const description =
    parameter.description ?? parameter.schema.description ?? inputShape[input]?.meta()?.description;
  const hasMembers =
    parameter.in === 'query' && queryKinds(inputShape, route).get(parameter.name) === 'members';
  return {
    ...parameter,
    ...(description !== undefined && { description }),
    ...(hasMembers && members),
  };
}

/** Describes the form `name[key]=value`, which generated clients write. The service also reads `name.key=value`. */
const members: Pick<Parameter, 'style' | 'explode' | 'schema'> = {
  style: 'deepObject',
  explode: true,
  schema: { type: 'object', additionalProperties: { type: 'string' } },
};

/** Marks a query parameter as required if callers must send it. Removes its default, which is then never used. */
function requireNeeded(parameter: Parameter, needed: readonly string[]): Parameter {
  if (parameter.in !== 'query' || !needed.includes(parameter.name)) return parameter;
  const { default: _, ...schema } = parameter.schema;
  return { ...parameter, required: true, schema };
}

const binary: JsonSchema = { type: 'string', format: 'binary' };

/** Returns the procedure without the bytes in its input or output, which a schema cannot describe. */
export function withoutBytes(procedure: RestProcedure): RestProcedure {
  const { route, input, inputShape } = procedure;
  // Without its bytes, a raw body has no inputs: the others are headers.
  if (route.body === 'raw') return { ...procedure, input: z.object({}) };
  if (route.download) return { ...procedure, output: z.string() };
  if (route.body === 'xliff' && input instanceof z.ZodObject)
    return { ...procedure, input: input.omit({ body: true }) };
  if (!route.upload || !(input instanceof z.ZodObject)) return procedure;
  const { parts } = route.upload;
  const fields = Object.fromEntries(Object.entries(inputShape).filter(([name]) => !parts.includes(name)));
  // Keep the file parts in `inputShape`, because `describeForm` reads the parts' descriptions there.
  return { ...procedure, input: z.object(fields) };
}

/**
 * Adds the bytes to the operation again, which `withoutBytes` removed: a form or raw body instead of a JSON request,
 * or a file instead of a JSON response.
 */
export function describeFiles(procedure: RestProcedure, operation: Operation): Operation {
  const { route } = procedure;
  if (route.body === 'raw')
    return {
      ...operation,
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    };
  if (route.body === 'xliff')
    return { ...operation, requestBody: { required: true, content: binaryOf(bodyTypes.xliff) } };
  if (route.download)
    return {
      ...operation,
      responses: {
        ...operation.responses,
        200: { description: 'The file, sent as an attachment', content: binaryOf(route.download) },
      },
    };
  if (!route.upload) return operation;
  const { properties = {} } = operation.requestBody?.content['application/json']?.schema ?? {};
  const form = { schema: describeForm(procedure, route.upload, properties) };
  return {
    ...operation,
    parameters: [
      ...operation.parameters,
      ...(route.upload.raw ? [...Object.entries(properties).map(queryParameter), fileNameHeader] : []),
    ],
    requestBody: {
      required: true,
      content: { 'multipart/form-data': form, ...(route.upload.raw && binaryOf(rawTypes)) },
    },
  };
}

/** Describes a form: first its file parts, of which a request sends any one, then its fields. */
function describeForm(
  procedure: RestProcedure,
  { parts }: Upload,
  fields: Record<string, JsonSchema>,
): JsonSchema {
  const files = parts.map((name): [string, JsonSchema] => {
    const { description, deprecated } = procedure.inputShape[name]?.meta() ?? {};
    return [name, { ...binary, ...(description && { description }), ...(deprecated && { deprecated }) }];
  });
  const [needed, onlyPart] = [neededInputsOf(procedure), parts.length === 1];
  return {
    type: 'object',
    properties: { ...Object.fromEntries(files), ...fields },
    required: onlyPart ? [...parts, ...needed] : [...needed],
    ...(!onlyPart && { anyOf: parts.map((name) => ({ required: [name] })) }),
  };
}

function binaryOf(types: readonly string[]): Content {
  return Object.fromEntries(types.map((type) => [type, { schema: binary }]));
}

function queryParameter([name, schema]: [string, JsonSchema]): Parameter {
  return {
    in: 'query',
    name,
    required: false,
    description: 'Only for a raw body. A form contains this field.',
    schema,
  };
}

const fileNameHeader: Parameter = {
  in: 'header',
  name: 'X-Source-Filename',
  required: false,
  description: 'The file name, for a raw body. Alternative: the query parameter `filename`.',
  schema: { type: 'string' },
};
