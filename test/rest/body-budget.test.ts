import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Readable } from 'node:stream';
import fastify from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { limitBodyMemory } from '#rest/body-budget.ts';
import { handleErrors } from '#rest/errors.ts';
import { AppError } from '#server/errors.ts';
import { poll } from '#test/setup/poll.ts';

const app = fastify({ bodyLimit: 5_000_000 });
let port: number;
let reading: number;
/** The bytes of large bodies that have passed the budget. */
let counted: number;
let authenticated: number;
let read: number;
/** Lets the handler of `/held` respond. */
let settle: () => void;
/** The numbers of the iterations of the event loop in which a handler of `/iteration` ran. */
const iterations: number[] = [];
let iteration = 0;

beforeAll(async () => {
  limitBodyMemory(app, ({ headers }) => String(headers['x-address'] ?? '192.0.2.1'), {
    large: 4_000_000,
    unauthenticated: 1_200_000,
    small: 800_000,
  });
  handleErrors(app);
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async (_request, _reply, payload) => {
    reading += 1;
    // The bytes that have passed the budget are pushed into this stream.
    const { push } = payload as Readable;
    Object.assign(payload, {
      push(chunk: Buffer | null) {
        counted += chunk?.length ?? 0;
        return push.call(payload, chunk);
      },
    });
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    read += 1;
    done(null, body);
  });
  const admitting = (free: number) => ({
    bodyAdmission: ({ headers }: { headers: Record<string, unknown> }) => ({
      isGuarded: true,
      free,
      async admit() {
        authenticated += 1;
        if (headers['x-stranger']) throw new AppError('unauthenticated', 'nobody');
      },
    }),
  });
  const config = admitting(102_400);
  for (const free of [0, 1024])
    app.post(`/guarded/${free}`, { config: admitting(free) }, async ({ body }) => ({
      bytes: (body as Buffer | undefined)?.length,
    }));
  app.post('/', { config }, async ({ body }) => ({ bytes: (body as Buffer).length }));
  app.post('/held', { config }, async ({ body }) => {
    await new Promise<void>((resolve) => {
      settle = resolve;
    });
    return { bytes: (body as Buffer).length };
  });
  app.post('/hook', async ({ body }) => ({ bytes: (body as Buffer).length }));
  app.post('/iteration', { config }, async () => {
    iterations.push(iteration);
    setImmediate(() => {
      iteration += 1;
    });
    return {};
  });
  // More bytes than the buffers of a connection hold if the client does not read.
  app.post('/long', { config }, async () => 'x'.repeat(20_000_000));
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterAll(() => app.close());
beforeEach(() => {
  reading = 0;
  counted = 0;
  authenticated = 0;
  read = 0;
});

interface Sending {
  path?: string;
  end?: boolean;
  /** Whether the body is sent without a content length. */
  chunked?: boolean;
  headers?: Record<string, string>;
}

/** Sends a request with a body. With `end` false, the last byte is not sent. */
function open(bytes: number, { path = '/', end = true, chunked = false, headers = {} }: Sending = {}) {
  const sent = request({
    ...{ host: '127.0.0.1', port, method: 'POST', path, agent: false },
    headers: { ...headers, ...(!chunked && { 'content-length': bytes }) },
  });
  sent.on('error', () => {});
  sent.write(Buffer.alloc(end ? bytes : bytes - 1, 'x'));
  if (end) sent.end();
  return sent;
}

async function answerOf(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: JSON.parse(body) };
}

const statusOf = async (sent: ClientRequest) => (await answerOf(sent)).status;
const untilCounted = (bytes: number) => poll(async () => counted >= bytes || undefined);
const untilReading = (count: number) => poll(async () => reading === count || undefined);

test('an address holds a quarter of the budget; past it a request is refused with Retry-After', async () => {
  const held = open(700_000, { end: false });
  await untilCounted(699_999);
  const refused = await answerOf(open(400_000));
  expect(refused).toMatchObject({ status: 503, retryAfter: '5', body: { error_code: 'transient_error' } });
  // The budget still has space for another client.
  expect(await statusOf(open(400_000, { headers: { 'x-address': '192.0.2.2' } }))).toBe(200);
  held.end('x');
  expect(await statusOf(held)).toBe(200);
  expect(await statusOf(open(900_000))).toBe(200);
});

test('small bodies have their own budget', async () => {
  const held = [open(90_000, { end: false }), open(90_000, { end: false })];
  await untilReading(2);
  expect(await statusOf(open(90_000))).toBe(503);
  expect(await statusOf(open(1000))).toBe(200);
  expect(await statusOf(open(900_000))).toBe(200);
  for (const one of held) one.end('x');
  for (const one of held) expect(await statusOf(one)).toBe(200);
  expect(await statusOf(open(90_000))).toBe(200);
});

const from = (host: number) => ({ 'x-address': `192.0.2.${host}` });

