import { needsBody, type RestProcedure } from '../procedures.ts';
import { answersOf } from './answers.ts';
import type { JsonSchema, Operation, Parameter } from './document.ts';
import { neededInputsOf, requireNeeded } from './needed-inputs.ts';

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
    responses: answersOf(procedure, responses['200'] ?? { description: '' }),
  };
}
