import { createReadStream, openAsBlob } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { LinguaLoop, type SourceFile } from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();
const job = { id: 'a', status: 'published' };

describe('a call without a credential', () => {
  const anybody = (options = {}) => {
    vi.stubEnv('LINGUALOOP_API_KEY', undefined);
    return new LinguaLoop({ baseUrl: server.address, ...options });
  };

  test.each([
    [
      'translations.create',
      (c: LinguaLoop) => c.translations.create({ source_text: 'a', target_lang: 'fr' }),
    ],
    ['documents.download', (c: LinguaLoop) => c.documents.download('a')],
    ['translations.search', (c: LinguaLoop) => c.translations.searchPage()],
  ])('is an error that names the variable, and sends nothing: %s', async (name, call) => {
    const error = await call(anybody({ apiKey: '' })).then(undefined, (thrown) => thrown);
    expect(error).toMatchObject({ name: 'AuthenticationError', answeredBy: null, requestId: null });
    expect(error.message).toContain(name);
    expect(error.message).toContain('LINGUALOOP_API_KEY');
    expect(server.received).toEqual([]);
  });

  test('is sent where none is needed, or where something else adds it', async () => {
    server.script(
      result({ status: 'ok' }),
      result({ valid: true }),
      result({ api_key: 'k' }),
      result({}),
      result(job),
    );
    await anybody().system.health();
    await anybody().auth.previewInvite('a');
    await anybody().tenants.create({ name: 'the first' });
    await anybody().request('GET', '/openapi.json');
    await anybody({ headers: { 'X-API-Key': 'k' } }).translations.get('a');
    const fetch = async () => Response.json(job);
    expect(await anybody({ fetch }).translations.get('a')).toEqual(job);
    vi.stubGlobal('document', {});
    server.script(result(job));
    await anybody().translations.get('a');
    vi.unstubAllGlobals();
    expect(server.received).toHaveLength(6);
  });
});

describe('a credential', () => {
  const credentials = { apiKey: 'a-key-that-must-not-show', accessToken: 'a-token-that-must-not-show' };

  test('is shown neither by the client nor by its errors', async () => {
    server.script(failure(401, 'missing or invalid tenant credentials'));
    const errorAt = (baseUrl: string) =>
      new LinguaLoop({ baseUrl, ...credentials, maxRetries: 0 }).translations
        .get('x')
        .catch((thrown: unknown) => thrown);
    const client = new LinguaLoop({ baseUrl: server.address, ...credentials });
    for (const value of [client, await errorAt(server.address), await errorAt('http://127.0.0.1:1')])
      expect(inspect(value, { depth: 20, showHidden: true }) + JSON.stringify(value)).not.toContain(
        'must-not-show',
      );
  });

  test.each(['apiKey', 'accessToken', 'tenantId'])(
    'is not repeated if no header can carry it: %s',
    (name) => {
      expect(() => new LinguaLoop({ baseUrl: server.address, [name]: 'must-not-show\n' })).toThrow(
        new TypeError(`${name} must be printable ASCII without spaces`),
      );
    },
  );

  test('may not be in the URL of the service, which must be one of HTTP', () => {
    expect(() => new LinguaLoop({ baseUrl: 'http://me:must-not-show@localhost' })).toThrow(
      new TypeError('baseUrl must not have credentials: use apiKey or accessToken'),
    );
    for (const baseUrl of ['', 'localhost:8080', 'ftp://example.org'])
      expect(() => new LinguaLoop({ baseUrl })).toThrow(TypeError);
  });
});

describe('what is no file', () => {
  const blob = () => openAsBlob(import.meta.filename);
  const cases: [string, () => unknown, RegExp][] = [
    ['a path', () => 'menu.xlsx', /not a string.*\{ path \}/],
    ['a Blob without a name', blob, /must have a name/],
    ['bytes without a name', () => new Uint8Array(2), /must have a name/],
    ['a stream', () => createReadStream(import.meta.filename), /Blob, bytes or a stream.*\{ path \}/],
    ['nothing', () => undefined, /Blob, bytes or a stream/],
  ];
  test.each(cases)(
    'is a TypeError that says what to do, and nothing is sent: %s',
    async (_, make, message) => {
      const { documents, translations, terminology, memory } = new LinguaLoop({ baseUrl: server.address });
      const file = (await make()) as SourceFile;
      const languages = { source_lang: 'en', target_lang: 'fr' };
      const calls = [
        documents.translate(file, languages),
        translations.createFromFile(file, languages),
        terminology.upload(file, { name: 'a' }),
        memory.importTmx(file, { name: 'a', ...languages }),
      ];
      for (const call of calls) {
        const error = await call.then(undefined, (thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(TypeError);
        expect((error as TypeError).message).toMatch(message);
      }
      expect(server.received).toEqual([]);
    },
  );

  test('is none of these: bytes of another realm, and views of bytes', async () => {
    const { translations } = new LinguaLoop({ baseUrl: server.address });
    const { runInNewContext } = await import('node:vm');
    const foreign = runInNewContext('new Uint8Array([97]).buffer') as ArrayBuffer;
    for (const data of [foreign, Buffer.from('a'), new Uint8Array([97])]) {
      server.script(result([job]));
      await translations.createFromFile({ name: 'a.txt', data }, { target_lang: 'fr' });
    }
    expect(server.received.map(({ body }) => /\r\n\r\na\r\n/.test(body.toString()))).toEqual([
      true,
      true,
      true,
    ]);
  });
});
