import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The part of a chat completions request that tests look at. */
export interface ChatRequestBody {
  model: string;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema: { name: string; strict: boolean; schema: unknown } };
  [parameter: string]: unknown;
}

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: ChatRequestBody;
}

/** How the fake answers one request. It may also never answer, or drop the connection. */
export type Reply = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>;

export interface FakeOpenAi extends AsyncDisposable {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: RecordedRequest[];
  /** Replies for the next requests, one each. */
  enqueue(...replies: Reply[]): void;
  /** Replies to every request for which nothing is queued. */
  otherwise(reply: Reply): void;
  close(): Promise<void>;
}

/** Not retried by anybody, so that a test that queued too little fails at once. */
const nothingQueued: Reply = (response) => sendJson(response, 400, { error: { code: 'nothing_queued' } });

/** Starts a chat completions API on a free port of the loopback address. */
export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const requests: RecordedRequest[] = [];
  const queue: Reply[] = [];
  let fallback = nothingQueued;

  const server = createServer(async (incoming, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const recorded: RecordedRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
      };
      requests.push(recorded);
      await (queue.shift() ?? fallback)(response, recorded);
    } catch {
      // The caller gave up, or sent what is no request: there is nobody to answer.
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    enqueue: (...replies) => void queue.push(...replies),
    otherwise: (reply) => {
      fallback = reply;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

export interface CompletionOptions {
  /** null leaves the message without content. */
  content?: unknown;
  finishReason?: string | null;
  refusal?: string;
  model?: string | null;
  /** null leaves `usage` out. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

/** A completion. `content` is sent as it is where it is a string, as JSON where it is anything else. */
export function completion(options: CompletionOptions = {}): Reply {
  return (response, request) => sendJson(response, 200, completionBody(options, request.body.model));
}

function completionBody(options: CompletionOptions, asked: string): unknown {
  const { content = null, finishReason = 'stop', refusal = null, model = asked } = options;
  const { usage = { prompt_tokens: 100, completion_tokens: 10 } } = options;
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    ...(model !== null && { model }),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: typeof content === 'string' || content === null ? content : JSON.stringify(content),
          refusal,
        },
        finish_reason: finishReason,
      },
    ],
    ...(usage && { usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } }),
  };
}

/** A translation, in the shape that was asked for. */
export const translation = (text: string, options: CompletionOptions = {}): Reply =>
  completion({ content: { translation: text }, ...options });

/** Answers every kind of question favourably: the source between guillemets, and a score of 95. */
export const agreeable: Reply = (response, request) => {
  const data = JSON.parse(request.body.messages.at(-1)!.content);
  const judged = { issues: [], summary: 'reads well', score: 95, passed: true };
  const translates = request.body.response_format?.json_schema.name === 'translation';
  const content = translates ? { translation: `«${data.target_lang.code}» ${data.source_text}` } : judged;
  sendJson(response, 200, completionBody({ content }, request.body.model));
};

/** An error in OpenAI's shape. */
export function failure(
  status: number,
  error: { code?: string | number | null; type?: string; message?: string } = {},
  headers: Record<string, string> = {},
): Reply {
  const { code = null, type = 'server_error', message = 'something went wrong' } = error;
  return (response) => sendJson(response, status, { error: { message, type, param: null, code } }, headers);
}

/** Any body at all. */
export function raw(status: number, body: string, contentType = 'application/json'): Reply {
  return (response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

/** Takes the request and never answers. */
export const hang: Reply = () => {};

/** Sends the head and the start of a body, then nothing. */
export const hangInBody =
  (status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).write('{"id":');

/** Drops the connection without an answer. */
export const reset: Reply = (response) => void response.destroy();

/** Drops the connection in the middle of a body. */
export const resetInBody: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};

/** The reply, some milliseconds late. */
export const after =
  (ms: number, reply: Reply): Reply =>
  async (response, request) => {
    await delay(ms);
    await reply(response, request);
  };

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
