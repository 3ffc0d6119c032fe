import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

test('a file has an ETag; a request that names it gets 304 without a body', async () => {
  for (const path of ['/docs/swagger-ui-bundle.js', '/docs', '/openapi.json']) {
    const first = await app.request(path, { headers: { 'accept-encoding': 'identity' } });
    const tag = first.headers.get('etag') as string;
    expect(tag, path).toMatch(/^"[\w-]{22}"$/);
    expect((await first.arrayBuffer()).byteLength).toBe(Number(first.headers.get('content-length')));
    const compressed = await app.request(path, { headers: { 'accept-encoding': 'gzip' } });
    const isCompressed = compressed.headers.get('content-encoding') === 'gzip';
    expect(compressed.headers.get('etag'), path).toBe(isCompressed ? `W/${tag}` : tag);
    expect(isCompressed).toBe(path !== '/docs');
    await compressed.arrayBuffer();
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await app.request(path, { headers: { 'if-none-match': known } });
      expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
    }
    const changed = await app.request(path, { headers: { 'if-none-match': '"other"' } });
    expect(changed.status).toBe(200);
    await changed.arrayBuffer();
  }
});
