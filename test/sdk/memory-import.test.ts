import { describe, expect, test } from 'vitest';
import { ConflictError, LinguaLoop, type LinguaLoopOptions } from '#sdk/index.ts';
import { failure, formOf, result, type Step, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();

function client(options: Partial<LinguaLoopOptions> = {}) {
  return new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 }, ...options });
}

const tmx = { name: 'ui.tmx', data: new TextEncoder().encode('<tmx/>') };
const request = { name: 'UI', source_lang: 'en-US', target_lang: 'fr' };
const job = (id: string, more: object = {}) => ({
  id,
  status: 'running',
  set_name: 'UI',
  source_lang: 'en-US',
  target_lang: 'fr',
  ...more,
});
const set: Step = { status: 200, body: { id: 's1', name: 'UI', entry_count: 2, imported: 2 } };
const accepted: Step = { status: 202, body: { poll_url: '/api/tm/imports/j1', job: job('j1') } };
const listed = (...jobs: object[]): Step => result(jobs);
const inProgress = failure(409, 'tm_import_in_progress: an import into a set of this name is running');

const asked = () => server.received.map(({ method, path }) => `${method} ${path}`);
const look = 'GET /api/tm/imports';
const post = 'POST /api/tm';

describe('importTmx', () => {
  test('sends the file as XML in a form, with its name and languages; a small one is stored at once', async () => {
    server.script(listed(), set);
    const told: unknown[] = [];
    const { memory } = client({ apiKey: 'k' });
    const poller = await memory.importTmx(tmx, request, {
      requestId: 'r',
      onProgress: (seen) => told.push(seen),
    });
    expect([poller.id, poller.job]).toEqual([null, null]);
    expect(await poller.pollUntilDone()).toEqual({ id: 's1', name: 'UI', entry_count: 2, imported: 2 });
    for await (const state of poller) told.push(state);
    expect(told).toEqual([]);
    expect(asked()).toEqual([look, post]);
    expect(server.received[1]!.headers).toMatchObject({ 'x-api-key': 'k', 'x-request-id': 'r' });
    const form = await formOf(server.received[1]!);
    expect([...form].filter(([, value]) => typeof value === 'string')).toEqual([
      ['name', 'UI'],
      ['source_lang', 'en-US'],
      ['target_lang', 'fr'],
    ]);
    const file = form.get('tmx_file') as File;
    expect(file).toMatchObject({ name: 'ui.tmx', type: 'application/xml' });
    expect(await file.text()).toBe('<tmx/>');
  });

  test.each([
    ['what the caller says', { ...tmx, contentType: 'text/plain' }, 'text/plain'],
    [
      'not what a browser thinks of it',
      new File(['<tmx/>'], 'ui.TMX', { type: 'text/html' }),
      'application/xml',
    ],
  ])('its type: %s', async (_, file, type) => {
    server.script(listed(), set);
    await client().memory.importTmx(file, request);
    expect((await formOf(server.received[1]!)).get('tmx_file')).toMatchObject({ type });
  });

  test('while another import of the name runs it is a ConflictError, and does not return that import', async () => {
    server.script(listed(job('other')), inProgress);
    const error = await client()
      .memory.importTmx(tmx, request)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ConflictError);
    expect(asked()).toEqual([look, post]);
  });
});

describe('a response that is lost', () => {
  const losses: [string, Step][] = [
    ['the connection breaks', 'cut off'],
    ['the answer breaks off', { ...(accepted as object), breaksOff: true } as Step],
  ];

  test.each(losses)('its import is found: %s', async (_, lost) => {
    server.script(listed(job('old')), lost, listed(job('j1'), job('old')));
    const poller = await client().memory.importTmx(tmx, request);
    expect(poller.id).toBe('j1');
    expect(asked()).toEqual([look, post, look]);
  });

  test('even one that has ended meanwhile', async () => {
    const result = { id: 's1', entry_count: 9000 };
    server.script(listed(), 'cut off', listed(job('j1', { status: 'completed', result })));
    const poller = await client().memory.importTmx(tmx, request);
    expect(await poller.pollUntilDone()).toEqual(result);
    expect(asked()).toEqual([look, post, look]);
  });

  test.each([
    ['one from before', [job('old')]],
    ['one of another name', [job('j2', { set_name: 'UI 2' })]],
    ['one into another language', [job('j2', { target_lang: 'fr-CA' })]],
  ])('if there is no such import the same file is sent again: %s', async (_, jobs) => {
    server.script(listed(job('old')), 'cut off', listed(...jobs), set);
    const poller = await client().memory.importTmx(tmx, request);
    expect(poller.id).toBeNull();
    expect(asked()).toEqual([look, post, look, post]);
    const [, first, , second] = server.received;
    const contents = [first, second].map(async (received) =>
      ((await formOf(received!)).get('tmx_file') as File).text(),
    );
    expect(await Promise.all(contents)).toEqual(['<tmx/>', '<tmx/>']);
  });

  test('if the first request proves to be at work after all, its import is found', async () => {
    server.script(listed(), 'cut off', listed(), inProgress, listed(job('j1')));
    const poller = await client().memory.importTmx(tmx, request);
    expect(poller.id).toBe('j1');
    expect(asked()).toEqual([look, post, look, post, look]);
  });

  test('if another’s was at work before, it is a ConflictError', async () => {
    server.script(listed(job('other')), 'cut off', listed(job('other')), inProgress, listed(job('other')));
    await expect(client().memory.importTmx(tmx, request)).rejects.toBeInstanceOf(ConflictError);
    expect(server.received).toHaveLength(5);
  });

  test('the name is compared as the service keeps it', async () => {
    server.script(listed(), 'cut off', listed(job('j1')));
    const spaced = { name: ' UI\n', source_lang: ' en-US', target_lang: 'fr ' };
    expect((await client().memory.importTmx(tmx, spaced)).id).toBe('j1');
  });

  test('earlier imports are remembered from the first look, even if it failed', async () => {
    server.script('cut off', listed(job('old')), 'cut off', listed(job('j1'), job('old')));
    expect((await client().memory.importTmx(tmx, request)).id).toBe('j1');
    expect(asked()).toEqual([look, look, post, look]);
  });
});
