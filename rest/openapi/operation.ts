import { needsBody, type RestProcedure } from '../procedures.ts';
import {
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  operationOf,
  type Parameter,
} from './document.ts';
import { responsesOf } from './responses.ts';

const date: JsonSchema = { type: 'string', format: 'date' };

/** A 9 rule 9: they stand on every operation, even where they are ignored. */
const versionParameters: readonly Parameter[] = [
  {
    in: 'query',
    name: 'api-version',
    required: false,
    description: 'The version of the contract; the oldest supported one where it is left out.',
    schema: date,
  },
  {
    in: 'header',
    name: 'X-Api-Version',
    required: false,
    description: 'An alias of api-version, which wins where both are sent.',
    schema: date,
  },
];

const parameterOrder = ['path', 'query', 'header'];

/** An operation as the generator left it, with what it cannot know; no security, on purpose (A 1 rule 6). */
export function describeOperation(procedure: RestProcedure, generated: Operation): Operation {
  const { operationId, tags, summary, description, parameters = [], requestBody, responses } = generated;
  const needed = neededInputsOf(procedure);
  return {
    operationId,
    tags,
    summary,
    ...(description !== undefined && { description }),
    parameters: [...parameters.map((one) => requireNeeded(one, needed)), ...versionParameters].sort(
      (a, b) => parameterOrder.indexOf(a.in) - parameterOrder.indexOf(b.in),
    ),
    ...(requestBody && { requestBody: { ...requestBody, required: needsBody(procedure) } }),
    responses: responsesOf(procedure, responses['200'] ?? { description: '' }),
  };
}

/**
 * Inputs that must be sent although their schemas let them be left out, by the procedure's path: what is missing there is a
 * 400 in the service's own words (B 4.1, B 4.4, B 4.5), where a schema would make it a 422. The files of forms are apart.
 */
const neededInputs: Readonly<Record<string, readonly string[]>> = {
  'translations.createFromFile': ['target_lang'],
  'terminology.upload': ['name'],
  'memory.import': ['name', 'source_lang', 'target_lang'],
  'memory.exportGolden': ['source_lang', 'target_lang'],
};

/** @throws Error where one of them is no input of the procedure */
export function neededInputsOf({ path, inputShape }: RestProcedure): readonly string[] {
  const needed = neededInputs[path] ?? [];
  const unknown = needed.find((name) => !inputShape[name]);
  if (unknown) throw new Error(`${path}: the document asks for ${unknown}, an input that does not exist`);
  return needed;
}

/** A query parameter as the generator left it, required where it is needed; its default is then never used. */
function requireNeeded(parameter: Parameter, needed: readonly string[]): Parameter {
  if (parameter.in !== 'query' || !needed.includes(parameter.name)) return parameter;
  const { default: _, ...schema } = parameter.schema;
  return { ...parameter, required: true, schema };
}

/**
 * Makes parameters of the inputs that a route with a body takes from its query: the generator puts all but the path
 * parameters into the body. A body of which nothing is left is none.
 */
export function moveQueryInputs(procedures: readonly RestProcedure[], paths: OpenApiDocument['paths']): void {
  for (const { route } of procedures) {
    if (!route.query) continue;
    const operation = operationOf(paths, route);
    const schemas = Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema);
    const [parameters = []] = schemas.map((schema) => takeOut(schema, route.query ?? []));
    operation.parameters = [...(operation.parameters ?? []), ...parameters];
    if (Object.keys(schemas[0]?.properties ?? {}).length === 0) delete operation.requestBody;
  }
}

/** Takes properties out of an object's schema, which is changed. */
function takeOut(schema: JsonSchema, names: readonly string[]): Parameter[] {
  const { properties = {}, required = [] } = schema;
  const taken = names.flatMap((name): Parameter[] => {
    const property = properties[name];
    if (!property) return [];
    delete properties[name];
    const { description } = property;
    return [
      {
        in: 'query',
        name,
        ...(required.includes(name) && { required: true }),
        ...(description !== undefined && { description }),
        schema: property,
      },
    ];
  });
  const left = required.filter((name) => !names.includes(name));
  if (left.length > 0) schema.required = left;
  else delete schema.required;
  return taken;
}
