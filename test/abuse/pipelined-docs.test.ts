import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openUnread, requestText } from './raw-socket.ts';

const app = useTestApp();

test('a connection with a thousand pipelined GETs is reset, without effect on other clients', async () => {
  const socket = openUnread(app.address);
  const gone = new Promise<string>((resolve) =>
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? '')),
  );
  socket.write(requestText('GET', '/docs/swagger-ui-bundle.js').repeat(1000));
  // The client reads what the system has already sent before it sees the reset.
  socket.resume();
  expect(await gone).toBe('ECONNRESET');
  expect(socket.bytesRead).toBeLessThan(9 * 1_600_000);
  expect((await app.request('/healthz')).status).toBe(200);
});

test('a file has an ETag; a request that names it gets 304 without a body', async () => {
  for (const path of ['/docs/swagger-ui-bundle.js', '/docs', '/openapi.json']) {
    const first = await app.request(path);
    const tag = first.headers.get('etag') as string;
    expect(tag, path).toMatch(/^"[\w-]{22}"$/);
    expect((await first.arrayBuffer()).byteLength).toBe(Number(first.headers.get('content-length')));
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await app.request(path, { headers: { 'if-none-match': known } });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    }
    const changed = await app.request(path, { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
    await changed.arrayBuffer();
  }
});
