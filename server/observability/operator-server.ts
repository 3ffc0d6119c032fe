import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Readiness } from './readiness.ts';

interface OperatorServerParts {
  readiness: Readiness;
  /** The metrics in Prometheus's text format, with their content type. */
  metrics(): Promise<{ text: string; contentType: string }>;
}

export interface OperatorServer {
  address: string;
  stop(): Promise<void>;
}

/**
 * Starts a server for the operator's own tools on a separate port: `/metrics`, `/healthz` and `/readyz`. These
 * require no credential, so the port must be in a private network. A process that has only workers listens on no
 * other port.
 */
export async function startOperatorServer(
  { host, port }: { host: string; port: number },
  parts: OperatorServerParts,
): Promise<OperatorServer> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    request.resume();
    const { pathname } = new URL(request.url ?? '/', 'http://operator');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return send(response, 405, { detail: 'method not allowed' });
    respond(pathname, parts, response).catch(() => send(response, 500, { detail: 'internal error' }));
  });
  server.maxConnections = 64;
  await listen(server, host, port);
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound !== null ? bound.port : port;
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function respond(
  path: string,
  { readiness, metrics }: OperatorServerParts,
  response: ServerResponse,
): Promise<void> {
  if (path === '/healthz') return send(response, 200, { status: 'ok' });
  if (path === '/readyz') {
    const report = await readiness.report();
    return send(response, report.status === 'ready' ? 200 : 503, report);
  }
  if (path !== '/metrics') return send(response, 404, { detail: 'not found' });
  const { text, contentType } = await metrics();
  response.writeHead(200, { 'content-type': contentType }).end(text);
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
