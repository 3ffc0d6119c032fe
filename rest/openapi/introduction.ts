import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { languages } from '#server/languages.ts';
import type { RestProcedure } from '../procedures.ts';
import { type JsonSchema, methods, type OpenApiDocument } from './document.ts';

/** The introduction of the documents, in Markdown. */
const summary = `Multi-tenant, human-in-the-loop translation.

Operations that are not public require a credential in the header \`X-API-Key\` or \`Authorization: Bearer\`.
Every response carries \`X-Request-ID\`.
Query parameters and fields that an operation does not have are ignored, and named in the response header \`X-Ignored-Parameters\`.
A list continues while its response carries \`X-Next-Cursor\`: send its value as \`cursor\`, with the same filters.
Fields and values may be added within a version: ignore unknown fields, tolerate unknown values.
`;

/** The same for the page of the API reference, without the table of languages, which would fill the page. */
export const briefDescription = (basePath: string) => `${summary}
[Quick start](${basePath}/docs/guides/quick-start) · [Languages](${basePath}/docs/guides/languages) · [Errors](${basePath}/docs/guides/errors)
`;

export const description = `${summary}
## Languages

The letter case of codes does not matter. Other tags, such as \`en-US\`, \`zh\` or \`pt\`, are rejected. The default source language is
\`en\`. If the source or the target language is dense, each source character counts 3.5 times by default.

| code | language | direction | dense |
|---|---|---|---|
${languages
  .map(
    ({ code, name, direction, dense }) => `| \`${code}\` | ${name} | ${direction} | ${dense ? 'yes' : ''} |`,
  )
  .join('\n')}
`;

/** Descriptions of the tags, in the order of the guides: the tags of a caller's first requests come first. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Translations: 'Translate texts, review the translations and download them.',
  Documents: `Translate files in ${layoutKindNames.length} formats and keep their layout: ${layoutKindNames.join(', ')}. Each file is a job to poll.`,
  Terminology: 'Glossaries, with the required translations of terms.',
  'Translation memory':
    'Stored translations. They are reused for identical texts, and are examples for similar ones.',
  'Sign-in': 'Signup, access tokens, multi-factor authentication and sessions.',
  'Single sign-on': 'Signing in with an identity provider.',
  Members: 'The members of a workspace, their roles and access.',
  Invites: 'Invites to join a workspace.',
  Tenants: 'Workspaces and their security policy.',
  Usage: 'Translated and billed characters.',
  Storage: 'The storage of records and files, which can be in your own storage account.',
  Billing: 'Plans, prepaid characters and the payment processor.',
  Procedures:
    'API keys, events, style guides and reviews, as the SDK calls them. Each is a POST with a JSON object, `{}` without inputs.',
  System: 'Whether the service responds.',
};

/**
 * Returns the tags of these procedures, each with its description. Tags without a description come last, sorted by
 * name.
 */
export function tagsOf(procedures: readonly RestProcedure[]): OpenApiDocument['tags'] {
  const used = new Set(procedures.map(({ route }) => route.tag));
  const described = Object.keys(tagDescriptions).filter((name) => used.has(name));
  const names = new Set([...described, ...[...used].sort()]);
  return [...names].map((name) => ({ name, description: tagDescriptions[name] ?? name }));
}

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
