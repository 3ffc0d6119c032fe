import { languages } from '#server/languages.ts';
import type { RestProcedure } from '../procedures.ts';
import type { OpenApiDocument } from './document.ts';

/** The text at the top of the document, in Markdown. */
export const description = `Multi-tenant, human-in-the-loop translation.

Operations that are not public need a credential, \`X-API-Key\` or \`Authorization: Bearer\`.
Every response carries \`X-Request-ID\`.
Query parameters that an operation does not have are ignored, and named in the response header \`X-Ignored-Parameters\`.
A list continues while its response carries \`X-Next-Cursor\`: send its value as \`cursor\`, with the same filters.
Fields and values may be added within a version: ignore unknown fields, tolerate unknown values.

## Languages

Codes are read in any letter case. Other tags, such as \`en-US\`, \`zh\` or \`pt\`, are refused. A source language that is left out means
\`en\`. Every character of a pair with a dense language, on either side, counts 3.5 times by default.

| code | language | direction | dense |
|---|---|---|---|
${languages
  .map(
    ({ code, name, direction, dense }) => `| \`${code}\` | ${name} | ${direction} | ${dense ? 'yes' : ''} |`,
  )
  .join('\n')}
`;

const tagDescriptions: Readonly<Record<string, string>> = {
  Billing: 'Plans, prepaid characters and the payment processor.',
  Documents: 'PDF, DOCX and XLSX files, translated in place; the job is polled.',
  Invites: 'Inviting people into a workspace.',
  Members: 'The members of a workspace, their roles and access.',
  'Sign-in': 'Signup, tokens, second factors and sessions.',
  'Single sign-on': 'Signing in by an identity provider.',
  Storage: "A tenant's own storage account.",
  System: 'Liveness.',
  Tenants: 'Workspaces and their security policy.',
  Terminology: 'Glossaries, which translations must follow.',
  'Translation memory': 'Stored pairs that answer identical sources and guide similar ones.',
  Translations: 'Text jobs: translate, review, download.',
  Usage: 'What was translated and billed.',
};

/** The tags of these procedures, each with what it is about. */
export function tagsOf(procedures: readonly RestProcedure[]): OpenApiDocument['tags'] {
  const names = [...new Set(procedures.map(({ route }) => route.tag))].sort();
  return names.map((name) => ({ name, description: tagDescriptions[name] ?? name }));
}
