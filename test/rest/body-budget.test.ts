import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { boundBodies } from '#rest/body-budget.ts';
import { answerErrors } from '#rest/errors.ts';
import { poll } from '#test/setup/poll.ts';

const app = fastify({ bodyLimit: 5_000_000 });
let port: number;
let reading = 0;
beforeAll(async () => {
  boundBodies(app, () => '127.0.0.1', { large: 2_000_000, small: 1_000_000 });
  answerErrors(app);
  app.removeAllContentTypeParsers();
  app.addHook('preParsing', async () => {
    reading += 1;
  });
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/', async ({ body }) => ({ bytes: (body as Buffer).length }));
  port = Number(new URL(await app.listen({ port: 0 })).port);
});
afterAll(() => app.close());

function open(bytes: number, end = true): ClientRequest {
  const sent = request({ port, method: 'POST', path: '/', agent: false });
  sent.on('error', () => {});
  sent.write(Buffer.alloc(bytes, 'x'));
  if (end) sent.end();
  return sent;
}

async function answerOf(sent: ClientRequest) {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += chunk;
  return { status: response.statusCode, retryAfter: response.headers['retry-after'], body: JSON.parse(body) };
}

test('bodies within the budget are read whole', async () => {
  expect(await answerOf(open(900_000))).toMatchObject({ status: 200, body: { bytes: 900_000 } });
});

test('past it a request is refused with a time to come back, and what was held is given back', async () => {
  const held = open(700_000, false);
  await poll(async () => reading === 2 || undefined);
  const refused = await answerOf(open(400_000));
  expect(refused).toMatchObject({ status: 503, retryAfter: '5', body: { error_code: 'transient_error' } });
  held.end();
  expect(await answerOf(held)).toMatchObject({ status: 200 });
  expect(await answerOf(open(900_000))).toMatchObject({ status: 200 });
});

test('a client that hangs up gives back what it held', async () => {
  const before = reading;
  const held = open(900_000, false);
  await poll(async () => reading > before || undefined);
  held.destroy();
  const answer = await poll(async () => {
    const { status, body } = await answerOf(open(500_000));
    return status === 200 ? body : undefined;
  });
  expect(answer).toEqual({ bytes: 500_000 });
});