test.each([
  ['large', 900_000, 503],
  ['small', 99_000, 'ECONNRESET'],
])(
  'if %s bodies fill the budget, the oldest unfinished one is dropped for a sender that holds little',
  async (_which, bytes, end) => {
    const held: ClientRequest[] = [];
    const ends: [number, unknown][] = [];
    for (let host = 1; host <= 20; host++) {
      const sent = open(bytes, { end: false, headers: from(host) });
      held.push(sent);
      statusOf(sent).then(
        (status) => ends.push([host, status]),
        ({ code }) => ends.push([host, code]),
      );
      await untilReading(held.length);
      const newClient = open(bytes === 99_000 ? 50_000 : 400_000, { headers: from(99) });
      expect(await statusOf(newClient)).toBe(200);
      reading -= 1;
    }
    await poll(async () => ends.length > 0);
    const [host, how] = ends[0]!;
    expect([host <= 3, how]).toEqual([true, end]);
    for (const sent of held) sent.destroy();
  },
);

test('a body in use by a handler is not dropped for another', async () => {
  const held: Promise<number | undefined>[] = [];
  const settled: (() => void)[] = [];
  for (let host = 1; host <= 4; host++) {
    const before = settle;
    held.push(statusOf(open(990_000, { path: '/held', headers: from(host) })));
    await poll(async () => settle !== before);
    settled.push(settle);
  }
  expect(await statusOf(open(200_000, { headers: from(99) }))).toBe(503);
  for (const goOn of settled) goOn();
  expect(await Promise.all(held)).toEqual([200, 200, 200, 200]);
});

test('large bodies on public routes have a small budget of their own', async () => {
  const held = open(250_000, { path: '/hook', end: false });
  await untilCounted(249_999);
  expect(await statusOf(open(250_000, { path: '/hook' }))).toBe(503);
  expect(await statusOf(open(900_000))).toBe(200);
  held.end('x');
  expect(await statusOf(held)).toBe(200);
});

test.each([
  ['in the middle of a small one', { bytes: 99_000, chunked: false, again: 4 }],
  ['in the middle of one that does not say how long it is', { bytes: 900_000, chunked: true, again: 1 }],
])('a client that hangs up %s frees its budget', async (_where, { bytes, chunked, again }) => {
  for (let iteration = 0; iteration < again; iteration++) {
    const before = reading;
    const held = open(bytes, { end: false, chunked });
    await poll(async () => reading > before || undefined);
    held.destroy();
    await poll(async () => (await statusOf(open(bytes))) === 200);
  }
});

test('a body is freed when its handler settles, even if its response is not read', async () => {
  const unread = open(900_000, { path: '/long' });
  await once(unread, 'response');
  expect(await statusOf(open(900_000))).toBe(200);
  unread.destroy();
});

test('a body is held until its handler settles, even if its client is gone', async () => {
  const gone = open(900_000, { path: '/held' });
  await poll(async () => read === 1);
  await new Promise((resolve) => gone.once('close', resolve).destroy());
  expect(await statusOf(open(900_000))).toBe(503);
  settle();
  await poll(async () => (await statusOf(open(900_000))) === 200);
});

test('a body above 100 KB is read only after its sender is authenticated', async () => {
  const refused = open(200_000, { end: false, headers: { 'x-stranger': 'yes' } });
  expect(await statusOf(refused)).toBe(401);
  expect([authenticated, read]).toEqual([1, 0]);
  refused.destroy();
});

test('a body of undeclared length is authenticated once 100 KB have arrived', async () => {
  const stranger = { chunked: true, headers: { 'x-stranger': 'yes' } };
  expect(await statusOf(open(99_000, stranger))).toBe(200);
  expect(authenticated).toBe(0);
  const refused = open(150_000, { ...stranger, end: false });
  expect(await statusOf(refused)).toBe(401);
  expect([authenticated, read]).toEqual([1, 1]);
  refused.destroy();
});

test.each([
  [0, 1],
  [1024, 1025],
])(
  'with %d free bytes, a body of more is read only after its sender is admitted, declared or not',
  async (free, bytes) => {
    const path = `/guarded/${free}`;
    const stranger = { path, headers: { 'x-stranger': 'yes' } };
    for (const chunked of [false, true]) {
      const refused = open(bytes + 1, { ...stranger, chunked, end: false });
      expect(await statusOf(refused)).toBe(401);
      refused.destroy();
      expect(await statusOf(open(free, { ...stranger, chunked }))).toBe(chunked && free === 0 ? 401 : 200);
      expect(await statusOf(open(bytes, { path, chunked }))).toBe(200);
    }
  },
);

test('the connection of a refused sender serves its next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (headers: Record<string, string>) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/guarded/0', agent, headers });
    sent.end(Buffer.alloc(900_000, 'x'));
    const { status } = await answerOf(sent);
    return [status, sent.reusedSocket];
  };
  expect(await ask({ 'x-stranger': 'yes' })).toEqual([401, false]);
  expect(await ask({})).toEqual([200, true]);
  agent.destroy();
});

test('large bodies that arrive together are handled in separate iterations of the event loop', async () => {
  const held = Array.from({ length: 5 }, () => open(150_000, { path: '/iteration', end: false }));
  await untilReading(5);
  iterations.length = 0;
  for (const one of held) one.end('x');
  for (const one of held) expect(await statusOf(one)).toBe(200);
  expect(new Set(iterations).size).toBe(5);
});
