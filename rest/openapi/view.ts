import type { generateOpenApiDocument } from 'trpc-to-openapi';
import { z } from 'zod';
import { bodyTypes } from '../form-body.ts';
import type { RestProcedure } from '../procedures.ts';

type GeneratorRouter = Parameters<typeof generateOpenApiDocument>[0];

/**
 * The procedures as trpc-to-openapi wants to find them on a router: its own meta, and nothing that it could
 * call. Its request handler rewrites schemas, so the real procedures never get its meta.
 */
export function documentView(procedures: readonly RestProcedure[]): GeneratorRouter {
  const view = procedures.map((procedure) => [
    procedure.path,
    {
      _def: {
        type: procedure.type,
        inputs: procedure.input ? [procedure.input] : [],
        output: procedure.output,
        meta: { openapi: openapiMeta(procedure) },
      },
    },
  ]);
  // The generator reads this much of a router, and its type asks for all of tRPC's inside.
  return { _def: { procedures: Object.fromEntries(view) } } as unknown as GeneratorRouter;
}

function openapiMeta({ path, route, inputShape }: RestProcedure): Record<string, unknown> {
  const headers = Object.entries(route.headers ?? {}).map(([input, header]) => {
    const schema = inputShape[input];
    if (!schema) throw new Error(`${path}: the header ${header} fills an input that does not exist`);
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

/** What a header carries where it is sent: it has no null, and leaving it out is its default. */
function sent(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return sent(schema.unwrap() as z.ZodType);
  return schema;
}
