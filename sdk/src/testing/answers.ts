import { canonicalLanguage, languageCodes } from '../../../server/languages.ts';
import type { LanguageCode, TranslationEstimate } from '../types.ts';

/** A request that the mock has received. */
export interface DoubleRequest {
  /** The HTTP method in capitals, for example `POST`. */
  readonly method: string;
  /** The path below the URL of the mock, for example `/api/translations`. */
  readonly path: string;
  /** The query. If a name occurs several times, it has one value here. */
  readonly query: Readonly<Record<string, string>>;
  /** The headers, with their names in lowercase. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body: parsed if it is JSON or a form (files included), otherwise the bytes; undefined without a body. */
  readonly body: unknown;
}

/** The response that the mock sends for a rejected request. */
export interface Refusal {
  /** The HTTP status. It determines the class of the error. */
  status: number;
  /** A message, or an entry for each invalid field. */
  detail: unknown;
  /** The service's `error_code`. Default: the usual one of the status. */
  code?: string | undefined;
  /** Seconds for the Retry-After header. Default: none. */
  retryAfter?: number | undefined;
}

/** Thrown for a request that the service would reject. */
export class Refused {
  readonly refusal: Refusal;

  constructor(status: number, detail: unknown, code?: string) {
    this.refusal = { status, detail, code };
  }
}

/** Returns the error for a route that the service has and the mock does not support. */
export function noPart({ method, path }: DoubleRequest, what = ''): Refused {
  return new Refused(
    404,
    `route not found: the test double does not implement ${method} ${path}${what}`,
    'route_not_found',
  );
}

/** Returns the error for a field that does not match its schema. */
export function misfit(loc: string[], msg: string): Refused {
  return new Refused(422, [{ loc, msg, type: 'custom' }]);
}

/**
 * Returns a field that must be a string.
 * @throws Refused if the request does not have the field
 */
export function requireText(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  if (typeof value === 'string') return value;
  throw misfit(['body', name], 'is required');
}

/**
 * Reads the field of a form; like the service, treats a missing field in the same way as a blank one. @throws Refused
 */
export function requireField(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  const trimmed = typeof value === 'string' ? value.trim() : '';
  if (trimmed === '') throw new Refused(400, `${name} is required`, 'validation_error');
  return trimmed;
}

/** Whether the fields of a request ask for an estimate. */
export function asksForEstimate({ dry_run }: Record<string, unknown>): boolean {
  return dry_run === true || dry_run === 'true' || dry_run === '1' || dry_run === 'yes';
}

/** @throws Refused if a request has more characters than its `max_characters` */
export function requireWithin({ max_characters: most }: Record<string, unknown>, characters: number): void {
  if (most && characters > Number(most))
    throw new Refused(413, 'the request has more billable characters than max_characters');
}

/**
 * Responds to a request for an estimate. The mock has no translation memory, so nothing has a match. Words are the parts
 * between white space.
 */
export function estimateAnswer(
  texts: readonly string[],
  { characters, source_lang }: Pick<TranslationEstimate, 'characters' | 'source_lang'>,
): Response {
  const jobs = texts.length;
  const words = texts.join(' ').split(/\s+/).filter(Boolean).length;
  const none = { segments: 0, words: 0, characters: 0 };
  const estimate: TranslationEstimate = {
    dry_run: true,
    jobs,
    existing_jobs: 0,
    source_lang,
    source_lang_detection: null,
    segments: jobs,
    words,
    characters,
    billable_characters: characters,
    exact_matches: none,
    context_matches: none,
    sentence_matches: none,
    typography_matches: none,
    fuzzy_matches: { ...none, by_similarity: [95, 85, 75, 70].map((from) => ({ from, ...none })) },
    repetitions: none,
    no_match: { segments: jobs, words, characters, not_searched: 0 },
    review: { jobs: 0, reasons: [] },
    allowance: { limit: 500_000, used: 0, remaining: 500_000 },
    refusal: null,
    warnings: [],
  };
  return answer(200, estimate);
}

/** @returns the canonical code; for `auto`, always English. @throws Refused for an unsupported language */
export function requireLanguage(name: string, code: string): LanguageCode {
  if (code.toLowerCase() === 'auto' && !/target_lang|Targets/.test(name)) return 'en';
  const canonical = canonicalLanguage(code);
  if (canonical) return canonical;
  throw unsupported(name, code);
}

