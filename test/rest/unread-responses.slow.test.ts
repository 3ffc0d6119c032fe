import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { limitUnreadResponses, type ResponseLimits } from '#rest/response-budget.ts';
import { requestText } from '#test/abuse/raw-socket.ts';
import { poll } from '#test/setup/poll.ts';

/** More bytes than the buffers of a connection hold. */
const size = 20_000_000;

let app: FastifyInstance;
let port: number;
const readers: IncomingMessage[] = [];
beforeEach(() => {
  app = fastify({ forceCloseConnections: true });
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.destroy();
  await app.close();
});

async function start(bounds: Partial<ResponseLimits>) {
  limitUnreadResponses(app, ({ headers }) => String(headers['x-address'] ?? '192.0.2.1'), {
    ...{ held: 100_000_000, deadline: 600_000, patience: 600_000 },
    ...bounds,
  });
  const text = 'é'.repeat(size / 2);
  const buffer = Buffer.from(text);
  app.get('/text', async () => text);
  app.post('/text', async () => text);
  app.get('/buffer', async (_request, reply) =>
    reply.header('content-disposition', 'attachment; filename="a"').send(buffer),
  );
  app.get('/shared', { config: { shared: true } }, async () => buffer);
  app.get('/never', () => new Promise(() => {}));
  app.get('/small', async () => 'x'.repeat(1000));
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
}

/** Requests a response. Nothing of the body is read until the test reads it. */
async function open(
  path: string,
  { method = 'GET', address = '192.0.2.1', body = '' } = {},
): Promise<IncomingMessage> {
  const asked = request({
    ...{ host: '127.0.0.1', port, path, method, agent: false },
    headers: { 'x-address': address, ...(body && { 'content-type': 'application/json' }) },
  });
  asked.on('error', () => {}).end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  readers.push(answer);
  return answer.on('error', () => {});
}

/** Reads a response. Returns its size in bytes, or the error that ended it. */
async function readAll(answer: IncomingMessage): Promise<number | string> {
  let bytes = 0;
  try {
    for await (const chunk of answer) bytes += chunk.length;
    return bytes;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(['/text', '/shared'])('%s arrives whole, with its length', async (path) => {
  await start({});
  const answer = await open(path);
  expect([answer.headers['content-length'], answer.headers['transfer-encoding']]).toEqual([
    String(size),
    undefined,
  ]);
  expect(await readAll(answer)).toBe(size);
});

test('a GET past its address’s budget for responses is 503; other addresses and small responses are served', async () => {
  await start({ held: 170_000_000 });
  const first = await open('/text');
  await open('/buffer');
  const refused = await open('/buffer');
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
  expect(refused.headers['cache-control']).toBe('no-store');
  expect(refused.headers['content-disposition']).toBeUndefined();
  expect((await open('/small')).statusCode).toBe(200);
  const other = await open('/text', { address: '192.0.2.2' });
  expect([other.statusCode, await readAll(other)]).toEqual([200, size]);
  // This response is read completely, so its memory is released.
  expect(await readAll(first)).toBe(size);
  await poll(async () => (await open('/text')).statusCode === 200);
});

test('a response that stalls too long is dropped for another of its address', async () => {
  await start({ held: 90_000_000, patience: 300 });
  const still = await open('/text');
  const next = await poll(async () => {
    const answer = await open('/text');
    return answer.statusCode === 200 && answer;
  });
  expect(await readAll(next)).toBe(size);
  expect(await readAll(still)).toBe('aborted');
});

test('the response to a change is never refused: the response that has stalled longest is dropped for it', async () => {
  await start({ held: 90_000_000 });
  const still = await open('/text');
  const change = await open('/text', { method: 'POST' });
  expect([change.statusCode, await readAll(change)]).toEqual([200, size]);
  expect(await readAll(still)).toBe('aborted');
});

test('a response whose connection was closed while it waited frees its budget', async () => {
  await start({ held: 90_000_000 });
  const json = { 'content-type': 'application/json', 'content-length': 2 };
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.write(requestText('GET', '/never') + requestText('POST', '/text', json, '{}'));
  await poll(async () => (await open('/text')).statusCode === 503);
  socket.destroy();
  await poll(async () => (await open('/text')).statusCode === 200);
});

test.each([
  ['without a body', {}],
  ['with a body', { method: 'POST', body: '{}' }],
])('the response to a request %s that is not read to its end in time is reset', async (_which, sending) => {
  await start({ deadline: 600 });
  const answer = await open('/text', sending);
  await poll(async () => {
    const connections = await new Promise((resolve) =>
      app.server.getConnections((_error, count) => resolve(count)),
    );
    return connections === 0;
  });
  expect(await readAll(answer)).toBe('aborted');
});

test('when the budget is full, the most stalled response of an address that holds more is dropped for another', async () => {
  await start({ held: 170_000_000 });
  const still: IncomingMessage[] = [];
  for (const host of [1, 1, 2, 2, 3, 3, 4, 4])
    still.push(await open('/text', { address: `192.0.2.${host}` }));
  const other = await open('/text', { address: '192.0.2.9' });
  expect([other.statusCode, await readAll(other)]).toEqual([200, size]);
  // A budget of 170 MB is enough for eight responses of 20 MB, and not for a ninth.
  const another = await open('/text', { address: '192.0.2.9' });
  expect(another.statusCode).toBe(200);
  const third = await open('/text', { address: '192.0.2.10' });
  expect(third.statusCode).toBe(200);
  const ends = await Promise.all(still.map(readAll));
  expect(ends.filter((end) => end === 'aborted')).toHaveLength(2);
});

test('responses that share one Buffer do not count', async () => {
  await start({ held: 10 });
  for (let reader = 0; reader < 5; reader++) expect((await open('/shared')).statusCode).toBe(200);
});
