import { z } from 'zod';
import type { Upload } from '#server/trpc.ts';
import { bodyTypes, rawTypes } from '../body-parsers.ts';
import type { RestProcedure } from '../procedures.ts';
import type { Content, JsonSchema, Operation, Parameter } from './document.ts';
import { neededInputsOf } from './operation.ts';

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
