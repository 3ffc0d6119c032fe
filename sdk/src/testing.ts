import {
  answer,
  type DoubleRequest,
  newId,
  noPart,
  type Refusal,
  Refused,
  refusalAnswer,
} from './testing/answers.ts';
import { createDocuments } from './testing/documents.ts';
import { createGlossaries } from './testing/glossaries.ts';
import { createTexts } from './testing/texts.ts';
import type { TranslationJob } from './types.ts';
import { apiVersion } from './version.ts';

export type { DoubleRequest, Refusal } from './testing/answers.ts';

/** Options of a mock of the service. */
export interface DoubleOptions {
  /**
   * The API keys and access tokens that the mock accepts; with any other, a call throws AuthenticationError. By
   * default, the mock accepts every request, even without a credential.
   */
  credentials?: readonly string[] | undefined;
  /** Translates a text. Default: `[fr] Hello` for the text `Hello`. Terms of the uploaded glossaries are replaced. */
  translate?: ((text: string, sourceLang: string, targetLang: string) => string) | undefined;
  /**
   * Whether a job needs a human review, so that its status is `awaiting_review`. By default, no job does, and all are
   * `published`.
   */
  needsReview?: ((job: TranslationJob) => boolean) | undefined;
}

/** A mock of the service that runs in memory, for tests of programs that use the SDK. */
export interface ServiceDouble {
  /** The value for the client's option `baseUrl`. No server listens at this URL. */
  readonly baseUrl: string;
  /** The value for the client's option `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The requests that the mock has received, in their order. */
  readonly requests: readonly DoubleRequest[];
  /** Makes the mock reject the next requests. @param times number of requests; default: 1 */
  refuse(refusal: Refusal, times?: number): void;
  /**
   * Makes the mock process the next requests, but break the connection before the response. @param times number of
   * requests; default: 1
   */
  loseAnswers(times?: number): void;
}

/**
 * Creates a mock of the service. The mock can translate, review, list, download and delete texts and files. It
 * translates documents while they are polled, and applies uploaded glossaries. A repeated idempotency key returns the
 * same jobs. Every access token counts as that of an administrator.
 *
 * Unlike the service, the mock has no size limits and reads no file formats. The text of a file is its bytes as
 * UTF-8, cut every 5,000 characters. A translation that is downloaded as PDF or DOCX is plain text, and the file of a
 * document does not change. Glossaries must be CSV; a term is replaced if the text has the same spelling. Everything
 * else throws NotFoundError: XLIFF, TBX and TMX, and calls that are not mentioned here, such as `translations.search`
 * and all calls of `memory`.
 *
 * ```ts
 * const double = createDouble();
 * const client = new LinguaLoop({ baseUrl: double.baseUrl, fetch: double.fetch, apiKey: 'any' });
 * ```
 */
export function createDouble(options: DoubleOptions = {}): ServiceDouble {
  const { credentials, needsReview = () => false } = options;
  const glossaries = createGlossaries();
  const translate =
    options.translate ??
    ((text: string, from: string, to: string) => `[${to}] ${glossaries.apply(text, from, to)}`);
  const texts = createTexts(translate, needsReview);
  const documents = createDocuments();
  const requests: DoubleRequest[] = [];
  let refusals: Refusal[] = [];
  let lost = 0;

  async function respond(request: DoubleRequest): Promise<Response> {
    const refusal = refusals.shift();
    if (refusal) return refusalAnswer(refusal);
    if (request.path === '/healthz')
      return answer(200, {
        status: 'ok',
        stub_mode: { translator: true, refiner: true },
        live_services: false,
      });
    const sent = [request.headers['x-api-key'], request.headers['authorization']?.replace(/^Bearer /, '')];
    if (
      credentials &&
      !sent.some((credential) => credential !== undefined && credentials.includes(credential))
    )
      throw new Refused(401, 'missing or invalid tenant credentials');
    const exchanged = `${request.headers['accept']} ${request.headers['content-type']}`;
    const exchangeFormat = /(xliff|x-tbx)\+xml/.exec(exchanged);
    if (exchangeFormat) throw noPart(request, ` as ${exchangeFormat[0]}`);
    const [, api, domain, ...rest] = request.path.split('/').map(decodeURIComponent);
    const part = api === 'api' ? `${request.method} ${domain}` : '';
    if (part.endsWith(' translations')) return texts.answer(request, rest);
    if (part.endsWith(' documents')) return documents.answer(request, rest);
    if (part === 'POST terminology') return answer(200, await glossaries.upload(request));
    if (part === 'GET terminology') return glossaries.list(request.query);
    if (part === 'DELETE terminology') {
      glossaries.remove(rest[0] ?? '');
      return answer(204);
    }
    throw noPart(request);
  }

  return {
    baseUrl: 'http://double.invalid',
    requests,
    async fetch(url, init) {
      init.signal?.throwIfAborted();
      const request = await readRequest(url, init);
      requests.push(request);
      const response = await respond(request).catch((thrown) => {
        if (thrown instanceof Refused) return refusalAnswer(thrown.refusal);
        throw thrown;
      });
      if (lost > 0) {
        lost -= 1;
        throw new TypeError('fetch failed', {
          cause: new Error('the test double dropped the response, as loseAnswers requested'),
        });
      }
      response.headers.set('x-request-id', request.headers['x-request-id'] ?? newId());
      response.headers.set('x-api-version', apiVersion);
      return response;
    },
    refuse(refusal, times = 1) {
      refusals = [...refusals, ...Array.from({ length: times }, () => refusal)];
    },
    loseAnswers(times = 1) {
      lost += times;
    },
  };
}

async function readRequest(address: string, init: RequestInit): Promise<DoubleRequest> {
  const { pathname, searchParams } = new URL(address);
  const headers = Object.fromEntries(new Headers(init.headers));
  return {
    method: init.method ?? 'GET',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers,
    body: await readBody(init.body, headers['content-type'] ?? ''),
  };
}

async function readBody(body: RequestInit['body'], type: string): Promise<unknown> {
  if (body === undefined || body === null) return undefined;
  const whole = new Response(body, { headers: { 'content-type': type } });
  if (type.startsWith('application/json')) return whole.json();
  const isForm = /^(multipart\/form-data|application\/x-www-form-urlencoded)/.test(type);
  return isForm ? Object.fromEntries(await whole.formData()) : new Uint8Array(await whole.arrayBuffer());
}
