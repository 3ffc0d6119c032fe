import { once } from 'node:events';
import http from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { openWorkspace, PATH, type Workspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });
const small = useTestApp({ env: { ...env, MAX_REQUEST_BYTES: '2000', MAX_UPLOAD_BYTES: '20000' } });

let mine: Workspace;
let tight: Workspace;
beforeAll(async () => {
  mine = await openWorkspace(app);
  tight = await openWorkspace(small);
});

const edge = 'edge';
const form = `multipart/form-data; boundary=${edge}`;
const partHead = (name: string, type: string) =>
  [
    `--${edge}`,
    'Content-Disposition: form-data; name="target_lang"',
    '',
    'fr',
    `--${edge}`,
    `Content-Disposition: form-data; name="source_document"; filename="${name}"`,
    `Content-Type: ${type}`,
    '',
    '',
  ].join('\r\n');

/**
 * Sends the headers of a request and the beginning of its body, but not the rest. A response therefore did not wait for
 * the rest.
 */
async function begin(at: TestApp, headers: Record<string, string>, start = '', query = '?target_lang=fr') {
  const request = http.request(`${at.address}${PATH}${query}`, { method: 'POST', agent: false, headers });
  onTestFinished(() => void request.destroy());
  request.flushHeaders();
  if (start) request.write(start);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, detail: JSON.parse(text).detail };
}

const over = { status: 413, detail: 'request body exceeds MAX_REQUEST_BYTES' };
describe('the declared size of a text submission, before its body is read (B 8)', () => {
  test.each(['text/plain', 'text/html', 'application/xml', 'application/octet-stream', 'application/pdf'])(
    'a raw body of 10,000,001 bytes as %s is 413',
    async (type) => {
      const length = { 'content-length': '10000001', 'content-type': type };
      expect(await begin(app, { ...length, ...mine.headers })).toMatchObject(over);
      // B 4.1: gate 2 is before the credential.
      expect(await begin(app, length)).toMatchObject(over);
    },
  );

  test('MAX_REQUEST_BYTES moves it', async () => {
    const headers = { 'content-type': 'text/plain', ...tight.headers };
    expect(await begin(small, { ...headers, 'content-length': '2001' })).toMatchObject(over);
    expect((await tight.post('x'.repeat(2000), headers, '?target_lang=fr')).status).toBe(200);
  });

  test('a text file in a form is limited by it as soon as the part names its type', async () => {
    const headers = { 'content-type': form, 'content-length': '10000001', ...mine.headers };
    // Includes the first byte of the file, because before it the end of the part's headers is unknown.
    expect(await begin(app, headers, `${partHead('a.txt', 'text/plain')}x`, '')).toMatchObject(over);
  });

  test('a form of exactly that many is read', async () => {
    const content = (length: number) => {
      const parts = partHead('a.txt', 'text/plain');
      const end = `\r\n--${edge}--\r\n`;
      return `${parts}${'x'.repeat(length - parts.length - end.length)}${end}`;
    };
    const headers = { 'content-type': form };
    expect((await tight.post(content(2000), headers)).status).toBe(200);
    const { status, body } = await tight.post(content(2001), headers);
    expect([status, body.detail]).toEqual([over.status, over.detail]);
  });
});
