import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendFile } from '#rest/downloads.ts';
import { requestText } from '#test/abuse/raw-socket.ts';

const app = fastify({ forceCloseConnections: true });
let port: number;
let cut: AbortController;
let ended: number;
beforeAll(async () => {
  app.get('/', (_request, reply) => {
    cut = new AbortController();
    ended = 0;
    return sendFile(reply, {
      chunks: endless(),
      cut: cut.signal,
      contentType: 'text/plain',
      fileName: 'a.txt',
      end: () => {
        ended += 1;
      },
    });
  });
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
});
afterAll(() => app.close());

async function* endless(): AsyncGenerator<string, void> {
  for (;;) {
    await setImmediate();
    yield 'x'.repeat(10_000);
  }
}

test('a truncated download does not look complete, and ends once', async () => {
  const asked = get({ host: '127.0.0.1', port, path: '/', agent: false });
  asked.on('error', () => {});
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  cut.abort();
  await expect(answer.resume().toArray()).rejects.toThrow('aborted');
  expect([answer.complete, ended]).toEqual([false, 1]);
});

test('a truncated download resets the connection of a client without chunked encoding', async () => {
  const socket = connect(port, '127.0.0.1');
  const how = new Promise<string>((resolve) => {
    socket.once('end', () => resolve('a clean end'));
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
  });
  socket.write(requestText('GET', '/').replace('HTTP/1.1', 'HTTP/1.0'));
  await once(socket, 'data');
  cut.abort();
  socket.resume();
  expect(await how).toBe('ECONNRESET');
});
