import { z } from 'zod';
import type { RestProcedure } from '../procedures.ts';
import { rawTypes } from '../raw-types.ts';
import type { JsonSchema, Operation, Parameter } from './document.ts';

const binary: JsonSchema = { type: 'string', format: 'binary' };

/** A procedure as the generator can read it: without the bytes that its input or output holds. */
export function withoutBytes(procedure: RestProcedure): RestProcedure {
  const { route, input, inputShape } = procedure;
  // Its inputs are headers, beside the bytes.
  if (route.body === 'raw') return { ...procedure, input: z.object({}) };
  if (route.download) return { ...procedure, output: z.string() };
  if (!route.upload || !(input instanceof z.ZodObject)) return procedure;
  const { source_document: _, ...fields } = inputShape;
  return { ...procedure, input: z.object(fields), inputShape: fields };
}

/** Puts the bytes back into the operation: a form or a raw body instead of JSON, a file instead of an answer. */
export function describeFiles({ route }: RestProcedure, operation: Operation): Operation {
  if (route.body === 'raw')
    return {
      ...operation,
      requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    };
  if (route.download)
    return {
      ...operation,
      responses: {
        ...operation.responses,
        200: {
          description: 'The file, as an attachment',
          content: Object.fromEntries(route.download.map((type) => [type, { schema: binary }])),
        },
      },
    };
  if (!route.upload) return operation;
  const form = operation.requestBody?.content['application/json']?.schema ?? {};
  const fields = Object.entries(form.properties ?? {});
  return {
    ...operation,
    parameters: [...operation.parameters, ...fields.map(queryParameter), fileNameHeader],
    requestBody: {
      required: true,
      content: {
        'multipart/form-data': {
          schema: {
            type: 'object',
            properties: { source_document: binary, ...form.properties },
            required: ['source_document', 'target_lang'],
          },
        },
        ...Object.fromEntries(rawTypes.map((type) => [type, { schema: binary }])),
      },
    },
  };
}

function queryParameter([name, schema]: [string, JsonSchema]): Parameter {
  return { in: 'query', name, required: false, description: 'beside a raw body', schema };
}

const fileNameHeader: Parameter = {
  in: 'header',
  name: 'X-Source-Filename',
  required: false,
  description: 'beside a raw body; or the query parameter `filename`',
  schema: { type: 'string' },
};
