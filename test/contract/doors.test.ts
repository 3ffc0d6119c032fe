import superjson from 'superjson';
import { beforeAll, describe, expect, test } from 'vitest';
import { type RestProcedure, restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import { carriesFiles, inputSource } from '#server/trpc.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';

const app = useTestApp();
let tenant: Signup;
let jobId: string;

beforeAll(async () => {
  tenant = await app.signUp();
  const { body } = await app.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text: 'Hello', target_lang: 'fr', idempotency_key: 'replayed' },
  });
  jobId = body.id;
});

interface Case {
  name: string;
  status: number;
  /** An input whose call changes what it meets is made anew for each door. */
  input?: () => Record<string, unknown> | Promise<Record<string, unknown>>;
  headers?: () => Record<string, string>;
}

const asTenant = () => tenant.headers;
const asAdmin = () => ({ authorization: `Bearer ${tenant.accessToken}` });
const batch = {
  inputs: [
    { Text: 'One', Targets: [{ Language: 'fr' }, { Language: 'de', Tone: 'formal' }] },
    { Text: 'Two', Language: 'en', TextType: 'Html', Targets: [{ Language: 'ja' }] },
  ],
};
const pages = { source_text: 'A page.', target_lang: 'fr', metadata: { source_document: { name: 'a.txt' } } };
const file = (name = 'a.txt', text = 'A page.') => ({
  source_document: new File([text], name, { type: 'text/plain' }),
  target_lang: 'fr',
});

/** A job that waits for review, by its id. */
async function heldJob(): Promise<string> {
  const { body } = await app.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text: 'Hello', target_lang: 'fr', domain: 'legal' },
  });
  return body.id;
}

async function publishedJob(): Promise<string> {
  const { body } = await app.json('POST', '/api/translations', { headers: tenant.headers, body: text });
  return body.id;
}

const nobody = () => ({});
const text = { source_text: 'Hello', target_lang: 'fr' };
const signup = {
  tenant_name: 'Both Doors',
  email: 'founder@example.org',
  password: 'a long enough passphrase',
};

