import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a free port of the loopback address. It does not keep its process alive. */
export interface HttpServer extends AsyncDisposable {
  url: string;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** @param handle gets each request with its whole body; if it fails, the client gets no response */
export function serveHttp(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      await handle(request, response, Buffer.concat(chunks));
    } catch {
      // The client has disconnected or sent an invalid request.
      response.destroy();
    }
  });
  return listen(server);
}

/** Starts a server whose own code reads the bodies. */
export async function listen(server: Server): Promise<HttpServer> {
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}
