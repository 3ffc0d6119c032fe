import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** The response of a receiver: its status, with headers if needed. */
export type Reply = number | { status: number; headers: Record<string, string> };

export interface Receiver {
  url: string;
  /** All requests, in their order. */
  received: Received[];
}

/** Starts a receiver of webhooks. It is closed after the current test. */
export async function startReceiver(
  reply: (received: Received, earlier: number) => Reply | Promise<Reply> = () => 204,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    received.push(one);
    const sent = await reply(one, received.length - 1);
    if (typeof sent === 'number') response.writeHead(sent).end();
    else response.writeHead(sent.status, sent.headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}
