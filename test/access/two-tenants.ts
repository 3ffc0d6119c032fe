import { expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';

export const LIST = '/api/translations';
export const OPERATOR_KEY = 'an-operator-key-of-some-length-0123456789';
export const REFUSED = 'missing or invalid tenant credentials';

/** Requests to `app` by default, and the tenant that each resolves to. */
export function askingAt(app: TestApp) {
  /** A fresh job of the caller with these headers. */
  function submit(headers: Record<string, string>, text = 'Hello', at: TestApp = app) {
    return at.json('POST', LIST, { headers, body: { source_text: text, target_lang: 'fr' } });
  }

  /** The tenant that the headers resolve to: the id that the server writes into a job. */
  async function whose(headers: Record<string, string>): Promise<string> {
    const { status, body } = await submit(headers);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.request.metadata.tenant.id;
  }

  /** Expects the same refusal on every route that needs tenant credentials. */
  async function expectRefused(headers: Record<string, string>, at: TestApp = app) {
    const answers = [
      await submit(headers, 'Hello', at),
      await at.json('GET', LIST, { headers }),
      await at.json('GET', `${LIST}/${'0'.repeat(32)}`, { headers }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect(body.detail).toBe(REFUSED);
    }
  }

  return { submit, whose, expectRefused };
}
