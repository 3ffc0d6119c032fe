import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { anthropicError, anthropicMessage, asChatRequest, isAnthropic } from './anthropic.ts';
import { serveHttp } from './http-server.ts';

/** The fields of a chat completion request that tests read. */
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
  /** A request to Anthropic's API has here the form of a chat completion request. */
  body: ChatRequestBody;
  /** The body as it was sent. */
  received: unknown;
}

/** Responds to one request. May also never respond, or drop the connection. */
export type Reply = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>;

export interface FakeOpenAi extends AsyncDisposable {
  /** For OPENAI_BASE_URL. */
  readonly baseUrl: string;
  /** All requests so far, in the order of arrival. */
  readonly requests: RecordedRequest[];
  /** The largest number of concurrent requests so far. */
  readonly peak: number;
  /** Queues replies. Each reply is used for one request. */
  enqueue(...replies: Reply[]): void;
  /** Sets the reply to all requests for which no reply is queued. */
  otherwise(reply: Reply): void;
  close(): Promise<void>;
}

/**
 * The reply if nothing is queued. The client does not retry this error, so a test with too few replies fails
 * immediately.
 */
const nothingQueued: Reply = (response) => sendJson(response, 400, { error: { code: 'nothing_queued' } });

/** Starts a chat completions API, which also has the messages API of Anthropic, on a free port of the loopback address. */
export async function startFakeOpenAi(): Promise<FakeOpenAi> {
  const requests: RecordedRequest[] = [];
  const queue: Reply[] = [];
  let fallback = nothingQueued;
  let open = 0;
  let peak = 0;

  const { url, close } = await serveHttp(async (incoming, response, body) => {
    const path = incoming.url ?? '';
    const received = JSON.parse(body.toString() || '{}');
    const recorded: RecordedRequest = {
      method: incoming.method ?? '',
      path,
      headers: incoming.headers,
      body: isAnthropic({ path }) ? asChatRequest(received) : received,
      received,
    };
    requests.push(recorded);
    peak = Math.max(peak, ++open);
    response.once('close', () => open--);
    await (queue.shift() ?? fallback)(response, recorded);
  });

  return {
    baseUrl: `${url}/v1`,
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
  /** With null, the message has no content. */
  content?: unknown;
  finishReason?: string | null;
  refusal?: string;
  model?: string | null;
  /** With null, the response has no `usage`. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

/**
 * Responds with a chat completion, or with a message if Anthropic's API is called. If `content` is a string, it is sent
 * unchanged; other values are sent as JSON.
 */
export function completion(options: CompletionOptions = {}): Reply {
  return (response, request) => {
    const body = isAnthropic(request) ? anthropicMessage : completionBody;
    sendJson(response, 200, body(options, request.body.model));
  };
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

/** Responds with translations of the requested segments, in the order of the segments. */
export const translation = (texts: string | string[], options: CompletionOptions = {}): Reply =>
  completion({
    content: { translations: [texts].flat().map((text, at) => ({ id: at + 1, text })) },
    ...options,
  });

/**
 * The parts of a request that a model uses. The name of the JSON schema determines the role, and the role determines
 * the fields of `data`. The schema may also be in the instructions.
 */
export interface Asked {
  role: 'translation' | 'assessment' | 'segment_assessment' | 'repair' | 'comparison' | 'verification';
  model: string;
  data: {
    source_lang: { code: string };
    target_lang: { code: string };
    context_before?: string;
    /**
     * For the roles that translate or compare, a segment has `text`; for all others, it has `source` and `translation`.
     */
    segments: { id: number; text: string; source: string; translation: string; approximate: boolean }[];
    issues: QualityIssue[];
    candidates: { id: number; segments: { id: number; text: string }[] }[];
    [field: string]: unknown;
  };
}

export function askedOf({ body }: RecordedRequest): Asked {
  const inWords = /JSON Schema, called "(\w+)"/.exec(body.messages[0]!.content)?.[1];
  const role = (body.response_format?.json_schema?.name ?? inWords) as Asked['role'];
  const sent = JSON.parse(body.messages.at(-1)!.content);
  const isPair = role !== 'translation' && role !== 'comparison';
  const read = ([id, first, ...rest]: [number, string, ...(string | boolean)[]]) => {
    const [translation, note, approximate] = isPair ? rest : [undefined, ...rest];
    const texts = isPair ? { source: first, translation } : { text: first };
    return { id, ...texts, ...(note && { note }), ...(approximate && { approximate }) };
  };
  const candidates = sent.candidates?.map((one: { segments: [] }) => ({
    ...one,
    segments: one.segments.map(read),
  }));
  const data = { ...sent, segments: sent.segments.map(read), ...(candidates && { candidates }) };
  return { role, model: body.model, data };
}

export interface TranslatingOptions {
  /** The default translation is the code of the target language and the source text in guillemets. */
  translate?: (text: string, lang: string, asked: Asked) => string;
  /** The default repair replaces the text of each issue by its suggestion. */
  repair?: (translation: string, issues: QualityIssue[], source: string) => string;
  /** The score of a judge; the default is 95. */
  score?: number | ((asked: Asked) => number);
  /** The issues that a judge finds; the default is an empty list. */
  issues?: QualityIssue[] | ((asked: Asked) => QualityIssue[]);
  /** Whether the verifier accepts the translation; the default is true. */
  passed?: boolean | ((asked: Asked) => boolean);
  /**
   * Returns the index of the winning candidate text. By default, the text that comes first in sorting order wins,
   * whatever the order of the candidates.
   */
  prefer?: (texts: string[]) => number;
  latencyMs?: number;
  usage?: CompletionOptions['usage'];
}

/** Responds like a model that has all roles of the engine. */
export function translatingReply(options: TranslatingOptions = {}): Reply {
  const { latencyMs = 0, usage } = options;
  const reply: Reply = (response, request) =>
    completion({ content: contentFor(askedOf(request), options), ...(usage !== undefined && { usage }) })(
      response,
      request,
    );
  return latencyMs > 0 ? after(latencyMs, reply) : reply;
}

/** Responds to each request with a result that causes no further work. */
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
      return { judgements: segments.map(({ id }) => ({ id, ...judged })), faultless: [] };
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

/** Responds with an error in the format of OpenAI or, if it is called, of Anthropic. */
export function failure(
  status: number,
  error: { code?: string | number | null; type?: string; message?: string } = {},
  headers: Record<string, string> = {},
): Reply {
  const { code = null, type = 'server_error', message = 'something went wrong' } = error;
  return (response, request) => {
    const body = isAnthropic(request)
      ? anthropicError(status, error)
      : { error: { message, type, param: null, code } };
    sendJson(response, status, body, headers);
  };
}

/** Responds with any body. */
export function raw(status: number, body: string, contentType = 'application/json'): Reply {
  return (response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

/** Accepts a request and never responds. */
export const hang: Reply = () => {};

/** Sends the headers and the beginning of a body, and then nothing more. */
export const hangInBody =
  (status = 200): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).write('{"id":');

/** Drops the connection without a response. */
export const reset: Reply = (response) => void response.destroy();

/** Drops the connection after a part of the body. */
export const resetInBody: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":', () => response.destroy());
};

/** Sends the reply after this many milliseconds. */
export const after =
  (ms: number, reply: Reply): Reply =>
  async (response, request) => {
    await delay(ms);
    await reply(response, request);
  };

/** Responds only after `count` requests have arrived. */
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
