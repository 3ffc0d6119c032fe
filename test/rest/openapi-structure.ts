import type { OpenApiDocument } from '#rest/openapi/document.ts';

/**
 * Returns a document without its examples, for tests of its structure. `openapi-examples.test.ts` tests the examples.
 */
export function withoutExamples(document: OpenApiDocument): OpenApiDocument {
  return JSON.parse(JSON.stringify(document), (key, value) =>
    key === 'example' || key === 'examples' ? undefined : value,
  );
}

/** The statuses of successful responses. */
export function successes(responses: Record<string, unknown>): string[] {
  return Object.keys(responses).filter((status) => status.startsWith('2'));
}
