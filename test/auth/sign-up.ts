import type postgres from 'postgres';
import { expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { SIGNUP } from './sign-in.ts';
import { everyRow, type StoredRow } from './stored-rows.ts';

/** The rows a refused signup must leave as they were; a record of the refusal itself is allowed. */
export async function accounts(sql: postgres.Sql): Promise<StoredRow[]> {
  return (await everyRow(sql)).filter(({ table }) => !/audit|rate|attempt|graphile/.test(table));
}

/** Signups, at `app` by default; checks what a refused one must return and leave unchanged. */
export function signingUpAt(app: TestApp) {
  function post(body: unknown, headers: Record<string, string> = {}, at: TestApp = app) {
    return at.json('POST', SIGNUP, { body, headers });
  }

  async function expectRefused(
    body: Record<string, unknown>,
    expected: { status: number; detail?: RegExp | string },
    at: TestApp = app,
  ) {
    const sql = openSuperuser(at.superuserUrl);
    const before = await accounts(sql);
    const answer = await post(body, {}, at);
    expect(answer.status).toBe(expected.status);
    if (expected.status === 422) expect(Array.isArray(answer.body.detail)).toBe(true);
    else expect(answer.body.detail).toEqual(expect.any(String));
    if (typeof expected.detail === 'string') expect(answer.body.detail).toBe(expected.detail);
    else if (expected.detail) expect(answer.body.detail).toMatch(expected.detail);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accounts(sql)).toEqual(before);
    return answer;
  }

  return { post, expectRefused };
}
