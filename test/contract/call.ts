import superjson from 'superjson';
import { inputSource, type Route } from '#server/trpc.ts';
import type { Fields, Headers } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { Procedure } from './procedures.ts';

/** The input and headers of a call, for both transports. */
export interface Ask {
  input?: Fields;
  headers?: Headers;
}

export interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route: the tests look into it freely
  body: any;
  /** The headers of the response that the tests compare. */
  headers: Record<string, unknown>;
}

type Server = Pick<TestApp, 'request'>;

interface Sent {
  body?: FormData | URLSearchParams | string;
  headers?: Headers;
}

/**
 * Calls a procedure at its REST path. The fields of the input go into the path, the query or the body, as its route
 * defines.
 */
export async function viaRest(at: Server, procedure: Procedure, ask: Ask): Promise<Answer> {
  const route = routeOf(procedure);
  const { input = {}, headers = {} } = ask;
  const query = new URLSearchParams();
  const body: Fields = {};
  let path: string = route.path;
  for (const [name, value] of Object.entries(input)) {
    const source = inputSource(route, name);
    if (source === 'path') path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (source === 'query') query.set(name, String(value));
    else body[name] = value;
  }
  const init = requestOf(route, body);
  const sent = { method: route.method, ...init, headers: { ...init.headers, ...headers } };
  return readAnswer(await at.request(`${path}?${query}`, sent));
}

function routeOf({ path, route }: Procedure): Route {
  if (!route) throw new Error(`${path} has no route`);
  return route;
}

/** Builds the body of a request in the form that its route expects. */
function requestOf({ method, upload, download, body: kind, headers: names = {} }: Route, body: Fields): Sent {
  // If several procedures share a path, the Accept header selects one.
  if (method === 'GET') return download ? { headers: { accept: download.join(', ') } } : {};
  if (method === 'DELETE') return {};
  if (kind === 'xliff')
    return { body: String(body['body'] ?? ''), headers: { 'content-type': 'application/xliff+xml' } };
  if (kind === 'raw') {
    const sent = Object.entries(names).flatMap(([name, header]) =>
      typeof body[name] === 'string' ? [[header, body[name]]] : [],
    );
    return { body: String(body['body']), headers: Object.fromEntries(sent) };
  }
  if (upload) {
    const form = new FormData();
    for (const [name, value] of Object.entries(body)) form.append(name, value as Blob);
    return { body: form };
  }
  if (kind === 'form') return { body: new URLSearchParams(body as Record<string, string>) };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Sends an unchanged body to the REST path of a procedure. */
export async function viaRestRaw(
  at: Server,
  procedure: Procedure,
  { contentType, body }: { contentType: string; body: string },
  asker: Headers = {},
): Promise<Answer> {
  const route = routeOf(procedure);
  const headers = { 'content-type': contentType, ...asker };
  return readAnswer(await at.request(route.path, { method: route.method, headers, body }));
}

/** Calls a procedure over /trpc. Of a success, the body is the data; an error has the same body as over REST. */
export async function viaRpc(at: Server, { path, type }: Procedure, ask: Ask): Promise<Answer> {
  const { input = {}, headers = {} } = ask;
  const sent = JSON.stringify(superjson.serialize(JSON.parse(JSON.stringify(input))));
  if (type === 'subscription')
    return subscribe(at, `/trpc/${path}?input=${encodeURIComponent(sent)}`, headers);
  const response =
    type === 'query'
      ? at.request(`/trpc/${path}?input=${encodeURIComponent(sent)}`, { headers })
      : at.request(`/trpc/${path}`, {
          method: 'POST',
          body: sent,
          headers: { 'content-type': 'application/json', ...headers },
        });
  return rpcAnswer(await readAnswer(await response));
}

/** Begins a subscription. Of a success, the body is the beginning of the stream, which is then closed. */
async function subscribe(at: Server, path: string, headers: Headers): Promise<Answer> {
  const response = await at.request(path, { headers });
  if (response.status !== 200) return rpcAnswer(await readAnswer(response));
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return { status: 200, body: Buffer.from(value ?? []).toString(), headers: telling(response.headers) };
}

function rpcAnswer(answer: Answer): Answer {
  const { result, error, detail: refusedBefore } = answer.body;
  if (refusedBefore !== undefined) return answer;
  if (!error) return { ...answer, body: superjson.deserialize(result.data) };
  const { detail, error_code, request_id, present, limit, actual, unit, hint, candidates } = error.json.data;
  const body = { detail, error_code, request_id, present, limit, actual, unit, hint, candidates };
  return { ...answer, body };
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: read(text), headers: telling(response.headers) };
}

function read(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function telling(headers: Response['headers']): Record<string, unknown> {
  const there = (name: string) => headers.get(name) && 'there';
  return {
    replayed: headers.get('idempotency-replayed'),
    cacheControl: headers.get('cache-control'),
    cursor: there('x-next-cursor'),
    requestId: there('x-request-id'),
    retryAfter: there('retry-after'),
    // The values of these cookies differ in each call. An empty value stays: it deletes the cookie.
    cookies: headers
      .getSetCookie()
      .map((line) => line.replace(/^(ll_session|ll_sso|ll_device)\w*=[^;]+/, '$1')),
  };
}

/** The names of fields whose values differ in each call: IDs, times, tokens, keys and codes. */
const madeAnew = new RegExp(
  `^(${[
    'id',
    '.*_id',
    '.*_at',
    'changedate',
    'tenant_api_key',
    'api_key',
    'api_key_prefix',
    'access_token',
    'refresh_token',
    'invite_token',
    'reset_token',
    'reset_url',
    'recovery_codes',
    'secret',
    'otpauth_uri',
    'qr_code',
    'authorization_url',
    'state',
    'url',
    'exp',
    'sub',
    'stage_timings',
  ].join('|')})$`,
);

/**
 * Removes the differences between two calls that create different objects, such as their IDs, email addresses and
 * request IDs. Everything else must be equal.
 */
export function normalize(answer: Answer): unknown {
  const text = JSON.stringify(answer)
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'id')
    // The place of a golden record in its pack.
    .replaceAll(/[0-9a-f]{12}\.jsonl\.gz\/\d+-\d+/g, 'pack')
    .replaceAll(/\bperson\d+@/g, 'person@');
  return JSON.parse(text, (key, value) => (madeAnew.test(key) ? typesOf(value) : value));
}

/** Replaces values by their types, so that only presence and type are compared. */
function typesOf(value: unknown): unknown {
  return Array.isArray(value) ? value.map(typesOf) : value === null ? null : typeof value;
}
