import { type JsonSchema, methods, type OpenApiDocument } from './document.ts';

/**
 * Adds a title to every inline schema for which a generator makes a type: objects, lists of values and unions. With
 * only a property's name, a generator calls the second one `Request2`. A title is the name of its operation or
 * component and of the properties above it, so that it is unique. Changes the document.
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
        titleContents(content, `${name}Response${status.startsWith('2') ? '' : pascal(status)}`);
    }
}

/** The suffix of a body's type name: a JSON body has a sibling if an operation accepts both. */
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

/** The alternatives of a schema that need names: not null. */
function choicesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return (anyOf ?? oneOf ?? []).filter(({ type }) => type !== 'null');
}

/** The part that only this choice requires. */
function distinctionOf(choice: JsonSchema, choices: readonly JsonSchema[]): string {
  const others = new Set(choices.flatMap((other) => (other === choice ? [] : (other.required ?? []))));
  const own = choice.required?.find((member) => !others.has(member));
  return own === undefined ? 'Basic' : `With${pascal(own)}`;
}

/** `billing.checkout` or `target_lang` as part of a name. */
function pascal(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
