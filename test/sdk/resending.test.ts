import { describe, expect, test } from 'vitest';
import { ConnectionError, LinguaLoop, ServiceUnavailableError } from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';

const server = useScriptedServer();

const client = () => new LinguaLoop({ baseUrl: server.address, backoff: { firstMs: 1, maxMs: 1 } });
const transient = failure(503, 'try again', { error_code: 'transient_error' });
const keys = () => server.received.map(({ input }) => input?.['idempotency_key']);

const batch = { inputs: [{ Text: 'Hello', Targets: [{ Language: 'fr' }] }] };
const text = {
  source_text: 'Hello',
  target_lang: 'fr',
  metadata: { source_document: { name: 'hello.txt' } },
};

describe.each([
  ['createBatch', (idempotencyKey?: string) => client().translations.createBatch(batch, { idempotencyKey })],
  [
    'createFromText',
    (idempotencyKey?: string) => client().translations.createFromText(text, { idempotencyKey }),
  ],
])('%s', (_, call) => {
  test('one key a call, made up, the same on each attempt', async () => {
    server.script('cut off', transient, result([{ id: '1' }]), result([{ id: '2' }]));
    expect(await call()).toEqual([{ id: '1' }]);
    expect(await call()).toEqual([{ id: '2' }]);
    const [first, second, third, other] = keys();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
    expect(server.received[0]).toMatchObject({ method: 'POST', path: '/api/translations' });
  });

  test('the caller’s key is used if given', async () => {
    server.script(result([]));
    await call('mine');
    expect(keys()).toEqual(['mine']);
  });
});

describe('review', () => {
  test('a draft is saved again after a lost response: it is the same draft', async () => {
    server.script('cut off', transient, result({ id: '1' }));
    await client().translations.review('1', { action: 'save', final_translation: 'Salut' });
    expect(server.received.map(({ input }) => input)).toEqual(
      Array(3).fill({ action: 'save', final_translation: 'Salut' }),
    );
  });

  test.each([
    { action: 'approve' as const },
    { action: 'modify' as const, final_translation: 'Salut' },
    { action: 'reject' as const },
  ])('an action that ends the review is not sent again: $action', async (request) => {
    server.script('cut off');
    const { translations } = client();
    await expect(translations.review('1', request)).rejects.toBeInstanceOf(ConnectionError);
    server.script(transient);
    await expect(translations.review('1', request)).rejects.toBeInstanceOf(ServiceUnavailableError);
    expect(server.received).toHaveLength(2);
  });

  test('even that is sent again after a 429 with Retry-After, which changed nothing', async () => {
    server.script(failure(429, 'too many requests', {}, { 'retry-after': '0' }), result({ id: '1' }));
    expect(await client().translations.review('1', { action: 'approve' })).toEqual({ id: '1' });
  });
});

test('delete is not sent again: a second response would be 404, without the counts of what was removed', async () => {
  server.script('cut off');
  await expect(client().translations.delete('1')).rejects.toBeInstanceOf(ConnectionError);
  expect(server.received).toMatchObject([{ method: 'DELETE', path: '/api/translations/1' }]);
});
