import type { Content, JsonSchema, Operation, ResponseObject } from './document.ts';

/** Merges the operations of one path. Name and summary are those of the first. */
export function mergeOperations(first: Operation, second: Operation): Operation {
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
