import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { refuseBrokenRequests } from '#rest/broken-requests.ts';
import { requestText } from '#test/abuse/raw-socket.ts';
import { poll } from '#test/setup/poll.ts';

let server: Server;
let socket: Socket;
afterEach(() => {
  socket.destroy();
  server.close();
});

test.each([
  ['whose body did not come in time', '408', requestText('POST', '/', { 'content-length': 90_000 }, 'x')],
  ['that is no HTTP', '400', 'what is this\r\n\r\n'],
])(
  'a connection with a request %s is closed, though its client keeps it open',
  async (_which, status, text) => {
    const timeouts = { requestTimeout: 300, headersTimeout: 300, connectionsCheckingInterval: 50 };
    let gone = false;
    server = createServer(timeouts, (request) =>
      request
        .resume()
        .once('error', () => {})
        .once('close', () => {
          gone = true;
        }),
    );
    server.on('clientError', refuseBrokenRequests);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        answer += chunk;
      });
    socket.write(text);
    await poll(async () => answer !== '');
    expect(answer).toContain(`HTTP/1.1 ${status}`);
    await poll(async () => (await connections()) === 0);
    // The stream of the body has ended, so its memory is free.
    if (status === '408') await poll(async () => gone);
  },
);

const connections = () =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));
