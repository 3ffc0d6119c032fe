import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { type HttpServer, serveHttp } from '#test/fakes/http-server.ts';

/**
 * How the server handles one request: a response, no response, or a connection that is closed before or during the
 * response.
 */
export type Step =
  | { status: number; body: string | Uint8Array | object; headers?: Record<string, string>; breaksOff?: true }
  | 'silence'
  | 'cut off'
  | 'cut off within the answer';

export interface Received {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /**
   * The fields of the JSON body or form, otherwise those of the query. For requests to /trpc, the input of the
   * procedure.
   */
  input: Record<string, unknown> | undefined;
  /** The unchanged body: a file, or the form that contains a file. */
  body: Buffer;
}

export interface ScriptedServer {
  /** The base URL of the current test. */
  address: string;
  /** The requests that the current test has sent. */
  received: Received[];
  /** Sets the responses to the next requests, in order. Further requests receive 418. */
  script(...steps: Step[]): void;
  /** Resolves when `count` requests of the current test have arrived. */
  arrived(count: number): Promise<void>;
}

/** Starts an HTTP server whose responses the test determines one by one. */
export function useScriptedServer(): ScriptedServer {
  const steps: Step[] = [];
  const waiting = new Map<number, () => void>();
  const scripted = {
    received: [] as Received[],
    script: (...next: Step[]) => void steps.push(...next),
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        if (scripted.received.length >= count) resolve();
        else waiting.set(count, resolve);
      }),
  } as ScriptedServer;
  let server: HttpServer;
  let tests = 0;

  beforeAll(async () => {
    server = await serveHttp((request, response, body) => {
      const url = new URL(request.url ?? '', 'http://scripted');
      const prefix = `/test-${tests}`;
      // A late request of an earlier test must not use a step of the current test.
      if (!url.pathname.startsWith(`${prefix}/`)) return request.socket.destroy();
      scripted.received.push({
        method: request.method ?? '',
        path: url.pathname.slice(prefix.length),
        query: url.searchParams,
        headers: request.headers,
        input: inputOf(request.headers['content-type'], body, url),
        body,
      });
      const step = steps.shift() ?? { status: 418, body: 'beyond the script' };
      if (step === 'cut off') request.socket.destroy();
      else if (step === 'cut off within the answer') {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"result":', () => request.socket.destroy());
      } else if (step !== 'silence') {
        const json = typeof step.body !== 'string' && !(step.body instanceof Uint8Array);
        response.writeHead(step.status, {
          'content-type': json ? 'application/json' : 'text/html',
          ...step.headers,
        });
        const sent = json ? JSON.stringify(step.body) : step.body;
        if (step.breaksOff) response.write(sent, () => request.socket.destroy());
        else response.end(sent);
      }
      waiting.get(scripted.received.length)?.();
    });
  });
  beforeEach(() => {
    // So that tests which are not about credentials need not set one.
    vi.stubEnv('LINGUALOOP_API_KEY', 'of-the-environment');
    tests += 1;
    scripted.address = `${server.url}/test-${tests}`;
    steps.length = 0;
    scripted.received.length = 0;
    waiting.clear();
  });
  afterEach(() => void vi.unstubAllEnvs());
  afterAll(() => server.close());
  return scripted;
}

function inputOf(type: string | undefined, body: Buffer, { pathname, searchParams }: URL) {
  const isProcedure = pathname.includes('/trpc/');
  if (type === 'application/json') {
    const json = JSON.parse(body.toString());
    return isProcedure ? json.json : json;
  }
  if (type === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(body.toString()));
  if (isProcedure) return JSON.parse(searchParams.get('input') ?? '{}').json;
  return searchParams.size > 0 ? Object.fromEntries(searchParams) : undefined;
}

/** Parses the form that a request has sent. */
export function formOf({ body, headers }: Received): Promise<FormData> {
  const type = { 'content-type': headers['content-type'] ?? '' };
  return new Response(new Uint8Array(body), { headers: type }).formData();
}

/** A successful response with `data`. */
export function result(data: unknown, headers: Record<string, string> = {}): Step {
  return { status: 200, body: data as object, headers };
}

/** An error. */
export function failure(
  status: number,
  detail: unknown,
  fields: { error_code?: string } = {},
  headers: Record<string, string> = {},
): Step {
  return { status, body: { detail, ...fields, request_id: '01a1' }, headers };
}
