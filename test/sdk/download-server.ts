import type { ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { LinguaLoop } from '#sdk/index.ts';
import { serveHttp } from '#test/fakes/http-server.ts';

/** Responds to one request. */
export type Answer = (response: ServerResponse) => void;

export interface DownloadServer {
  client: LinguaLoop;
  /** Returns the number of requests so far. */
  asked(): number;
  /** Resolves when the connection of the last scripted request is closed. */
  hungUp: Promise<void>;
}

/**
 * Starts a service for one test, and returns it with a client. The nth request is handled by `answers[n]`, and all
 * further requests by the last one.
 */
export async function serveDownloads(answers: Answer[]): Promise<DownloadServer> {
  let asked = 0;
  const gone = Promise.withResolvers<void>();
  const { url: baseUrl, close } = await serveHttp((_, response) => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    response.on('error', () => {});
    if (asked >= answers.length) response.once('close', () => gone.resolve());
    answer?.(response);
  });
  onTestFinished(close);
  const client = new LinguaLoop({ baseUrl, apiKey: 'k', backoff: { firstMs: 1, maxMs: 1 } });
  return { client, asked: () => asked, hungUp: gone.promise };
}

export const headers = {
  'content-type': 'application/x-ndjson; charset=utf-8',
  'content-disposition': 'attachment; filename="usage.jsonl"',
  'x-request-id': '01a1',
};

/** Usage records of the jobs from `from` to `to`, one in each line. */
export function lines(from: number, to: number): string {
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return numbers
    .map((n) => `${JSON.stringify({ job_id: `é${n}`, target_lang: 'fr', billable_chars: n })}\n`)
    .join('');
}

/** Sends this part of a body, and keeps the connection open without sending more. */
export const begin = (body: string | Uint8Array) => (response: ServerResponse) =>
  void response.writeHead(200, headers).write(body);

/** Sends this part of a body, and then drops the connection. */
export const cut = (body: string | Uint8Array) => (response: ServerResponse) => {
  response.writeHead(200, headers);
  response.flushHeaders();
  if (body.length === 0) setImmediate(() => response.destroy());
  else response.write(body, () => response.destroy());
};

export const whole =
  (body: string | Uint8Array, sent: Record<string, string> = headers): Answer =>
  (response) =>
    void response.writeHead(200, sent).end(body);

/** Sends lines for as long as the client reads. */
export const endless = (response: ServerResponse) => {
  response.writeHead(200, headers);
  const chunk = lines(1, 500);
  const fill = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', fill);
  fill();
};
