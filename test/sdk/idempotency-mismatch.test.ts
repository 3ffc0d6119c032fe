import { describe, expect, test } from 'vitest';
import { IdempotencyMismatchError, LinguaLoop, type LinguaLoopOptions } from '#sdk/index.ts';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const clientOf = async (options: Partial<LinguaLoopOptions> = {}) => {
  const { apiKey } = await app.signUp();
  return new LinguaLoop({ baseUrl: app.address, apiKey, ...options });
};
const idempotencyKey = 'order-1';
const text = (name: string, data: string) => ({ name, data: new TextEncoder().encode(data) });
const inputs = (...texts: string[]) =>
  texts.map((Text) => ({ Text, Language: 'en', Targets: [{ Language: 'fr' }] }));
const xlsx = (value: string) => ({ name: 'menu.xlsx', data: workbook(value) });

type Send = (client: LinguaLoop, what: string) => Promise<unknown>;
const sendings: [string, Send][] = [
  [
    'a text',
    ({ translations }, what) =>
      translations.create({ source_text: what, target_lang: 'fr' }, { idempotencyKey }),
  ],
  [
    'a batch',
    ({ translations }, what) =>
      translations.createBatch({ inputs: inputs('Same', what) }, { idempotencyKey }),
  ],
  [
    'a text file',
    ({ translations }, what) =>
      translations.createFromFile(text('a.txt', what), { target_lang: 'fr' }, { idempotencyKey }),
  ],
  [
    'a document',
    ({ documents }, what) => documents.translate(xlsx(what), { target_lang: 'fr' }, { idempotencyKey }),
  ],
];

describe.each(sendings)('%s under the key of a different request', (_, send) => {
  test('throws an IdempotencyMismatchError that has the job; the same request does not', async () => {
    const client = await clientOf();
    await send(client, 'Hello');
    await send(client, 'Hello');
    const error = await send(client, 'Bye').catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(IdempotencyMismatchError);
    const { job, jobs, message, requestId } = error as IdempotencyMismatchError;
    expect(jobs).toContain(job);
    expect(job?.warnings.map(({ code }) => code)).toContain('idempotency_request_differs');
    expect(message).toContain(job?.id);
    expect(requestId).toEqual(expect.any(String));
  });

  test('returns the job if the client is told to', async () => {
    const client = await clientOf({ onIdempotencyMismatch: 'return' });
    await send(client, 'Hello');
    await send(client, 'Bye');
  });
});

test('the option of a call goes before the option of the client, and the response says it', async () => {
  const { translations } = await clientOf();
  const first = await translations.create({ source_text: 'Hello', target_lang: 'fr' }, { idempotencyKey });
  const { data, response } = await translations
    .create({ source_text: 'Bye', target_lang: 'fr' }, { idempotencyKey, onIdempotencyMismatch: 'return' })
    .withResponse();
  expect([data.id, response.replayed, response.requestDiffers]).toEqual([first.id, true, true]);
});
