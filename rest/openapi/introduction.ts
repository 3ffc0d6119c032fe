import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { languages } from '#server/languages.ts';
import type { RestProcedure } from '../procedures.ts';
import type { OpenApiDocument } from './document.ts';

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