/** What is asked of each procedure at both doors. A procedure without cases fails the suite. */
const cases: Record<string, Case[]> = {
  'system.health': [{ name: 'is alive', status: 200 }],
  'auth.signUpWithEmail': [
    { name: 'founds a workspace', status: 200, input: () => signup },
    { name: 'a field is missing', status: 422, input: () => ({ email: 'a@example.org' }) },
    {
      name: 'a field has the wrong type',
      status: 422,
      input: () => ({ ...signup, monthly_char_limit: '5' }),
    },
    { name: 'the password is short', status: 400, input: () => ({ ...signup, password: 'ten chars.' }) },
    { name: 'the invite is none', status: 400, input: () => ({ ...signup, invite_token: 'x.y' }) },
    {
      name: 'another site sends it',
      status: 403,
      input: () => signup,
      headers: () => ({ 'sec-fetch-site': 'cross-site' }),
    },
  ],
  'translations.create': [
    { name: 'publishes', status: 200, input: () => text, headers: asTenant },
    {
      name: 'replays',
      status: 200,
      input: () => ({ ...text, idempotency_key: 'replayed' }),
      headers: asTenant,
    },
    { name: 'nobody asks', status: 401, input: () => text, headers: nobody },
    {
      name: 'the language is unknown',
      status: 422,
      input: () => ({ ...text, target_lang: 'xx' }),
      headers: asTenant,
    },
    {
      name: 'the text is blank',
      status: 400,
      input: () => ({ ...text, source_text: ' \n' }),
      headers: asTenant,
    },
    {
      name: 'the text is too long',
      status: 413,
      input: () => ({ ...text, source_text: 'x'.repeat(50_001) }),
      headers: asTenant,
    },
    {
      name: 'a NUL is in it',
      status: 422,
      input: () => ({ ...text, source_text: 'a\0b' }),
      headers: asTenant,
    },
    { name: 'a type is wrong', status: 422, input: () => ({ ...text, source_text: 5 }), headers: asTenant },
  ],
  'translations.createBatch': [
    { name: 'publishes in order', status: 200, input: () => batch, headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => batch, headers: nobody },
    { name: 'it is empty', status: 422, input: () => ({ inputs: [] }), headers: asTenant },
    {
      name: 'an input is blank',
      status: 400,
      input: () => ({ inputs: [...batch.inputs, { Text: ' ', Targets: [{ Language: 'fr' }] }] }),
      headers: asTenant,
    },
    {
      name: 'a target is unknown',
      status: 422,
      input: () => ({ inputs: [{ Text: 'One', Targets: [{ Language: 'xx' }] }] }),
      headers: asTenant,
    },
    {
      name: 'it is too long',
      status: 413,
      input: () => ({ inputs: Array.from({ length: 18 }, () => batch.inputs).flat() }),
      headers: asTenant,
    },
  ],
  'translations.createFromText': [
    { name: 'publishes its pages', status: 200, input: () => pages, headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => pages, headers: nobody },
    {
      name: 'the text is blank',
      status: 400,
      input: () => ({ ...pages, source_text: '\n' }),
      headers: asTenant,
    },
  ],
  'translations.createFromFile': [
    { name: 'publishes its pages', status: 200, input: () => file(), headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => file(), headers: nobody },
    {
      name: 'it is of no known kind',
      status: 415,
      input: () => ({ ...file(), source_document: new File(['x'], 'a.zip', { type: 'application/zip' }) }),
      headers: asTenant,
    },
    { name: 'it is a document', status: 415, input: () => file('a.docx'), headers: asTenant },
    { name: 'there is no file', status: 400, input: () => ({ target_lang: 'fr' }), headers: asTenant },
    { name: 'it is empty', status: 400, input: () => file('a.txt', ''), headers: asTenant },
    {
      name: 'the language is missing',
      status: 400,
      input: () => ({ ...file(), target_lang: '' }),
      headers: asTenant,
    },
    {
      name: 'the language is unknown',
      status: 422,
      input: () => ({ ...file(), target_lang: 'xx' }),
      headers: asTenant,
    },
  ],
  'translations.review': [
    {
      name: 'keeps a draft',
      status: 200,
      input: async () => ({ job_id: await heldJob(), action: 'save', final_translation: 'Salut' }),
      headers: asTenant,
    },
    {
      name: 'approves',
      status: 200,
      input: async () => ({ job_id: await heldJob(), action: 'approve', reviewer: 'Rev' }),
      headers: asTenant,
    },
    {
      name: 'rejects',
      status: 200,
      input: async () => ({ job_id: await heldJob(), action: 'reject' }),
      headers: asAdmin,
    },
    {
      name: 'modifies to nothing',
      status: 422,
      input: async () => ({ job_id: await heldJob(), action: 'modify' }),
      headers: asTenant,
    },
    {
      name: 'the action is none',
      status: 422,
      input: async () => ({ job_id: await heldJob(), action: 'publish' }),
      headers: asTenant,
    },
    {
      name: 'the job is published',
      status: 400,
      input: async () => ({ job_id: await publishedJob(), action: 'approve' }),
      headers: asTenant,
    },
    {
      name: 'there is no such job',
      status: 404,
      input: () => ({ job_id: 'f'.repeat(32), action: 'approve' }),
      headers: asTenant,
    },
    {
      name: 'nobody asks',
      status: 401,
      input: () => ({ job_id: jobId, action: 'approve' }),
      headers: nobody,
    },
  ],
  'translations.golden': [
    { name: 'downloads', status: 200, input: () => ({ job_id: jobId }), headers: asTenant },
    {
      name: 'the format is none',
      status: 422,
      input: () => ({ job_id: jobId, format: 'odt' }),
      headers: asTenant,
    },
    {
      name: 'the job is held',
      status: 409,
      input: async () => ({ job_id: await heldJob() }),
      headers: asTenant,
    },
    {
      name: 'there is no such job',
      status: 404,
      input: () => ({ job_id: 'f'.repeat(32) }),
      headers: asTenant,
    },
    { name: 'nobody asks', status: 401, input: () => ({ job_id: jobId }), headers: nobody },
  ],
  'translations.delete': [
    { name: 'deletes', status: 200, input: async () => ({ job_id: await publishedJob() }), headers: asAdmin },
    {
      name: 'there is no such job',
      status: 404,
      input: () => ({ job_id: 'f'.repeat(32) }),
      headers: asAdmin,
    },
    { name: 'a key asks', status: 401, input: () => ({ job_id: jobId }), headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => ({ job_id: jobId }), headers: nobody },
  ],
  'translations.get': [
    { name: 'finds', status: 200, input: () => ({ job_id: jobId }), headers: asTenant },
    { name: 'does not find', status: 404, input: () => ({ job_id: 'f'.repeat(32) }), headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => ({ job_id: jobId }), headers: nobody },
  ],
  'translations.list': [
    { name: 'lists', status: 200, input: () => ({ status: 'published', limit: 1 }), headers: asTenant },
    { name: 'the limit is out of range', status: 422, input: () => ({ limit: 201 }), headers: asTenant },
    { name: 'the status is none', status: 422, input: () => ({ status: 'done' }), headers: asTenant },
    { name: 'the cursor is none', status: 422, input: () => ({ cursor: 'zzz' }), headers: asTenant },
    { name: 'nobody asks', status: 401, input: () => ({}), headers: nobody },
  ],
};

