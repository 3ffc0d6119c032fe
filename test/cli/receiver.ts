import type { IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import { serveHttp } from '#test/fakes/http-server.ts';

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
  const { url, close } = await serveHttp(async (request, response, body) => {
    const one = { headers: request.headers, body: body.toString() };
    received.push(one);
    const sent = await reply(one, received.length - 1);
    if (typeof sent === 'number') response.writeHead(sent).end();
    else response.writeHead(sent.status, sent.headers).end();
  });
  onTestFinished(close);
  return { url: `${url}/hook`, received };
}
