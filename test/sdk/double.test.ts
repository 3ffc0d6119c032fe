import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { createDouble, type DoubleOptions } from '#sdk/testing.ts';
import { apiVersion } from '#sdk/version.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });
const hello = { source_text: 'Hello', target_lang: 'fr' };

function doubled(options?: DoubleOptions) {
  const double = createDouble(options);
  const { baseUrl, fetch } = double;
  const client = new sdk.LinguaLoop({ baseUrl, fetch, apiKey: 'k', backoff: { firstMs: 1, maxMs: 1 } });
  return { double, client };
}

/** Names of an object's members, and of those inside. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'metadata')
      .map(([name, inner]) => [name, name === 'request' || name === 'agent_run' ? shapeOf(inner) : null]),
  );
}

describe('the double answers as the service does', () => {
  const both = async (call: (client: sdk.LinguaLoop) => Promise<unknown>) => {
    const { apiKey } = await app.signUp();
    const real = new sdk.LinguaLoop({ baseUrl: app.address, apiKey, maxRetries: 0 });
    return Promise.all([real, doubled().client].map((client) => call(client)));
  };

  test('with the same members of a job, of a glossary and of a document', async () => {
    const [real, double] = await both(async (client) => {
      const job = await client.translations.create(hello);
      const data = new TextEncoder().encode('Hello,Bonjour\n');
      const languages = { source_lang: 'en', target_lang: 'fr' };
      const set = await client.terminology.upload({ name: 'g.csv', data }, { name: 'G', ...languages });
      return [job, set, await client.terminology.list()].map(shapeOf);
    });
    expect(double).toEqual(real);
  });

  test('with the same pages of glossaries', async () => {
    const outcomes = await both(async (client) => {
      for (const name of ['one', 'two', 'three'])
        await client.terminology.upload(
          { name: 'g.csv', data: new TextEncoder().encode('a,b\n') },
          { name, source_lang: 'en', target_lang: 'fr' },
        );
      const { items, nextCursor } = await client.terminology.setPage({ limit: 2 });
      const rest = await client.terminology.setPage({ limit: 2, cursor: nextCursor ?? '' });
      return [items, rest.items, await client.terminology.list()].map((page) => page.map(({ name }) => name));
    });
    for (const outcome of outcomes)
      expect(outcome).toEqual([['three', 'two'], ['one'], ['three', 'two', 'one']]);
  });

  test.each<[string, (client: sdk.LinguaLoop) => Promise<unknown>]>([
    ['no such job', (client) => client.translations.get('0'.repeat(32))],
    ['a blank text', (client) => client.translations.create({ ...hello, source_text: ' ' })],
    ['a request without a language', (client) => client.translations.create({ source_text: 'x' } as never)],
    ['a cursor of nothing', (client) => client.translations.listPage({ cursor: 'x' })],
    [
      'a review of what is published',
      async (client) =>
        client.translations.review((await client.translations.create(hello)).id, { action: 'approve' }),
    ],
    ['no such document', (client) => client.documents.get('0'.repeat(32))],
    ['no such glossary', (client) => client.terminology.delete('0'.repeat(32))],
    ['no such route', (client) => client.request('GET', '/api/nowhere')],
  ])('with the same error: %s', async (_, call) => {
    const outcomeOf = (client: sdk.LinguaLoop) =>
      call(client).then(
        () => 'no error',
        ({ name, status, code, answeredBy }) => ({ name, status, code, answeredBy }),
      );
    const [real, double] = await both(outcomeOf);
    expect(real).not.toBe('no error');
    expect(double).toEqual(real);
  });

  test('and replays a key: the same job, and says so', async () => {
    const outcomes = await both(async (client) => {
      const first = await client.translations.create(hello, { idempotencyKey: 'k' });
      const again = await client.translations
        .create({ ...hello, source_text: 'Other' }, { idempotencyKey: 'k' })
        .withResponse();
      return [again.data.id === first.id, again.data.request.source_text, again.response.replayed];
    });
    expect(outcomes).toEqual(Array(2).fill([true, 'Hello', true]));
  });
});

describe('the double behaves', () => {
  test('a job that is held is saved, approved or modified, once', async () => {
    const { client } = doubled({ needsReview: () => true });
    const { id } = await client.translations.create(hello);
    await client.translations.review(id, { action: 'save', final_translation: 'Salut' });
    expect(await client.translations.get(id)).toMatchObject({
      status: 'awaiting_review',
      final_translation: 'Salut',
    });
    await expect(client.translations.golden(id)).rejects.toBeInstanceOf(sdk.ConflictError);
    expect(await client.translations.review(id, { action: 'approve' })).toMatchObject({
      status: 'human_edited',
    });
    await expect(client.translations.review(id, { action: 'reject' })).rejects.toBeInstanceOf(
      sdk.BadRequestError,
    );
    const { bytes } = await client.translations.golden(id);
    expect(new TextDecoder().decode(bytes)).toBe('Salut');
  });

  test('lists come page after page, last changed first', async () => {
    const { client, double } = doubled();
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await client.translations.create(hello)).id);
    const listed = await client.translations.list({ limit: 2 }).toArray({ limit: 100 });
    expect(listed.map(({ id }) => id)).toEqual(made.toReversed());
    expect(double.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);
    const page = await client.translations.listPage({ limit: 3 });
    expect((await page.nextPage())?.items).toHaveLength(2);
  });

  test('a batch and a text file make a job for each, found again by one key', async () => {
    const { client } = doubled();
    const inputs = [{ Text: 'Hello', Targets: [{ Language: 'fr' }, { Language: 'de' }] }];
    const jobs = await client.translations.createBatch({ inputs }, { idempotencyKey: 'b' });
    expect(jobs.map((job) => job.final_translation)).toEqual(['[fr] Hello', '[de] Hello']);
    const again = await client.translations.createBatch({ inputs }, { idempotencyKey: 'b' }).withResponse();
    expect([again.data.map(({ id }) => id), again.response.replayed]).toEqual([
      jobs.map(({ id }) => id),
      true,
    ]);
    const data = new TextEncoder().encode('x'.repeat(6_000));
    const pages = await client.translations.createFromFile({ name: 'a.md', data }, { target_lang: 'fr' });
    expect(pages.map(({ request }) => request.source_text.length)).toEqual([5_000, 1_000]);
  });

  test('a glossary is applied while it is there', async () => {
    const { client } = doubled();
    const data = new TextEncoder().encode('source,target\n"Hello",Bonjour\n');
    const set = await client.terminology.upload({ name: 'g.csv', data }, { name: 'G' });
    expect(set.entry_count).toBe(1);
    expect((await client.translations.create(hello)).final_translation).toBe('[fr] Bonjour');
    await client.terminology.delete(set.id);
    expect((await client.translations.create(hello)).final_translation).toBe('[fr] Hello');
  });

  test('a document is translated while it is polled, and downloaded', async () => {
    const { client } = doubled();
    const file = { name: 'Menü.docx', data: new TextEncoder().encode('PK') };
    const poller = await client.documents.translate(
      file,
      { target_lang: 'fr' },
      { pollEvery: { firstMs: 1, maxMs: 1 } },
    );
    await expect(client.documents.download(poller.id)).rejects.toBeInstanceOf(sdk.ConflictError);
    const seen: string[] = [];
    for await (const { status } of poller) seen.push(status);
    expect(seen.at(-1)).toBe('translated');
    expect((await client.documents.approve(poller.id)).approval_result.already_approved).toBe(false);
    expect((await client.documents.approve(poller.id)).approval_result.already_approved).toBe(true);
    const download = await client.documents.download(poller.id);
    expect([download.fileName, new TextDecoder().decode(await download.bytes())]).toEqual([
      'Menü.docx',
      'PK',
    ]);
  });

  test('credentials that it was given are the only ones', async () => {
    await expect(
      doubled({ credentials: ['other'] }).client.translations.create(hello),
    ).rejects.toBeInstanceOf(sdk.AuthenticationError);
    expect((await doubled({ credentials: ['k'] }).client.translations.create(hello)).status).toBe(
      'published',
    );
  });

  test('an answer that is lost has done its work: the retry finds it', async () => {
    const { client, double } = doubled();
    double.loseAnswers(2);
    const { response } = await client.translations.create(hello).withResponse();
    expect(response.replayed).toBe(true);
    expect(double.requests).toHaveLength(3);
  });
});

test('the release speaks the current version of the API', async () => {
  const response = await app.request('/api/translations');
  expect(response.headers.get('x-api-version')).toBe(apiVersion);
});

test('the example runs', async () => {
  const example = join(import.meta.dirname, '../../examples/test-with-the-double.ts');
  await promisify(execFile)(process.execPath, ['--test', example]);
});
