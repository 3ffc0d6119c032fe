import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { foreignSite } from '../own-site.ts';

export interface HttpOptions {
  port: number;
  host: string;
  /** The URL of this program behind a proxy. */
  publicUrl: string | undefined;
  /** The bearer token that every request must have. */
  token: string;
  create(): McpServer;
}

/** Maximum bytes of a request, which has at most one text. */
const maxBodyBytes = 1_000_000;

/**
 * Serves MCP over streamable HTTP at `/mcp`, without sessions: each request has its own server, so any number of clients
 * can connect, and a restart loses nothing. Browsers of other sites are rejected by the token and the names of the host.
 */
export async function serveHttp({
  port,
  host,
  publicUrl,
  token,
  create,
}: HttpOptions): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => {
      if (!response.headersSent) refuse(response, 500, 'internal error');
      else response.destroy();
    });
  });
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const { port: bound } = server.address() as AddressInfo;
    const foreign = foreignSite(request.headers, { host, port: bound, publicUrl });
    if (foreign) return refuse(response, 403, foreign);
    if (pathname !== '/mcp') return refuse(response, 404, 'MCP is served at /mcp');
    if (!isToken(request.headers.authorization, token)) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(response, 401, 'a bearer token is required');
    }
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      return refuse(response, 405, 'method not allowed');
    }
    const body = await readBody(request);
    if (body === undefined) return refuse(response, 413, `the request has more than ${maxBodyBytes} bytes`);
    let message: unknown;
    try {
      message = JSON.parse(body);
    } catch {
      return refuse(response, 400, 'the body is not JSON');
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined as never,
      enableJsonResponse: true,
    });
    const mcp = create();
    response.once('close', () => {
      void transport.close();
      void mcp.close();
    });
    await mcp.connect(transport as never);
    await transport.handleRequest(request, response, message);
  };
  server.listen(port, host);
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/mcp`, server };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const error = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

/** Compares hashes, so that the time does not depend on the token. */
function isToken(header: string | undefined, token: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`));
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
