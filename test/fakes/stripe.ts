import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { serveHttp } from './http-server.ts';
import { createStripeApi, type StripeApi, StripeRefusal } from './stripe-api.ts';

export type { StripeCustomer, StripeSession, StripeSubscription } from './stripe-api.ts';

/** A request that the fake has received. */
export interface StripeRequest {
  method: string;
  /** The path without the query, such as `/v1/checkout/sessions`. */
  path: string;
  headers: IncomingHttpHeaders;
  /**
   * The query of a GET request or the form of a POST request. Names are unchanged, such as `{'metadata[tenant_id]':
   * 'abc'}`.
   */
  fields: Record<string, string>;
}

/** A function of the test that responds to one request, or makes it fail. It may also never respond. */
export type StripeReply = (response: ServerResponse, request: StripeRequest) => void | Promise<void>;

export interface FakeStripe
  extends AsyncDisposable,
    Pick<StripeApi, 'customers' | 'subscriptions' | 'sessions'> {
  /** For STRIPE_API_URL. */
  readonly url: string;
  /** The value for STRIPE_SECRET_KEY. Requests with other keys receive 401. */
  readonly secretKey: string;
  /** All requests so far, in the order of arrival. A test clears the list with `requests.length = 0`. */
  readonly requests: StripeRequest[];
  /** Returns the requests so far with this method and path, such as `asked('POST', '/v1/customers')`. */
  asked(method: string, path: string): StripeRequest[];
  /**
   * Adds a subscription to a customer. Its ID begins with `sub_`. Its status is `active`, unless `fields` contain
   * another.
   */
  subscribe: StripeApi['subscribe'];
  /**
   * Deletes a customer as if it were deleted in Stripe's dashboard. Later requests that name the customer receive
   * `resource_missing`.
   */
  deleteCustomer: StripeApi['deleteCustomer'];
  /**
   * Queues replies that replace the response of the API. Each is used for one request: `fail(503)`, `hangUp`, or
   * another function.
   */
  enqueue(...replies: StripeReply[]): void;
  /** Sets a reply that replaces the response of the API to all requests without a queued reply. `null` removes it. */
  otherwise(reply: StripeReply | null): void;
  close(): Promise<void>;
}

export interface FakeStripeOptions {
  secretKey?: string;
  /** The IDs of the prices that exist; if omitted, each ID exists. */
  prices?: readonly string[];
}

/** Starts a fake of those parts of Stripe's REST API that the service uses, on a free port of the loopback address. */
export async function startFakeStripe({
  secretKey = 'sk_test_fake_0123456789',
  prices,
}: FakeStripeOptions = {}): Promise<FakeStripe> {
  const requests: StripeRequest[] = [];
  const queue: StripeReply[] = [];
  let always: StripeReply | null = null;
  const api = createStripeApi(prices);
  /** Responses by Idempotency-Key. As with Stripe, a repeated POST request receives the response to the first one. */
  const answered = new Map<string, { status: number; body: unknown }>();

  const answer = (request: StripeRequest): { status: number; body: unknown } => {
    const key = String(request.headers['idempotency-key'] ?? '');
    const before = answered.get(key);
    if (before) return before;
    try {
      if (request.headers.authorization !== `Bearer ${secretKey}`)
        throw new StripeRefusal(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' });
      const done = { status: 200, body: api.handle(request) };
      if (key !== '') answered.set(key, done);
      return done;
    } catch (refusal) {
      if (!(refusal instanceof StripeRefusal)) throw refusal;
      return { status: refusal.status, body: { error: refusal.error } };
    }
  };

  const { url, close } = await serveHttp(async (incoming, response, body) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stripe.invalid');
    const form = new URLSearchParams(body.toString());
    const request: StripeRequest = {
      method: incoming.method ?? '',
      path: pathname,
      headers: incoming.headers,
      fields: Object.fromEntries([...searchParams, ...form]),
    };
    requests.push(request);
    const reply = queue.shift() ?? always;
    if (reply) return await reply(response, request);
    const answered = answer(request);
    sendJson(response, answered.status, answered.body);
  });
  const { customers, subscriptions, sessions, subscribe, deleteCustomer } = api;
  return {
    url,
    secretKey,
    requests,
    customers,
    subscriptions,
    sessions,
    subscribe,
    deleteCustomer,
    asked: (method, path) => requests.filter((one) => one.method === method && one.path === path),
    enqueue: (...replies) => void queue.push(...replies),
    otherwise: (reply) => {
      always = reply;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Rejects a request like Stripe. Unless `retry` is false, Stripe's package retries a 409 or 5xx twice, each time after
 * half a second.
 * @param code Stripe's error code, such as `rate_limit` or `resource_missing`
 * @param param the request field that the error names, such as `customer`
 */
export function fail(
  status: number,
  { code, param, retry = true }: { code?: string; param?: string; retry?: boolean } = {},
): StripeReply {
  return (response) => {
    if (!retry) response.setHeader('stripe-should-retry', 'false');
    const type = status >= 500 ? 'api_error' : 'invalid_request_error';
    sendJson(response, status, { error: { type, code, param, message: `the fake answers ${status}` } });
  };
}

/** Drops the connection without a response. */
export const hangUp: StripeReply = (response) => void response.destroy();

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' });
  response.end(JSON.stringify(body));
}

/**
 * Computes the signature header of a webhook delivery: `t=<seconds>,v1=<hex HMAC-SHA256 of "<seconds>.<body>">`. It
 * does not use Stripe's package.
 * @param body the exact bytes of the delivery
 * @param at Unix time in seconds; the default is the current time
 */
export function signPayload(
  body: string | Uint8Array,
  secret: string,
  at = Math.floor(Date.now() / 1000),
): string {
  const hash = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return `t=${at},v1=${hash}`;
}

/** A webhook delivery: the body and the headers with which Stripe would send it. */
export interface SignedEvent {
  body: string;
  headers: Record<string, string>;
}

/**
 * Creates a signed webhook delivery of an event.
 * @param at Unix time of the signature in seconds; the default is the current time
 */
export function signEvent(event: unknown, secret: string, at?: number): SignedEvent {
  const body = JSON.stringify(event);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': signPayload(body, secret, at),
    },
  };
}
