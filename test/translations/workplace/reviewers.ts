import { beforeEach } from 'vitest';
import { type Fields, found, type Headers, join, type Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { viaRpc } from '../../contract/call.ts';

const queries: ReadonlySet<string> = new Set(['translations.search', 'translations.counts']);

/** Calls a procedure that only /trpc serves. */
export function callAt(app: TestApp, path: string, input: Fields, headers: Headers) {
  return viaRpc(app, { path, type: queries.has(path) ? 'query' : 'mutation' }, { input, headers });
}

/** A fresh workspace with its founder, and the calls of its reviewers. */
export async function openReviewers(app: TestApp) {
  const founder = await found(app);
  /** A call that succeeds; the founder's, unless another member is named. */
  const call = async (path: string, input: Fields = {}, as: Person = founder) => {
    const { status, body } = await callAt(app, path, input, as.bearer);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    founder,
    call,
    /** A call that is rejected: its status and body. */
    refused: (path: string, input: Fields = {}, as: Person = founder) => callAt(app, path, input, as.bearer),
    join: () => join(app, founder),
    /** A job, published; with `domain: 'legal'` it awaits review. */
    async job(fields: Fields = {}) {
      const body = { source_text: 'Hello', target_lang: 'fr', ...fields };
      const answer = await app.json('POST', '/api/translations', { headers: founder.bearer, body });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    held(fields: Fields = {}) {
      return this.job({ domain: 'legal', ...fields });
    },
    read: async (id: string, headers: Headers = founder.bearer) =>
      (await app.json('GET', `/api/translations/${id}`, { headers })).body,
    review: (id: string, body: Fields, as: Person = founder) =>
      app.json('POST', `/api/translations/${id}/review`, { headers: as.bearer, body }),
    sql: () => openSuperuser(app.superuserUrl),
  };
}

export type Reviewers = Awaited<ReturnType<typeof openReviewers>>;

/** A fresh workspace with its reviewers for each test. */
export function useReviewers(app: TestApp): Reviewers {
  const mine = {} as Reviewers;
  beforeEach(async () => void Object.assign(mine, await openReviewers(app)));
  return mine;
}
