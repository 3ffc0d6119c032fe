import { expect } from 'vitest';
import type { App, Person } from '#test/factories.ts';

/** Changes the preferences of a member over /trpc, and returns all of them. */
export async function setPreferences(app: App, member: Person, change: object): Promise<object> {
  const { status, body } = await app.json('POST', '/trpc/mail.setPreferences', {
    headers: member.bearer,
    body: { json: change },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.result.data.json;
}

export async function readPreferences(app: App, member: Person): Promise<object> {
  const { status, body } = await app.json('GET', '/trpc/mail.preferences', { headers: member.bearer });
  expect(status).toBe(200);
  return body.result.data.json;
}
