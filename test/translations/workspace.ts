import { beforeEach } from 'vitest';
import { bearer, type Fields, type Headers } from '#test/factories.ts';
import type { Signup, TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

export const PATH = '/api/translations';

/** Creates a tenant, and functions that send its requests; by default with its API key. */
export async function openWorkspace(app: TestApp, fields?: Fields) {
  const signup = await app.signUp(fields);
  const as = (headers: Headers = {}) => ({ ...signup.headers, ...headers });
  const job = (id: string) => `${PATH}/${id}`;
  return {
    ...signup,
    /** The bearer header of the founder, who is an administrator. */
    admin: bearer(signup.accessToken),
    cookie: { cookie: `ll_session=${signup.accessToken}` },
    submit: (body: unknown, headers?: Headers) => app.json('POST', PATH, { headers: as(headers), body }),
    /** Translates a text, and returns its job, which is published or awaits review. */
    async job(body: Fields = {}) {
      const answer = await app.json('POST', PATH, {
        headers: as(),
        body: { source_text: 'Hello', target_lang: 'fr', ...body },
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    post: (body: string | Uint8Array<ArrayBuffer> | FormData, headers: Headers, query = '') =>
      answerOf(app.request(`${PATH}${query}`, { method: 'POST', headers: as(headers), body })),
    get: (id: string, headers = as()) => app.json('GET', job(id), { headers }),
    read: async (id: string) => (await app.json('GET', job(id), { headers: as() })).body,
    list: async () => (await app.json('GET', `${PATH}?limit=200`, { headers: as() })).body,
    review: (id: string, body: Fields, headers = as()) =>
      app.json('POST', `${job(id)}/review`, { headers, body }),
    golden: (id: string, format?: string, headers = as()) =>
      app.request(`${job(id)}/golden${format === undefined ? '' : `?format=${format}`}`, { headers }),
    remove: (id: string, headers: Headers) => app.json('DELETE', job(id), { headers }),
    /** The usage records of the tenant, oldest first. */
    usage: async () => {
      const sql = openSuperuser(app.superuserUrl);
      return [
        ...(await sql<{ job_id: string; billable_chars: number; job_status: string }[]>`
          select job_id, billable_chars::int, job_status from usage_records
          where tenant_id = ${signup.tenantId} order by recorded_at`),
      ];
    },
  };
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** Creates a workspace for each test. */
export function useWorkspace(app: TestApp): Workspace {
  const mine = {} as Workspace;
  beforeEach(async () => void Object.assign(mine, await openWorkspace(app)));
  return mine;
}

export const keyed = (value: string) => ({ 'idempotency-key': value });

export async function answerOf(response: Response | Promise<Response>) {
  const answer = await response;
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route: the tests look into it freely
  let body: any = text;
  try {
    body = JSON.parse(text);
  } catch {}
  return { status: answer.status, headers: answer.headers, body };
}

/** Makes the founder an ordinary member. Guards read the role at each request (C 7). */
export async function demote(app: TestApp, { tenantId }: Signup): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    update users set role = 'agent_id_developer' where tenant_id = ${tenantId}`;
}