export function unsupported(name: string, tag: string): Refused {
  const detail = `unsupported ${name} ${JSON.stringify(tag.slice(0, 40))}; supported languages: ${languageCodes.join(', ')}`;
  return new Refused(422, detail);
}

/** Whether the request has a member's session, which identifies the reviewer. A request with an API key does not. */
export function isSession({ headers }: DoubleRequest): boolean {
  return headers['authorization'] !== undefined;
}

/** Returns a JSON response. Without `body`, the response is empty. */
export function answer(status: number, body?: unknown, headers: Record<string, string> = {}): Response {
  if (body === undefined) return new Response(null, { status, headers });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** The usual `error_code` of each status, if a refusal names none. */
const usualCodes: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'unauthenticated',
  402: 'payment_required',
  403: 'forbidden',
  404: 'not_found',
  409: 'state_conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'unprocessable',
  429: 'too_many_requests',
  500: 'internal_error',
};

export function refusalAnswer({ status, detail, code, retryAfter }: Refusal): Response {
  const usual = Array.isArray(detail) ? 'invalid_fields' : usualCodes[status];
  return answer(
    status,
    { detail, error_code: code ?? usual },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  );
}

/** A response with a file. */
export function fileAnswer(
  bytes: Uint8Array | string,
  type: string,
  fileName: string,
  suggestedName = fileName,
): Response {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\]/g, '_');
  const named = `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  const headers = {
    'content-type': type,
    'content-disposition': named,
    'x-suggested-filename': encodeURIComponent(suggestedName),
  };
  return new Response(bytes as Uint8Array<ArrayBuffer> | string, { headers });
}

/** The fields of a job by which a list is filtered. */
interface ListedJob {
  status: string;
  created_at: string;
  request: {
    source_lang: string;
    target_lang: string;
    domain: string | null;
    metadata: Record<string, unknown>;
  };
}

/** Whether a job passes the filters of a list. @throws Refused if a filter is invalid */
export function passesFilter(
  { status, created_at, request }: ListedJob,
  query: DoubleRequest['query'],
): boolean {
  const { source_lang, target_lang, domain, created_after, created_before } = query;
  const time = (name: string, text: string) => {
    const value = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(value)) throw misfit(['query', name], 'must be a time with a time zone, in ISO 8601');
    return value;
  };
  const created = Date.parse(created_at);
  const members = Object.entries(query).flatMap(([name, wanted]) =>
    name.startsWith('metadata.') ? [[name.slice('metadata.'.length), wanted] as const] : [],
  );
  return [
    query['status'] === undefined || status === query['status'],
    source_lang === undefined || request.source_lang === requireLanguage('source_lang', source_lang),
    target_lang === undefined || request.target_lang === requireLanguage('target_lang', target_lang),
    domain === undefined || request.domain === domain,
    created_after === undefined || created >= time('created_after', created_after),
    created_before === undefined || created < time('created_before', created_before),
    ...members.map(([key, wanted]) => {
      const value = request.metadata[key];
      return typeof value !== 'object' && value !== undefined && String(value) === wanted;
    }),
  ].every(Boolean);
}

/** Returns a page of a list, last changed first, with the cursor of the next page in X-Next-Cursor. */
export function pageAnswer<T>(
  all: readonly { change: number; value: T }[],
  query: DoubleRequest['query'],
  mostOfPage = 50,
): Response {
  const before = query['cursor'] === undefined ? Number.POSITIVE_INFINITY : Number(query['cursor']);
  if (Number.isNaN(before))
    throw misfit(
      ['query', 'cursor'],
      'invalid cursor; send next_cursor from the previous page, or no cursor',
    );
  const limit = query['limit'] === undefined ? mostOfPage : Number(query['limit']);
  if (query['limit'] !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 200))
    throw misfit(['query', 'limit'], 'must be 1 to 200');
  const rest = all.filter(({ change }) => change < before).sort((a, b) => b.change - a.change);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return answer(
    200,
    page.map(({ value }) => value),
    last && rest.length > page.length ? { 'x-next-cursor': String(last.change) } : {},
  );
}

/** Returns a random id: 32 hexadecimal characters. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
