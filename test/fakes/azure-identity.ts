import type { IncomingHttpHeaders } from 'node:http';
import { beforeEach } from 'vitest';
import { serveHttp } from './http-server.ts';

/** The secret of the endpoint, which no error may contain. */
export const identityHeader = 'the-endpoint-wants-this';

/** A request for a token. */
interface Asked {
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
}

interface TokenEndpoint {
  asked: Asked[];
  answer: { status: number; body: object };
}

const state: TokenEndpoint = { asked: [], answer: { status: 500, body: {} } };
let started: Promise<string> | undefined;

/**
 * The token endpoint of an App Service, which @azure/identity uses if IDENTITY_ENDPOINT is set. A process keeps the endpoint
 * that it has found, and the token for each client ID and service. So the test files of a process share one endpoint, and
 * each test has its own client ID.
 */
export function useTokenEndpoint(): TokenEndpoint {
  beforeEach(async () => {
    started ??= start();
    process.env['IDENTITY_ENDPOINT'] = await started;
    process.env['IDENTITY_HEADER'] = identityHeader;
    state.asked = [];
    return () => {
      delete process.env['IDENTITY_ENDPOINT'];
      delete process.env['IDENTITY_HEADER'];
    };
  });
  return state;
}

async function start(): Promise<string> {
  const { url } = await serveHttp((request, response) => {
    state.asked.push({
      query: new URL(request.url ?? '', 'http://x').searchParams,
      headers: request.headers,
    });
    response.writeHead(state.answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(state.answer.body));
  });
  return `${url}/token`;
}
