import { z } from 'zod';
import { inputSource } from '#server/trpc.ts';
import { bodyTypes } from '../body-parsers.ts';
import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, type Operation, type Parameter, refTo } from './document.ts';

type Schemas = Record<string, JsonSchema>;

/**
 * Returns a function that describes a procedure by its zod schemas, and the components that the described procedures
 * use. If requests and responses use a schema, the component is the form for requests, which responses satisfy, too:
 * the only difference is that fields with a default are optional.
 */
export function createGenerator(): {
  operationOf(procedure: RestProcedure): Operation;
  components(): Schemas;
} {
  const used = { input: {} as Schemas, output: {} as Schemas };
  const bodies: Schemas = {};

  /** Returns the schema as JSON; inner schemas with an id become components. */
  const plain = (schema: z.ZodType, io: keyof typeof used): JsonSchema => {
    const options = { io, unrepresentable: 'any' } as const;
    const { $schema: _, $defs = {}, ...json } = plainJson(z.toJSONSchema(schema, options));
    // The component of the schema itself is only what remains of it, the body.
    const { [json.$ref?.split('/').at(-1) ?? '']: own = json, ...inner } = $defs;
    Object.assign(used[io], inner);
    return own;
  };

  /** The body of an input with an id is a component of that id. @throws Error if two different bodies have one id */
  const named = (path: string, id: string | undefined, body: JsonSchema): JsonSchema => {
    if (id === undefined) return body;
    if (JSON.stringify(bodies[id] ?? body) !== JSON.stringify(body))
      throw new Error(`${path}: two different request bodies have the id ${id}`);
    bodies[id] = body;
    return refTo(id);
  };

  const operationOf = ({ path, route, input, inputShape, output }: RestProcedure): Operation => {
    const schemaOfInput = input ? plain(input, 'input') : {};
    const { properties = {}, required = [] } = schemaOfInput;
    const placeOf = (name: string) => inputSource(route, name);
    const parameters = Object.entries(properties).flatMap(([name, schema]): Parameter[] => {
      const place = placeOf(name);
      return place === 'body' ? [] : [parameterOf(place, name, schema, required.includes(name))];
    });
    const headers = Object.entries(route.headers ?? {}).map(([name, header]): Parameter => {
      const schema = inputShape[name];
      if (!schema)
        throw new Error(`${path}: the header ${header} sets the input ${name}, which does not exist`);
      return parameterOf('header', header, plain(sent(schema), 'input'), false);
    });
    const inBody = (name: string) => placeOf(name) === 'body';
    const fields = Object.fromEntries(Object.entries(properties).filter(([name]) => inBody(name)));
    const body = { ...schemaOfInput, properties: fields, required: required.filter(inBody) };
    if (body.required.length === 0) delete (body as JsonSchema).required;
    // A raw body has no fields.
    const hasFields = Object.keys(fields).length > 0 || Object.keys(properties).length === 0;
    const hasBody = input && hasFields && route.method !== 'GET' && route.method !== 'DELETE';
    const schema = hasBody ? named(path, input?.meta()?.id, body) : {};
    const content = Object.fromEntries(bodyTypes[route.body ?? 'json'].map((type) => [type, { schema }]));
    const { properties: of } = plain(z.object({ output }), 'output');
    return {
      operationId: path,
      tags: [route.tag],
      summary: route.summary,
      ...(route.description !== undefined && { description: route.description }),
      parameters: [...parameters, ...headers],
      ...(hasBody && { requestBody: { required: true, content } }),
      responses: {
        200: {
          description: 'Successful response',
          content: { 'application/json': { schema: of?.['output'] ?? {} } },
        },
      },
    };
  };

  return { operationOf, components: () => ({ ...used.output, ...used.input, ...bodies }) };
}

/** The description of an optional parameter is not repeated in its schema. */
function parameterOf(
  place: Parameter['in'],
  name: string,
  schema: JsonSchema,
  isRequired: boolean,
): Parameter {
  if (isRequired) return { in: place, name, schema, required: true };
  const { description, ...bare } = schema;
  return { in: place, name, schema: bare, ...(description !== undefined && { description }) };
}

/**
 * Returns a schema as JSON without details that would mislead a client: objects are open, because fields may be added
 * within a version, and the limits of an integer are omitted if they are only those of JavaScript's safe integers.
 */
function plainJson(schema: object): JsonSchema & { $schema?: string; $defs?: Schemas } {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$ref') return value.replace('#/$defs/', '#/components/schemas/');
    if (key === 'id' && typeof value === 'string') return undefined;
    if (key === 'additionalProperties' && value === false) return undefined;
    if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) return undefined;
    if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) return undefined;
    return value;
  });
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
