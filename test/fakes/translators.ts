import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { serveHttp } from './http-server.ts';

/*
 * The services that translate without a language model, with the requests, responses and errors of their public
 * documentation. The real client packages speak to them.
 */

export type MachineKind = 'deepl' | 'azure' | 'google' | 'libretranslate' | 'apertium';

/** A request as the service understands it. */
export interface MachineAsked {
  texts: string[];
  from: string;
  to: string;
  isMarkup: boolean;
}

export interface RecordedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  /** JSON, or the fields of a form. */
  body: unknown;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

/** The form of the requests and responses of a service. */
interface Wire {
  read(body: never): MachineAsked;
  /** The body of a response with these translations, which may be of any type. */
  write(texts: unknown[]): unknown;
  busy: Answer;
  /** The account is spent or the key is wrong: waiting does not help. */
  refused: Answer;
  outage: Answer;
  unknownPair: Answer;
}

const form = (body: Record<string, string[]>, name: string) => body[name]?.[0] ?? '';

export const wires: Record<MachineKind, Wire> = {
  deepl: {
    read: (body: Record<string, string[]>) => ({
      texts: body['text'] ?? [],
      from: form(body, 'source_lang'),
      to: form(body, 'target_lang'),
      isMarkup: form(body, 'tag_handling') === 'xml',
    }),
    write: (texts) => ({ translations: texts.map((text) => ({ detected_source_language: 'EN', text })) }),
    busy: { status: 429, headers: { 'retry-after': '3' }, body: '' },
    refused: { status: 456, body: { message: 'Quota for this billing period has been exceeded.' } },
    outage: { status: 503, body: { message: 'Service unavailable' } },
    unknownPair: { status: 400, body: { message: "Value for 'target_lang' not supported." } },
  },
  azure: {
    read: (body: {
      inputs: { text: string; language: string; textType: string; targets: { language: string }[] }[];
    }) => ({
      texts: body.inputs.map(({ text }) => text),
      from: body.inputs[0]!.language,
      to: body.inputs[0]!.targets[0]!.language,
      isMarkup: body.inputs[0]!.textType === 'Html',
    }),
    write: (texts) => ({ value: texts.map((text) => ({ translations: [{ text, language: 'de' }] })) }),
    busy: {
      status: 429,
      headers: { 'retry-after': '3' },
      body: { error: { code: 429001, message: 'The client has exceeded request limits.' } },
    },
    refused: { status: 403, body: { error: { code: 403001, message: 'exceeded its free quota' } } },
    outage: {
      status: 503,
      body: { error: { code: 503000, message: 'Service is temporarily unavailable.' } },
    },
    unknownPair: {
      status: 400,
      body: { error: { code: 400036, message: 'The target language is not valid.' } },
    },
  },
  google: {
    read: (body: { q: string[]; source: string; target: string; format: string }) => ({
      texts: body.q,
      from: body.source,
      to: body.target,
      isMarkup: body.format === 'html',
    }),
    write: (texts) => ({ data: { translations: texts.map((translatedText) => ({ translatedText })) } }),
    busy: {
      status: 403,
      headers: { 'retry-after': '3' },
      body: {
        error: {
          code: 403,
          message: 'User Rate Limit Exceeded',
          errors: [{ reason: 'userRateLimitExceeded' }],
        },
      },
    },
    refused: {
      status: 403,
      body: {
        error: { code: 403, message: 'Daily Limit Exceeded', errors: [{ reason: 'dailyLimitExceeded' }] },
      },
    },
    outage: {
      status: 503,
      body: { error: { code: 503, message: 'The service is unavailable.', errors: [] } },
    },
    unknownPair: {
      status: 400,
      body: { error: { code: 400, message: 'Bad language pair: en|de', errors: [{ reason: 'badRequest' }] } },
    },
  },
  libretranslate: {
    read: (body: { q: string[]; source: string; target: string; format: string }) => ({
      texts: body.q,
      from: body.source,
      to: body.target,
      isMarkup: body.format === 'html',
    }),
    write: (translatedText) => ({ translatedText }),
    busy: { status: 429, headers: { 'retry-after': '3' }, body: { error: 'Slowdown: 20 per 1 minute' } },
    refused: { status: 403, body: { error: 'Invalid API key' } },
    outage: { status: 500, body: { error: 'Cannot translate text: out of memory' } },
    unknownPair: { status: 400, body: { error: 'de is not supported' } },
  },
  apertium: {
    read: (body: Record<string, string[]>) => {
      const [from = '', to = ''] = form(body, 'langpair').split('|');
      return { texts: body['q'] ?? [], from, to, isMarkup: form(body, 'format') === 'html' };
    },
    write: ([translatedText]) => ({
      responseData: { translatedText },
      responseDetails: null,
      responseStatus: 200,
    }),
    busy: { status: 429, headers: { 'retry-after': '3' }, body: { status: 'error', code: 429 } },
    refused: { status: 403, body: { status: 'error', code: 403, message: 'Forbidden' } },
    outage: { status: 500, body: { status: 'error', code: 500, message: 'Internal Server Error' } },
    unknownPair: {
      status: 400,
      body: { status: 'error', code: 400, message: 'Bad Request', explanation: 'That pair is not installed' },
    },
  },
};

/** Responds to one request. It may also never respond. */
export type MachineReply = (response: ServerResponse, asked: MachineAsked) => void;

/** Writes capital letters, and keeps tags and entities as a service does. */
export const shout = (text: string, isMarkup: boolean): string =>
  isMarkup
    ? text.replace(/(<[^<>]*>|&[#\w]+;)|[^<>&]+/g, (part, kept) => (kept ? part : part.toUpperCase()))
    : text.toUpperCase();

/** Starts one of the services on a free port of the loopback address. */
export async function startTranslator(kind: MachineKind) {
  const wire = wires[kind];
  const requests: RecordedRequest[] = [];
  const asked: MachineAsked[] = [];
  const queue: MachineReply[] = [];
  let translate = (text: string, isMarkup: boolean) => shout(text, isMarkup);
  const { url, close } = await serveHttp((incoming, response, bytes) => {
    const sent = bytes.toString();
    const isJson = incoming.headers['content-type']?.startsWith('application/json');
    const body = isJson ? JSON.parse(sent) : fieldsOf(sent);
    requests.push({ path: incoming.url ?? '', headers: incoming.headers, body });
    const read = wire.read(body as never);
    asked.push(read);
    const reply = queue.shift() ?? answering((texts) => texts.map((text) => translate(text, read.isMarkup)));
    reply(response, read);
  });
  const answering =
    (translated: (texts: string[]) => unknown[]): MachineReply =>
    (response, { texts }) =>
      send(response, { status: 200, body: wire.write(translated(texts)) });
  return {
    kind,
    url,
    requests,
    asked,
    /** Queues replies. Each is used for one request. */
    enqueue: (...replies: MachineReply[]) => void queue.push(...replies),
    answering,
    /** A reply with an error of the service. */
    failing:
      (name: 'busy' | 'refused' | 'outage' | 'unknownPair'): MachineReply =>
      (response) =>
        send(response, wire[name]),
    translateWith: (by: typeof translate) => {
      translate = by;
    },
    reset() {
      requests.length = 0;
      asked.length = 0;
      queue.length = 0;
      translate = shout;
    },
    close,
  };
}

export type FakeTranslator = Awaited<ReturnType<typeof startTranslator>>;

function fieldsOf(sent: string): Record<string, string[]> {
  const fields: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(sent)) fields[name] = [...(fields[name] ?? []), value];
  return fields;
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