interface Answer {
  status: number;
  body: unknown;
  headers: Record<string, string | null>;
}

const procedures = restProcedures(appRouter);

test('every procedure has a route, a guard, and cases here', () => {
  expect(procedures.map(({ path }) => path).sort()).toEqual(Object.keys(appRouter._def.procedures).sort());
  expect(Object.keys(cases).sort()).toEqual(procedures.map(({ path }) => path).sort());
  for (const { path, meta } of procedures) expect(meta.guard, path).toBeDefined();
});

for (const procedure of procedures)
  describe(procedure.path, () => {
    for (const { name, status, input, headers } of cases[procedure.path] ?? [])
      test(`answers ${status} the same at both doors: ${name}`, async () => {
        const call = async (via: typeof viaRest) =>
          via(procedure, (await input?.()) ?? {}, headers?.() ?? {});
        const rest = await call(viaRest);
        expect(rest.status).toBe(status);
        const rpc = await call(viaRpc);
        // Files travel by the REST door only.
        if (carriesFiles(procedure.route)) expect(rpc.status).toBe(404);
        else expect(normalize(rpc)).toEqual(normalize(rest));
      });
  });

async function viaRest(
  { route }: RestProcedure,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Answer> {
  const query = new URLSearchParams();
  const body: Record<string, unknown> = {};
  let path: string = route.path;
  for (const [name, value] of Object.entries(input)) {
    const source = inputSource(route, name);
    if (source === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (source === 'query') query.set(name, String(value));
    else body[name] = value;
  }
  const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
  if (route.upload) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.append(name, value as Blob);
    const answer = await app.request(path, { method: route.method, headers, body: form });
    return { status: answer.status, body: await answer.json(), headers: telling(answer.headers) };
  }
  if (route.body === 'form') {
    const form = new URLSearchParams(body as Record<string, string>);
    const answer = await app.request(path, { method: route.method, headers, body: form });
    return { status: answer.status, body: await answer.json(), headers: telling(answer.headers) };
  }
  const answer = await app.json(route.method, `${path}?${query}`, { headers, ...(hasBody && { body }) });
  return { status: answer.status, body: answer.body, headers: telling(answer.headers) };
}

async function viaRpc(
  { path, type }: RestProcedure,
  input: Record<string, unknown>,
  headers: Record<string, string>,
): Promise<Answer> {
  const serialized = superjson.serialize(JSON.parse(JSON.stringify(input)));
  const answer =
    type === 'query'
      ? await app.json('GET', `/trpc/${path}?input=${encodeURIComponent(JSON.stringify(serialized))}`, {
          headers,
        })
      : await app.json('POST', `/trpc/${path}`, { headers, body: serialized });
  const { result, error } = answer.body;
  if (!error)
    return {
      status: answer.status,
      body: superjson.deserialize(result.data),
      headers: telling(answer.headers),
    };
  const { detail, error_code, request_id } = error.json.data;
  const body = error_code === null ? { detail } : { detail, error_code, request_id };
  return { status: answer.status, body, headers: telling(answer.headers) };
}

/** The headers that say something of the answer, and whether a request id came. */
function telling(headers: Headers): Record<string, string | null> {
  return {
    replayed: headers.get('idempotency-replayed'),
    cursor: headers.get('x-next-cursor') && 'there',
    requestId: headers.get('x-request-id') && 'there',
    cookie: headers.get('set-cookie') && 'there',
    retryAfter: headers.get('retry-after'),
  };
}

/** Two calls make two jobs, two workspaces, two request ids: those differ, and nothing else. */
function normalize(answer: Answer): unknown {
  const text = JSON.stringify(answer).replaceAll(/\b[0-9a-f]{32}\b/g, 'id');
  return JSON.parse(
    JSON.stringify(JSON.parse(text), (key, value) => {
      if (/^(id|.*_id|.*_at|tenant_api_key|api_key_prefix|access_token|refresh_token)$/.test(key))
        return typeof value;
      return value;
    }),
  );
}
