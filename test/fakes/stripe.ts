import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStripeApi, type StripeApi, StripeRefusal } from './stripe-api.ts';

export type { StripeCustomer, StripeSession, StripeSubscription } from './stripe-api.ts';

/** A request as Stripe gets it. */
export interface StripeRequest {
  method: string;
  /** Without the query: `/v1/checkout/sessions`. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The query of a GET or the form of a POST, as written: `{'metadata[tenant_id]': 'abc'}`. */
  fields: Record<string, string>;
}

/** How one request fails, or the response that the test writes. It may also never get a response. */
export type StripeReply = (response: ServerResponse, request: StripeRequest) => void | Promise<void>;

export interface FakeStripe
  extends AsyncDisposable,
    Pick<StripeApi, 'customers' | 'subscriptions' | 'sessions'> {
  /** For STRIPE_API_URL. */
  readonly url: string;
  /** For STRIPE_SECRET_KEY; other keys get 401. */
  readonly secretKey: string;
  /** Every request so far, in the order of arrival; empty it with `requests.length = 0`. */
  readonly requests: StripeRequest[];
  /** The requests so far of one kind: `asked('POST', '/v1/customers')`. */
  asked(method: string, path: string): StripeRequest[];
  /** Adds a subscription to a customer: its id begins with `sub_`, its status is active unless `fields` has another. */
  subscribe: StripeApi['subscribe'];
  /** Deletes a customer like the dashboard: requests that name it get `resource_missing` from now on. */
  deleteCustomer: StripeApi['deleteCustomer'];
  /** Replies to the next requests instead of the API, one each: `fail(503)`, `hangUp`, or another function. */
  enqueue(...replies: StripeReply[]): void;
  /** Replies to every request without a queued reply instead of the API, until it is set to `null`. */
  otherwise(reply: StripeReply | null): void;
  close(): Promise<void>;
}

export interface FakeStripeOptions {
  secretKey?: string;
  /** The existing Prices; if omitted, every id exists. */
  prices?: readonly string[];
}

/** Starts the part of Stripe's REST API that the service uses, on a free port of the loopback address. */
export async function startFakeStripe({
  secretKey = 'sk_test_fake_0123456789',
  prices,
}: FakeStripeOptions = {}): Promise<FakeStripe> {
  const requests: StripeRequest[] = [];
  const queue: StripeReply[] = [];
  let always: StripeReply | null = null;
  const api = createStripeApi(prices);
  /** By Idempotency-Key: a repeated POST gets the first one's response, as at Stripe. */
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

  const server = createServer(async (incoming, response) => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://stripe.invalid');
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const request: StripeRequest = {
        method: incoming.method ?? '',
        path: pathname,
        headers: incoming.headers,
        fields: Object.fromEntries([...searchParams, ...form]),
      };
      requests.push(request);
      const reply = queue.shift() ?? always;
      if (reply) return await reply(response, request);
      const { status, body } = answer(request);
      sendJson(response, status, body);
    } catch {
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((closed) => server.close(closed));
  };
  const { customers, subscriptions, sessions, subscribe, deleteCustomer } = api;
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
 * Rejects a request like Stripe. The package retries 409 and 5xx, twice, unless `retry` is false, and waits half a second
 * before each.
 * @param code Stripe's code, such as `rate_limit` or `resource_missing`
 * @param param the field of the error, such as `customer`
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

/** Drops the connection instead of responding. */
export const hangUp: StripeReply = (response) => void response.destroy();

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' });
  response.end(JSON.stringify(body));
}

/**
 * The signature header of a delivery: `t=<seconds>,v1=<hex HMAC-SHA256 of "<seconds>.<body>">`, computed independently of
 * the package.
 * @param body the exact bytes of the delivery
 * @param at Unix time in seconds; now by default
 */
export function signPayload(
  body: string | Uint8Array,
  secret: string,
  at = Math.floor(Date.now() / 1000),
): string {
  const hash = createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex');
  return `t=${at},v1=${hash}`;
}

/** A delivery: the body and the headers that Stripe would send it with. */
export interface SignedEvent {
  body: string;
  headers: Record<string, string>;
}

/** Signs an event like a delivery. @param at Unix time in seconds of the signature; now by default */
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
