import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { QualityIssue } from '#server/platform/engines/engine.ts';

/** The fields of a chat completions request that tests read. */
export interface ChatRequestBody {
  model: string;
  messages: { role: string; content: string }[];
  response_format?: { type: string; json_schema?: { name: string; strict: boolean; schema: unknown } };
  [parameter: string]: unknown;
}

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: ChatRequestBody;
}

/** How the fake responds to one request. It may also never respond, or drop the connection. */
export type Reply = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>;

export interface FakeOpenAi extends AsyncDisposable {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: RecordedRequest[];
  /** The highest number of concurrent requests so far. */
  readonly peak: number;
  /** Replies for the next requests, one each. */
  enqueue(...replies: Reply[]): void;
  /** Replies to every request for which nothing is queued. */
  otherwise(reply: Reply): void;
  close(): Promise<void>;
}

/** Clients do not retry it, so a test that queued too few replies fails immediately. */
const nothingQueued: Reply = (response) => sendJson(response, 400, { error: { code: 'nothing_queued' } });

/** Starts a chat completions API on a free port of the loopback address. */
export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const requests: RecordedRequest[] = [];
  const queue: Reply[] = [];
  let fallback = nothingQueued;
  let open = 0;
  let peak = 0;

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
      peak = Math.max(peak, ++open);
      response.once('close', () => open--);
      await (queue.shift() ?? fallback)(response, recorded);
    } catch {
      // The caller disconnected or sent an invalid request, so it gets no response.
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
    get peak() {
      return peak;
    },
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

/** A completion. A string `content` is sent unchanged, other values as JSON. */
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

/** Translations of the requested segments, in order. */
export const translation = (texts: string | string[], options: CompletionOptions = {}): Reply =>
  completion({
    content: { translations: [texts].flat().map((text, at) => ({ id: at + 1, text })) },
    ...options,
  });

/**
 * A request from the model's point of view: the schema's name identifies its role, which determines its data. The schema may
 * be in the instructions.
 */
export interface Asked {
  role: 'translation' | 'assessment' | 'segment_assessment' | 'repair' | 'comparison' | 'verification';
  model: string;
  data: {
    source_lang: { code: string };
    target_lang: { code: string };
    context_before: string | null;
    /** `text` if the role translates or compares, otherwise `source` and `translation`. */
    segments: { id: number; text: string; source: string; translation: string; approximate: boolean }[];
    issues: QualityIssue[];
    candidates: { id: number; segments: { id: number; text: string }[] }[];
    [field: string]: unknown;
  };
}

export function askedOf({ body }: RecordedRequest): Asked {
  const inWords = /JSON Schema, called "(\w+)"/.exec(body.messages[0]!.content)?.[1];
  const role = (body.response_format?.json_schema?.name ?? inWords) as Asked['role'];
  return { role, model: body.model, data: JSON.parse(body.messages.at(-1)!.content) };
}

export interface TranslatingOptions {
  /** By default the source between guillemets after the target's code. */
  translate?: (text: string, lang: string, asked: Asked) => string;
  /** By default replaces each issue's span by its suggestion. */
  repair?: (translation: string, issues: QualityIssue[], source: string) => string;
  /** Of the judges: 95. */
  score?: number | ((asked: Asked) => number);
  /** Of the judges: none. */
  issues?: QualityIssue[] | ((asked: Asked) => QualityIssue[]);
  /** Of the verifier: true. */
  passed?: boolean | ((asked: Asked) => boolean);
  /** Index of the winning candidate text. By default the one that sorts first, in any order. */
  prefer?: (texts: string[]) => number;
  latencyMs?: number;
  usage?: CompletionOptions['usage'];
}

/** A model that fulfils every role of the engine. */
export function translatingReply(options: TranslatingOptions = {}): Reply {
  const { latencyMs = 0, usage } = options;
  const reply: Reply = (response, request) =>
    completion({ content: contentFor(askedOf(request), options), ...(usage !== undefined && { usage }) })(
      response,
      request,
    );
  return latencyMs > 0 ? after(latencyMs, reply) : reply;
}

/** Gives every kind of question a favourable reply. */
export const agreeable: Reply = translatingReply();

function contentFor(asked: Asked, options: TranslatingOptions): unknown {
  const { segments, issues, candidates, target_lang } = asked.data;
  const { translate = (text, lang) => `«${lang}» ${text}`, repair = mend, prefer = firstInOrder } = options;
  const judged = {
    issues: valueFor(asked, options.issues ?? []),
    summary: 'as it was told to say',
    score: valueFor(asked, options.score ?? 95),
  };
  switch (asked.role) {
    case 'translation':
      return {
        translations: segments.map(({ id, text }) => ({
          id,
          text: translate(text, target_lang.code, asked),
        })),
      };
    case 'repair':
      return {
        translations: segments.map(({ id, source, translation }) => ({
          id,
          text: repair(translation, issues, source),
        })),
      };
    case 'assessment':
      return judged;
    case 'segment_assessment':
      return { judgements: segments.map(({ id }) => ({ id, ...judged })) };
    case 'verification':
      return { ...judged, passed: valueFor(asked, options.passed ?? true) };
    case 'comparison': {
      const winner = prefer(
        candidates.map((candidate) => candidate.segments.map(({ text }) => text).join('\n')),
      );
      return { rationale: 'it reads best', winner: candidates[winner]!.id };
    }
  }
}

function valueFor<T>(asked: Asked, option: T | ((asked: Asked) => T)): T {
  return typeof option === 'function' ? (option as (asked: Asked) => T)(asked) : option;
}

function mend(translation: string, issues: QualityIssue[]): string {
  return issues.reduce(
    (text, { span, suggestion }) => (span && suggestion !== null ? text.replaceAll(span, suggestion) : text),
    translation,
  );
}

function firstInOrder(texts: string[]): number {
  return texts.indexOf(texts.toSorted()[0]!);
}

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

/** Accepts the request and never responds. */
export const hang: Reply = () => {};

/** Sends the head and the start of a body, then nothing. */
export const hangInBody =
  (status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).write('{"id":');

/** Drops the connection without a response. */
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

/** Responds only when `count` requests have arrived. */
export function gather(count: number, reply: Reply = agreeable): Reply {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return async (response, request) => {
    if (++come === count) all.resolve();
    await all.promise;
    await reply(response, request);
  };
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
