import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { createDouble, type DoubleOptions } from '#sdk/testing.ts';
import { apiVersion } from '#sdk/version.ts';
import { workbook } from '#test/factories/workbook.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env });
const hello = { source_text: 'Hello', target_lang: 'fr' };
const held = { ...hello, metadata: { requires_human_review: true } };
const needsReview: DoubleOptions['needsReview'] = ({ request }) =>
  request.metadata['requires_human_review'] === true;
const french = { target_lang: 'fr' };
const menu = { name: 'Menu.xlsx', data: workbook('Soup') };
const bytesOf = (text: string) => new TextEncoder().encode(text);
const file = (text: string) => ({ name: 'a.txt', data: bytesOf(text) });
const csv = (text: string) => ({ name: 'g.csv', data: bytesOf(text) });

function doubled(
  options?: DoubleOptions,
  credential: Pick<sdk.LinguaLoopOptions, 'apiKey' | 'accessToken'> = { apiKey: 'k' },
) {
  const double = createDouble(options);
  const { baseUrl, fetch } = double;
  const client = new sdk.LinguaLoop({ baseUrl, fetch, ...credential, backoff: { firstMs: 1, maxMs: 1 } });
  return { double, client };
}

/** The names of an object's members, and recursively of the members' members. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'metadata')
      .map(([name, inner]) => [name, name === 'request' || name === 'agent_run' ? shapeOf(inner) : null]),
  );
}

type Call = (client: sdk.LinguaLoop) => Promise<unknown>;

const glossary =
  (text: string, request: Partial<sdk.TerminologyUpload> = {}): Call =>
  ({ terminology }) =>
    terminology.upload(csv(text), { name: 'G', ...request });

describe('the double answers as the service does', () => {
  const both = async (call: Call, as: 'apiKey' | 'accessToken' = 'apiKey') => {
    const { [as]: credential } = await app.signUp();
    const real = new sdk.LinguaLoop({ baseUrl: app.address, [as]: credential, maxRetries: 0 });
    const double = doubled({ needsReview }, { [as]: 'x' }).client;
    return Promise.all([real, double].map((client) => call(client)));
  };

  test('with the same members of a job, of a glossary and of a document', async () => {
    const [real, double] = await both(async (client) => {
      const job = await client.translations.create(hello);
      const languages = { source_lang: 'en', target_lang: 'fr' };
      const set = await client.terminology.upload(csv('Hello,Bonjour\n'), { name: 'G', ...languages });
      const document = await client.documents.translate(menu, french, { wait: true });
      const files = (await client.documents.artifacts(document.id)).map(({ kind, revision }) => [
        kind,
        revision,
      ]);
      return [...[job, set, await client.terminology.list(), document].map(shapeOf), files];
    });
    expect(double).toEqual(real);
  });

  test('with the same lists by filters', async () => {
    const outcomes = await both(async ({ translations }) => {
      const made = async (target_lang: string, metadata: Record<string, unknown>) =>
        (await translations.create({ ...hello, target_lang, metadata })).id;
      const first = await made('fr', { project: 'alpha', n: 5 });
      const second = await made('de', { project: 'beta', done: true });
      const found = await Promise.all(
        [
          { target_lang: 'de' },
          { metadata: { project: 'alpha', n: 5 } },
          { metadata: { done: true } },
          { created_before: '2020-01-01T00:00:00Z' },
          { created_after: '2020-01-01T00:00:00Z', status: 'published' as const },
        ].map(async (query) => (await translations.list(query).toArray({ limit: 9 })).map(({ id }) => id)),
      );
      return found.map((ids) => ids.map((id) => [first, second].indexOf(id)));
    });
    for (const outcome of outcomes) expect(outcome).toEqual([[1], [0], [1], [], [1, 0]]);
  });

  test.each<[string, Call]>([
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
    ['no such route', (client) => client.request('GET', '/api/nowhere')],
    ['a language that is none', ({ translations }) => translations.create({ ...hello, target_lang: 'xx' })],
    [
      'a language of a batch that is none',
      ({ translations }) =>
        translations.createBatch({ inputs: [{ Text: 'x', Targets: [{ Language: 'xx' }] }] }),
    ],
    ['an empty file', ({ translations }) => translations.createFromFile(file(''), french)],
    ['a workbook as text', ({ translations }) => translations.createFromFile(menu, french)],
    ['a deletion by an API key', (client) => client.translations.delete('0'.repeat(32))],
    ['a page of no texts', ({ translations }) => translations.listPage({ limit: 0 })],
    [
      'a blank text of a reviewer',
      async ({ translations }) =>
        translations.review((await translations.create(held)).id, {
          action: 'modify',
          final_translation: ' ',
        }),
    ],
    [
      'a download before the review',
      async ({ translations }) => translations.golden((await translations.create(held)).id),
    ],
    [
      'an approval of a document that is not translated',
      async ({ documents }) => documents.approve((await documents.translate(menu, french)).id),
    ],
    [
      'a download of a document that is not translated',
      async ({ documents }) => documents.download((await documents.translate(menu, french)).id),
    ],
    [
      'an approval by an API key and nobody',
      async ({ documents }) =>
        documents.approve((await documents.translate(menu, french, { wait: true })).id),
    ],
    ['a glossary with a row in a language that is none', glossary('a,b,en,xx\n')],
    ['with a header, too', glossary('source,target,Source Language\na,b,xx\n')],
    ['a glossary of one language', glossary('a,b\n', { source_lang: 'en', target_lang: 'en-US' })],
    ['a glossary without terms', glossary('a\n')],
    ['a glossary without a name', glossary('a,b\n', { name: ' ' })],
    [
      'a file of another type as glossary',
      ({ terminology }) => terminology.upload({ ...menu, name: 'a.xls' }, { name: 'G' }),
    ],
  ])('with the same error: %s', async (_, call) => {
    const outcomeOf = (client: sdk.LinguaLoop) =>
      call(client).then(
        () => 'no error',
        ({ name, status, code, answeredBy, detail }) => ({
          ...{ name, status, code, answeredBy },
          // For invalid fields, only the name of the field is compared: the message depends on the schema.
          detail: Array.isArray(detail)
            ? detail.map(({ loc }) => loc)
            : detail.replace(/[0-9a-f]{32}/, 'ID').replace(/^route not found[;:] .*/, 'route not found'),
        }),
      );
    const [real, double] = await both(outcomeOf);
    expect(real).not.toBe('no error');
    expect(double).toEqual(real);
  });

  test('and replays a key: the same job, and says so', async () => {
    const outcomes = await both(async (client) => {
      const first = await client.translations.create(hello, { idempotencyKey: 'k' });
      const again = await client.translations
        .create({ ...hello, source_text: 'Other' }, { idempotencyKey: 'k', onIdempotencyMismatch: 'return' })
        .withResponse();
      const { replayed, requestDiffers } = again.response;
      return [
        again.data.id === first.id,
        again.data.request.source_text,
        replayed,
        requestDiffers,
        again.data.warnings,
      ];
    });
    const warnings = [expect.objectContaining({ code: 'idempotency_request_differs' })];
    expect(outcomes).toEqual(Array(2).fill([true, 'Hello', true, true, warnings]));
    expect(outcomes[0]).toEqual(outcomes[1]);
  });

  test('with the same pending jobs of an asynchronous request', async () => {
    const outcomes = await both(async ({ translations }) => {
      const { data: job, response } = await translations.submit(hello).withResponse();
      const inputs = [{ Text: 'Hello', Targets: [{ Language: 'fr' as const }] }];
      const [first] = await translations.submitBatch({ inputs });
      return [job, first].map((one) => [
        response.status,
        one?.status,
        one?.final_translation,
        one?.agent_run,
        shapeOf(one),
      ]);
    });
    expect(outcomes[1]).toEqual(outcomes[0]);
    const { client } = doubled();
    const { id } = await client.translations.submit(hello);
    expect((await client.translations.waitFor(id)).status).toBe('published');
  });

  test('with the same requests of a batch, of a text file and of the text of a document', async () => {
    const [real, double] = await both(async ({ translations }) => {
      const inputs = [
        {
          Text: 'Hello',
          Language: 'EN',
          Targets: [{ Language: 'FR-ca', Tone: 'formal' }, { Language: 'de' }],
        },
      ];
      const jobs = [
        ...(await translations.createBatch({ inputs }, { idempotencyKey: 'b' })),
        ...(await translations.createFromFile(
          { name: 'a.md', data: bytesOf('# Hello\n') },
          { target_lang: 'PT-br', domain: 'shop', metadata: { order: 7 } },
          { idempotencyKey: 'f' },
        )),
        ...(await translations.createFromText(
          { ...hello, metadata: { source_document: { name: 'b.txt', of: 'them' } } },
          { idempotencyKey: 't' },
        )),
      ];
      const own = ({ order, source_document }: Record<string, unknown>) => ({ order, source_document });
      return jobs.map(({ request }) => ({ ...request, metadata: own(request.metadata) }));
    });
    expect(double).toEqual(real);
  });

  test('with the same text of a PDF and a DOCX that it made itself', async () => {
    const [real, double] = await both(async ({ translations }) => {
      const { id } = await translations.create(hello);
      const rounds = (['txt', 'pdf', 'docx'] as const).map(async (format) => {
        const { bytes, contentType, fileName } = await translations.golden(id, { format });
        const named = { name: `Menü.${format}`, data: bytes };
        const [job] = await translations.createFromFile(
          named,
          { ...french, metadata: { order: 7 } },
          { idempotencyKey: format },
        );
        const { source_text, idempotency_key, target_lang, metadata } = job!.request;
        const { name, page_count } = metadata['source_document'] as Record<string, unknown>;
        const again = (await translations.golden(job!.id)).fileName;
        return [
          ...[contentType, fileName.replace(id, 'ID'), again],
          ...[source_text, idempotency_key, target_lang, metadata['order'], name, page_count],
        ];
      });
      return Promise.all(rounds);
    });
    expect(double).toEqual(real);
  });

  test('with the same terms of a glossary, whatever its columns and characters', async () => {
    const outcomes = await both(async ({ terminology, translations }) => {
      const upload = (text: string, name: string) =>
        terminology.upload(csv(text), { name, source_lang: 'en' });
      await upload('target_term,source_term\n$$ or $&,price\n', 'swapped');
      await upload('Target Lang;(Source);target\nde-AT;house;Haus\n;cat;"X, Y"\n', 'by row');
      const targets = ['fr', 'de'].map((Language) => ({ Language }));
      const inputs = ['price', 'house', 'cat'].map((Text) => ({ Text, Targets: targets }));
      const jobs = await translations.createBatch({ inputs });
      return jobs.map((job) => job.final_translation?.replace(/^\[..\] /, ''));
    });
    for (const outcome of outcomes)
      expect(outcome).toEqual(['$$ or $&', '$$ or $&', 'house', 'Haus', 'X, Y', 'X, Y']);
  });

  test('and an administrator deletes a text, and approves a document in their own name', async () => {
    const outcomes = await both(async ({ translations, documents }) => {
      const { id } = await translations.create(hello);
      const { deleted } = await translations.delete(id);
      const document = await documents.translate(menu, french, { wait: true });
      const { approval_result } = await documents.approve(document.id, { reviewer: 'Eve' });
      return [
        deleted,
        await translations.get(id).catch(({ status }) => status),
        approval_result.reviewer !== 'Eve',
      ];
    }, 'accessToken');
    expect(outcomes).toEqual(Array(2).fill([true, 404, true]));
  });
});

describe('the double behaves', () => {
  test.each<[string, Call]>([
    ['texts as XLIFF', ({ translations }) => translations.exportXliff()],
    [
      'a glossary from TMX',
      ({ terminology }) => terminology.upload({ name: 'g.tmx', data: bytesOf('<tmx/>') }, { name: 'G' }),
    ],
    ['a memory', ({ memory }) => memory.list()],
  ])('what it has no part for is not found: %s', async (_, call) => {
    const detail = expect.stringMatching(/^route not found: the test double does not implement/);
    await expect(call(doubled().client)).rejects.toMatchObject({ name: 'NotFoundError', detail });
  });

  test('credentials that it was given are the only ones', async () => {
    const create = (key: string) => doubled({ credentials: [key] }).client.translations.create(hello);
    await expect(create('other')).rejects.toBeInstanceOf(sdk.AuthenticationError);
    expect((await create('k')).status).toBe('published');
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
