import { type JsonSchema, methods, type OpenApiDocument } from './document.ts';

/**
 * Adds a title to every inline schema for which a generator makes a type: objects, lists of values and unions.
 * Without a title, a generator names a type after its property, and the second type of this name becomes `Request2`.
 * A title consists of the name of the operation or component and the names of all properties above the schema, so
 * that it is unique. Changes the document.
 */
export function titleInlineSchemas({ paths, components }: OpenApiDocument): void {
  for (const [id, schema] of Object.entries(components.schemas)) titleMembers(schema, id);
  for (const item of Object.values(paths))
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const name = pascal(operation.operationId);
      titleContents(operation.requestBody?.content ?? {}, `${name}Request`);
      for (const [status, { content = {} }] of Object.entries(operation.responses))
        titleContents(content, `${name}Response${suffixOf(status)}`);
    }
}

/** The status 202 with an inline schema is an additional response of an operation. */
function suffixOf(status: string): string {
  if (status === '202') return 'Accepted';
  return status.startsWith('2') ? '' : pascal(status);
}

/**
 * Adds titles to the bodies of a request or response. Forms get the suffix `Form`, because an operation may accept a
 * form and JSON.
 */
function titleContents(content: Record<string, { schema: JsonSchema }>, name: string): void {
  for (const [type, { schema }] of Object.entries(content))
    title(schema, /form/.test(type) ? `${name}Form` : name);
}

function title(schema: JsonSchema, name: string): void {
  if (schema.$ref) return;
  const { properties, enum: values, allOf } = schema;
  if (properties || values || allOf || choicesOf(schema).length > 1) schema.title ??= name;
  titleMembers(schema, name);
}

function titleMembers(schema: JsonSchema, name: string): void {
  const { properties = {}, items, allOf = [] } = schema;
  for (const [member, own] of Object.entries(properties)) title(own, name + pascal(member));
  if (items) title(items, `${name}Item`);
  for (const part of allOf) title(part, `${name}Additions`);
  const choices = choicesOf(schema);
  for (const choice of choices)
    title(choice, choices.length > 1 ? name + distinctionOf(choice, choices) : name);
}

/** Returns the alternatives of a schema that need names: all except null. */
function choicesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');
}

/** Returns the suffix for one alternative, after the first member that only this alternative requires. */
function distinctionOf(choice: JsonSchema, choices: readonly JsonSchema[]): string {
  const others = new Set(choices.flatMap((other) => (other === choice ? [] : (other.required ?? []))));
  const own = choice.required?.find((member) => !others.has(member));
  return own === undefined ? 'Basic' : `With${pascal(own)}`;
}

/** Converts a name like `billing.checkout` or `target_lang` to a part of a title. */
function pascal(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
