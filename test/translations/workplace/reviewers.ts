import { beforeEach } from 'vitest';
import { type Fields, found, type Headers, join, type Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { viaRpc } from '../../contract/call.ts';

const queries: ReadonlySet<string> = new Set([
  'translations.search',
  'translations.counts',
  'reviews.inbox',
  'reviews.texts',
  'reviews.comments',
  'reviews.mentions',
  'assignments.mine',
  'assignments.list',
  'assignments.profiles',
  'assignments.load',
  'assignments.rules',
]);

/** Calls a procedure that is only served over /trpc. */
export function callAt(app: TestApp, path: string, input: Fields, headers: Headers) {
  return viaRpc(app, { path, type: queries.has(path) ? 'query' : 'mutation' }, { input, headers });
}

/** Creates a workspace, and functions for the calls of its reviewers. */
export async function openReviewers(app: TestApp) {
  const founder = await found(app);
  /** Makes a call that must succeed; by default as the founder. */
  const call = async (path: string, input: Fields = {}, as: Person = founder) => {
    const { status, body } = await callAt(app, path, input, as.bearer);
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  return {
    founder,
    call,
    /** Makes a call that must be rejected. Returns the status and body. */
    refused: (path: string, input: Fields = {}, as: Person = founder) => callAt(app, path, input, as.bearer),
    join: () => join(app, founder),
    /** Creates a published job. With `domain: 'legal'`, it awaits review. */
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

/** Creates a workspace with reviewers for each test. */
export function useReviewers(app: TestApp): Reviewers {
  const mine = {} as Reviewers;
  beforeEach(async () => void Object.assign(mine, await openReviewers(app)));
  return mine;
}
