import { once } from 'node:events';
import http from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { glossaryForm, memoryForm, tmxFile } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_REQUEST_BYTES: '2000', MAX_UPLOAD_BYTES: '20000' };
const app = useTestApp({ env });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp();
});

type Part = [name: string, value: string | File];

async function post(path: string, parts: Part[], headers = tenant.headers) {
  const body = new FormData();
  for (const [name, value] of parts) body.append(name, value as Blob);
  const response = await app.request(path, { method: 'POST', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** A complete form for each URL. Each file contains two terms or segments. */
const forms: Readonly<Record<string, Part[]>> = {
  '/api/terminology': Object.entries(glossaryForm(2)) as Part[],
  '/api/tm': Object.entries(memoryForm(2)) as Part[],
};
const paths = Object.keys(forms);
const formOf = (path: string) => forms[path] as Part[];
const withoutFile = (path: string) => formOf(path).slice(1);
const [terminology, memory] = ['/api/terminology', '/api/tm'] as const;

const list = async (path: string) => (await app.json('GET', path, { headers: tenant.headers })).body;

describe('which parts of a form count (B 4.4, B 4.5)', () => {
  test.each(paths)('%s: a text field in place of the file is 400, as is a missing file', async (path) => {
    const [[name, file]] = formOf(path) as [Part];
    const detail = `${name} upload is required`;
    const text: Part = [name, await (file as File).text()];
    for (const parts of [withoutFile(path), [text, ...withoutFile(path)]])
      expect(await post(path, parts)).toMatchObject({ status: 400, body: { detail } });
  });

  test('the older name of the glossary’s file counts if the newer one is not sent', async () => {
    const older: Part = ['terminology_csv', new File(['one,un\n'], 'old.csv', { type: 'text/csv' })];
    const alone = await post(terminology, [older, ...withoutFile(terminology)]);
    expect([alone.status, alone.body.entry_count]).toEqual([200, 1]);
    const beside = await post(terminology, [older, ...formOf(terminology)]);
    expect([beside.status, beside.body.entry_count]).toEqual([200, 2]);
  });

  test('an Idempotency-Key is not honoured', async () => {
    const headers = { ...tenant.headers, 'idempotency-key': 'once' };
    for (const units of [1, 2]) {
      const form = [['tmx_file', tmxFile(units)], ...withoutFile(memory)] as Part[];
      expect((await post(memory, form, headers)).body.imported).toBe(units);
    }
  });
});

describe('a body that is not a form has no upload: 400 (B 7)', () => {
  const fileOf = (path: string) => (formOf(path)[0] as Part)[0];
  const missing = (path: string) => ({ status: 400, detail: `${fileOf(path)} upload is required` });

  /** Sends a request that may have a body. Without `agent`, it uses a new connection. */
  async function sendBody(path: string, headers: http.OutgoingHttpHeaders, body = '', agent?: http.Agent) {
    const { hostname, port } = new URL(app.address);
    const request = http.request({ hostname, port, path, method: 'POST', headers, agent: agent ?? false });
    request.end(body);
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode, detail: JSON.parse(text).detail };
  }

  test.each(paths)('%s, after the same gates as a form', async (path) => {
    const json = { 'content-type': 'application/json' };
    expect((await sendBody(path, json, '{}')).status).toBe(401);
    expect((await sendBody(path, {})).status).toBe(401);
    expect(await sendBody(path, { ...tenant.headers, ...json }, 'x'.repeat(2001))).toEqual({
      status: 413,
      detail: 'request body exceeds MAX_REQUEST_BYTES',
    });
  });

  test.each(paths)('%s, and the connection serves the next request', async (path) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    let opened = 0;
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (...given: Parameters<typeof connect>) => {
      opened += 1;
      return connect(...given);
    };
    const headers = { ...tenant.headers, 'content-type': 'application/xml' };
    for (const body of ['x'.repeat(2000), '', 'x'])
      expect(await sendBody(path, headers, body, agent)).toEqual(missing(path));
    expect(opened).toBe(1);
  });
});

describe('sizes', () => {
  test.each(paths)('%s: a refused upload leaves nothing', async (path) => {
    const before = await list(path);
    const [[name]] = formOf(path) as [Part];
    const large = new File(['x'.repeat(21_000)], 'large.tmx', { type: 'application/xml' });
    const parts: Part[] = [...withoutFile(path).filter(([field]) => field !== 'name'), ['name', 'Refused']];
    expect((await post(path, [[name, large], ...parts])).status).toBe(413);
    expect(await list(path)).toEqual(before);
  });
});
