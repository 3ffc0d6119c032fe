import { beforeEach, describe, expect, test } from 'vitest';
import { bearer } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answerOf, keyed, openWorkspace, PATH, type Workspace } from './workspace.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
const app = useTestApp({ env });
const shut = useTestApp({ env: { ...env, TRANSLATION_ENABLED: 'false' } });

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

type Headers = Record<string, string>;
type Send = (at: typeof app, headers: Headers, text?: string, lang?: string) => ReturnType<typeof answerOf>;

const send = (at: typeof app, headers: Headers, body: string | FormData, query = '') =>
  answerOf(at.request(`${PATH}${query}`, { method: 'POST', headers, body }));
const json = (at: typeof app, headers: Headers, body: unknown) =>
  send(at, { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

function form(text: string, lang: string): FormData {
  const parts = new FormData();
  parts.append('target_lang', lang);
  parts.append('source_document', new File([text], 'a.txt', { type: 'text/plain' }));
  return parts;
}

/** Every way to send a text. */
const ways: [string, Send][] = [
  [
    'a single text',
    (at, headers, source_text = 'Hello', target_lang = 'fr') =>
      json(at, headers, { source_text, target_lang }),
  ],
  [
    'a batch',
    (at, headers, Text = 'Hello', Language = 'fr') =>
      json(at, headers, { inputs: [{ Text, Targets: [{ Language }] }] }),
  ],
  [
    'a text of pages',
    (at, headers, source_text = 'Hello', target_lang = 'fr') =>
      json(at, headers, { source_text, target_lang, metadata: { source_document: { name: 'a.txt' } } }),
  ],
  ['a form', (at, headers, text = 'Hello', lang = 'fr') => send(at, headers, form(text, lang))],
  [
    'a raw body',
    (at, headers, text = 'Hello', lang = 'fr') =>
      send(at, { 'content-type': 'text/plain', ...headers }, text, `?target_lang=${lang}`),
  ],
];

describe.each(ways)('B 4.1: the gates of %s', (_, way) => {
  test('(1) switched off it is 503 before anything else', async () => {
    const { headers } = await shut.signUp();
    for (const [who, text, lang] of [
      [headers, 'Hello', 'fr'],
      [{}, 'Hello', 'fr'],
      [{}, ' ', 'fr'],
      [{}, 'Hello', 'xx'],
    ] as const) {
      const { status, body } = await way(shut, who, text, lang);
      expect([status, body.detail]).toEqual([503, 'translation is temporarily disabled']);
    }
  });

  test('(2) an unsupported language comes before the credential', async () => {
    const { status, body } = await way(app, {}, 'Hello', 'en-US');
    expect(status).toBe(422);
    expect(body.detail).toMatch(/\bpt-BR\b/);
  });

  test('(4) B 5: without a usable tenant credential it is 401', async () => {
    const other = await openWorkspace(app);
    const wrong: Headers[] = [
      {},
      { 'x-api-key': 'wrong' },
      bearer('wrong'),
      { 'x-api-key': operatorKey },
      bearer(operatorKey),
      mine.cookie,
      { ...mine.headers, 'x-tenant-id': other.tenantId },
    ];
    for (const headers of wrong) {
      const { status, body } = await way(app, headers);
      expect([headers, status, body.detail]).toEqual([headers, 401, 'missing or invalid tenant credentials']);
    }
    expect(await mine.list()).toEqual([]);
  });

  test('the key of the tenant and the session of a member serve alike', async () => {
    for (const headers of [mine.headers, bearer(mine.apiKey), mine.admin])
      expect((await way(app, headers)).status).toBe(200);
    expect(await mine.list()).toHaveLength(3);
  });

  test('C 7: a replay needs the credential of its tenant, and shows nothing to another', async () => {
    const first = await way(app, { ...mine.headers, ...keyed('k') });
    expect((await way(app, keyed('k'))).status).toBe(401);
    const other = await openWorkspace(app);
    const theirs = await way(app, { ...other.headers, ...keyed('k') }, 'Other');
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
    expect(JSON.stringify(theirs.body)).not.toContain([first.body].flat()[0].id);
  });

  test('a response carries the version and the request id', async () => {
    const { headers } = await way(app, { ...mine.headers, 'x-request-id': 'asked-by-test' });
    expect([headers.get('x-api-version'), headers.get('x-request-id')]).toEqual([
      '2026-09-01',
      'asked-by-test',
    ]);
  });
});

describe('B 4.1: the gates', () => {
  test.each(ways.slice(0, 3))('(2) of %s: a blank text comes before the credential too', async (_, way) => {
    expect((await way(app, {}, ' ')).status).toBe(400);
  });

  test('(2) of files: so do a missing upload, a missing target_lang and an unsupported kind', async () => {
    const empty = new FormData();
    empty.append('target_lang', 'fr');
    const picture = new FormData();
    picture.append('target_lang', 'fr');
    picture.append('source_document', new File(['x'], 'a.png', { type: 'image/png' }));
    const text = { 'content-type': 'text/plain' };
    expect((await send(app, {}, empty)).status).toBe(400);
    expect((await send(app, {}, picture)).status).toBe(415);
    expect((await send(app, text, 'Hello')).status).toBe(400);
    expect((await send(app, text, '', '?target_lang=fr')).status).toBe(400);
  });
});

describe('hostile forms', () => {
  const post = (parts: FormData) => mine.post(parts, {});

  test('several files, fields twice, fields of many names: never a fault, and at most the one file is taken', async () => {
    const two = form('One', 'fr');
    two.append('source_document', new File(['Two'], 'b.txt', { type: 'text/plain' }));
    const twice = form('One', 'fr');
    twice.append('target_lang', 'de');
    const odd = form('One', 'fr');
    for (const name of ['__proto__', 'constructor', 'toString', '', 'metadata[tenant]', 'a\0b'])
      odd.append(name, 'x');
    const many = form('One', 'fr');
    for (let at = 0; at < 3000; at++) many.append(`field${at}`, 'x');
    const huge = form('One', 'fr');
    huge.append('tone', 'x'.repeat(2_000_000));
    for (const parts of [two, twice, odd, many, huge]) {
      const { status, body } = await post(parts);
      expect([200, 400, 413, 422]).toContain(status);
      if (status === 200) expect(body).toHaveLength(1);
    }
    expect((await post(form('Still well', 'fr'))).status).toBe(200);
  });

  test('a file sent as a text field is no upload', async () => {
    const parts = new FormData();
    parts.append('target_lang', 'fr');
    parts.append('source_document', 'Hello');
    expect((await post(parts)).status).toBe(400);
  });

  test.each([
    '{"sensitive":true}',
    '{"tenant":{"id":"other"}}',
    '{"__proto__":{"polluted":1}}',
    'no json',
    '[]',
    'null',
    `${'['.repeat(10_000)}`,
  ])('metadata as a field (%s) never names another tenant', async (metadata) => {
    const parts = form('Hello', 'fr');
    parts.append('metadata', metadata);
    const { status, body } = await post(parts);
    expect([200, 400, 422]).toContain(status);
    if (status === 200) expect(body[0].request.metadata.tenant.id).toBe(mine.tenantId);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('invalid header bytes in the file name never break the service', async () => {
    const edge = 'edge';
    for (const name of [
      'Gr\u00fc\u00dfe.txt',
      '../../a.txt',
      'a".txt',
      '\u0000.txt',
      `${'x'.repeat(5000)}.txt`,
    ]) {
      const head = `Content-Disposition: form-data; name="source_document"; filename="${name}"`;
      const body = `--${edge}\r\nContent-Disposition: form-data; name="target_lang"\r\n\r\nfr\r\n--${edge}\r\n${head}\r\nContent-Type: text/plain\r\n\r\nHello\r\n--${edge}--\r\n`;
      const answer = await mine.post(body, { 'content-type': `multipart/form-data; boundary=${edge}` });
      expect([name.slice(0, 30), [200, 400, 413, 415, 422].includes(answer.status)]).toEqual([
        name.slice(0, 30),
        true,
      ]);
      const raw = await mine.post(
        'Hello',
        { 'content-type': 'text/plain' },
        `?target_lang=fr&filename=${encodeURIComponent(name)}`,
      );
      expect([name.slice(0, 30), [200, 400, 413, 415, 422].includes(raw.status)]).toEqual([
        name.slice(0, 30),
        true,
      ]);
    }
  });
});
