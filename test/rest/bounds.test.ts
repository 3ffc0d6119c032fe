import { connect as openSocket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { buildApp } from '#server/app.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

describe('a few bytes cannot make much work', () => {
  const rpc = (body: unknown) => app.json('POST', '/trpc/translations.create', { body });
  const text = { source_text: 'Hello', target_lang: 'fr' };

  test.each([
    ['a typed array', { values: { metadata: [['typed-array', 'Uint8Array']] }, v: 1 }],
    ['a bigint', { values: { 'metadata.m': ['bigint'] }, v: 1 }],
    ['a map', { values: { metadata: ['map'] }, v: 1 }],
    ['an annotation of the whole', { values: ['set'], v: 1 }],
  ])('superjson: %s is refused', async (_what, meta) => {
    const { status } = await rpc({ json: { ...text, metadata: { m: '5' } }, meta });
    expect(status).toBe(400);
  });

  test('superjson: undefined is accepted from a client', async () => {
    const { headers } = await app.signUp();
    const input = { json: { ...text, tone: null }, meta: { values: { tone: ['undefined'] }, v: 1 } };
    expect((await app.json('POST', '/trpc/translations.create', { headers, body: input })).status).toBe(200);
  });

  test('a million values are refused before parsing, over REST and /trpc; commas in a text do not count', async () => {
    const { headers } = await app.signUp();
    // The body ends with invalid JSON, so the response would be 400 if the body were parsed first.
    const values = `[${'1,'.repeat(1_000_000)}1]`;
    const refused = { status: 422, body: { detail: [expect.objectContaining({ type: 'too_many_values' })] } };
    const post = (path: string, body: string) => app.json('POST', path, { headers, body });
    expect(await post('/api/translations', `{"metadata": ${values}, !`)).toMatchObject(refused);
    const rpc = await post('/trpc/translations.create', `{"json": {"metadata": ${values}, !`);
    expect(rpc.status).toBe(422);
    const commas = JSON.stringify({ ...text, source_text: `\\"${','.repeat(1_200_000)}` });
    expect((await post('/api/translations', commas)).status).toBe(413);
  });

  test('metadata has a size', async () => {
    const { headers } = await app.signUp();
    const body = { ...text, metadata: { long: 'x'.repeat(70_000) } };
    expect((await app.json('POST', '/api/translations', { headers, body })).status).toBe(413);
  });
});

describe('shutdown waits only for requests', () => {
  const sockets: ReturnType<typeof openSocket>[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  test.each([
    ['a connection that sends nothing', ''],
    ['half a request line', 'GET /heal'],
    ['a connection that rests after an answer', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s does not hold it up', async (_what, bytes) => {
    const { http } = await buildApp(app.services);
    const { port } = new URL(await http.listen({ host: '127.0.0.1', port: 0 }));
    const socket = openSocket(Number(port), '127.0.0.1');
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    if (bytes) {
      socket.write(bytes);
      if (bytes.includes('\r\n\r\n')) await new Promise((resolve) => socket.once('data', resolve));
    }
    socket.on('error', () => {});
    // Otherwise closing the server would wait for the connection, and the test would time out.
    await http.close();
  });
});
