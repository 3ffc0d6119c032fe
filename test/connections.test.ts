import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { refuseOnConnection } from '#rest/broken-requests.ts';
import { type ConnectionLimits, trackConnections } from '#server/http/connections.ts';
import { requestText } from '#test/abuse/raw-socket.ts';
import { poll } from '#test/setup/poll.ts';

const piece = Buffer.alloc(50_000, 'x');

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/**
 * Starts a server that responds to `/` with some bytes, to `/long` with many and to `/busy` after 5 ms of work, and does not
 * respond to `/never`.
 */
async function serve(bounds: Partial<ConnectionLimits> = {}, byAddress = true) {
  let handled = 0;
  const server = createServer((request, response) => {
    handled += 1;
    if (request.url === '/never') return;
    for (const begun = performance.now(); request.url === '/busy' && performance.now() - begun < 5; );
    if (request.url === '/one-piece') return response.end(Buffer.alloc(20_000_000, 'x'));
    // The response is sent in pieces, like long responses of the application.
    const pieces = request.url === '/long' ? 400 : 1;
    Readable.from(Array.from({ length: pieces }, () => piece)).pipe(response);
  });
  servers.push(server);
  trackConnections(server, refuseOnConnection, byAddress, ({ socket }) => socket.remoteAddress ?? '', {
    ...{ unanswered: 8, maxStallMs: 60_000, connections: 1000 },
    ...bounds,
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    handled: () => handled,
    count: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    /** Opens a connection and sends `text`. It reads only if the test reads from it. */
    open(text: string, from = '127.0.0.1') {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      sockets.push(socket);
      socket.write(text);
      const seen = { text: '', bytes: 0, end: '' };
      socket.on('error', (error: NodeJS.ErrnoException) => {
        seen.end ||= error.code ?? 'error';
      });
      socket.on('end', () => {
        seen.end ||= 'end';
      });
      const read = () =>
        socket.on('data', (chunk: Buffer) => {
          seen.bytes += chunk.length;
          seen.text += chunk.toString('latin1').replaceAll('x', '');
        });
      return { socket, seen, read };
    },
  };
}

const get = (path: string) => requestText('GET', path);

test('eight requests of a connection may wait; the ninth is refused in order, and ends the connection', async () => {
  const { open, handled } = await serve();
  const { seen, read } = open(get('/').repeat(9));
  read();
  await poll(async () => seen.end);
  expect(seen.end).toBe('end');
  expect(seen.text.match(/HTTP\/1\.1 \d+/g)).toEqual([
    ...Array.from({ length: 8 }, () => 'HTTP/1.1 200'),
    'HTTP/1.1 429',
  ]);
  expect(seen.text).toContain('more than 8 pending requests on a connection; wait for responses');
  expect(handled()).toBe(8);
});

test('a thousand in one packet reset the connection, and at most eight are handled', async () => {
  const { open, handled } = await serve();
  const { seen, read } = open(get('/never').repeat(1000));
  read();
  await poll(async () => seen.end);
  expect(seen.end).toBe('ECONNRESET');
  expect(handled()).toBeLessThanOrEqual(8);
});

test('requests one after the other are as many as they like', async () => {
  const { open, handled } = await serve();
  const { socket, seen, read } = open(get('/'));
  read();
  for (let answers = 1; answers <= 30; answers++) {
    await poll(async () => seen.text.match(/HTTP\/1\.1 200/g)?.length === answers);
    socket.write(get('/'));
  }
  await poll(async () => handled() === 31);
  expect(seen.end).toBe('');
});

test('a client that reads nothing of a response for too long is reset', async () => {
  const { open, count } = await serve({ maxStallMs: 500 });
  const { seen, socket } = open(get('/long'));
  socket.pause();
  await poll(async () => (await count()) === 1);
  await poll(async () => (await count()) === 0);
  socket.resume();
  await poll(async () => seen.end);
  expect(seen.end).toBe('ECONNRESET');
});

test('the first response of a connection has the same deadline as any other', async () => {
  const { open, count } = await serve({ maxStallMs: 1500 });
  const began = Date.now();
  open(get('/one-piece')).socket.pause();
  await poll(async () => (await count()) === 1);
  await poll(async () => (await count()) === 0);
  expect(Date.now() - began).toBeGreaterThanOrEqual(1500);
});

test('a client that reads slowly gets its response whole', async () => {
  const { open } = await serve({ maxStallMs: 2000 });
  const { socket, seen, read } = open(get('/long'));
  read();
  // 400 KB every 50 ms. All together takes longer than the limit.
  let left = 400_000;
  socket.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left <= 0) socket.pause();
  });
  const timer = setInterval(() => {
    left = 400_000;
    socket.resume();
  }, 50);
  await poll(async () => seen.bytes > 20_000_000, 25).finally(() => clearInterval(timer));
  expect(seen.end).toBe('');
});

test('past the bound of connections the one that has been idle longest is closed', async () => {
  const { open, handled } = await serve({ connections: 3 });
  const busy = open(get('/never'));
  await poll(async () => handled() === 1);
  const idle = open('');
  idle.read();
  busy.read();
  const others = [open(get('/never')), open(get('/never'))];
  await poll(async () => handled() === 3);
  await poll(async () => idle.seen.end);
  expect([busy.seen.end, ...others.map(({ seen }) => seen.end)]).toEqual(['', '', '']);
});

test('idle time counts from the last response, not from the connection', async () => {
  const { open } = await serve({ connections: 2 });
  const older = open('');
  older.read();
  const newer = open(get('/'));
  newer.read();
  await poll(async () => newer.seen.bytes > 0);
  older.socket.write(get('/'));
  await poll(async () => older.seen.bytes > 0);
  open('');
  await poll(async () => newer.seen.end);
  expect(older.seen.end).toBe('');
});

/** A request with an incomplete body. */
const half = requestText('POST', '/never', { 'content-length': 5 }, 'x');

test('past the bound of connections the address with the most loses its longest half-sent one', async () => {
  const { open, handled } = await serve({ connections: 4 });
  const many: ReturnType<typeof open>[] = [];
  for (let sent = 1; sent <= 4; sent++) {
    const connection = open(half);
    connection.read();
    many.push(connection);
    await poll(async () => handled() === sent);
  }
  for (let other = 1; other <= 2; other++) {
    const newClient = open(get('/'), '127.0.0.2');
    newClient.read();
    await poll(async () => newClient.seen.text.includes('HTTP/1.1 200'));
  }
  await poll(async () => many[1]?.seen.end);
  expect(many.map(({ seen }) => seen.end)).toEqual(['ECONNRESET', 'ECONNRESET', '', '']);
});

test('an idle connection is closed before a half-sent one, and that before one with a whole request', async () => {
  const { open, handled } = await serve({ connections: 3 });
  const whole = open(get('/never'));
  await poll(async () => handled() === 1);
  const incoming = open(half);
  await poll(async () => handled() === 2);
  const idle = open('');
  for (const { read } of [whole, incoming, idle]) read();
  const ends = () => [whole, incoming, idle].map(({ seen }) => seen.end !== '');
  open(get('/never'), '127.0.0.2');
  await poll(async () => idle.seen.end);
  expect(ends()).toEqual([false, false, true]);
  await poll(async () => handled() === 3);
  open(get('/never'), '127.0.0.3');
  await poll(async () => incoming.seen.end);
  expect(ends()).toEqual([false, true, true]);
});

test('a connection in use is closed only for an address that has fewer connections even afterwards', async () => {
  const { open, handled } = await serve({ connections: 3 });
  const first = open(get('/never'));
  first.read();
  await poll(async () => handled() === 1);
  for (let sent = 2; sent <= 3; sent++) {
    open(get('/never'));
    await poll(async () => handled() === sent);
  }
  open(get('/never'), '127.0.0.2');
  await poll(async () => first.seen.end);
  await poll(async () => handled() === 4);
  const refused = open(get('/'), '127.0.0.2');
  refused.read();
  await poll(async () => refused.seen.end);
  expect([refused.seen.bytes, handled()]).toEqual([0, 4]);
});

test('a body that arrived whole counts as such', async () => {
  const { open, handled } = await serve({ connections: 2 });
  const whole = open(requestText('POST', '/never', { 'content-length': 1 }, 'x'));
  await poll(async () => handled() === 1);
  const incoming = open(half);
  await poll(async () => handled() === 2);
  for (const { read } of [whole, incoming]) read();
  const newClient = open(get('/'));
  newClient.read();
  await poll(async () => newClient.seen.bytes > 0);
  await poll(async () => incoming.seen.end);
  expect(whole.seen.end).toBe('');
});

test('behind proxies a half-sent request is closed for any newer one, from whichever proxy', async () => {
  const { open, handled } = await serve({ connections: 2 }, false);
  const oldest = open(half, '127.0.0.2');
  oldest.read();
  await poll(async () => handled() === 1);
  open(half, '127.0.0.3');
  await poll(async () => handled() === 2);
  const newClient = open(get('/'), '127.0.0.3');
  newClient.read();
  await poll(async () => newClient.seen.bytes > 0);
  await poll(async () => oldest.seen.end);
});

test('many requests of one address do not hold up one of another address', async () => {
  const { open, handled } = await serve();
  const burst = get('/busy').repeat(8);
  for (let connections = 0; connections < 20; connections++) open(burst).read();
  await poll(async () => handled() > 0);
  const other = open(get('/'), '127.0.0.2');
  other.read();
  await poll(async () => other.seen.bytes > 0);
  expect(handled()).toBeLessThan(80);
  await poll(async () => handled() === 161);
});
