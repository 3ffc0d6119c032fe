import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace, PATH, type Workspace } from './workspace.ts';

const LANGUAGES =
  'en es fr fr-CA de it pt-BR pt-PT nl zh-Hans zh-Hant ja ko ar ru hi tr vi th id pl uk cs ro hu el sv da nb fi ms fa ur mr ne'.split(
    ' ',
  );

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let tenant: Workspace;
beforeAll(async () => {
  tenant = await openWorkspace(app, { tenant_name: 'Maison Übersetzung' });
});

const submit = (fields: Record<string, unknown> = {}, headers: Record<string, string> = tenant.headers) =>
  app.json('POST', PATH, { headers, body: { source_text: 'Hello', target_lang: 'fr', ...fields } });
const accepted = (fields: Record<string, unknown> = {}) => tenant.job(fields);

/** The body of a rejected request. The request must create no job. */
async function rejected(fields: Record<string, unknown>, status: number) {
  const fresh = await openWorkspace(app);
  const answer = await submit(fields, fresh.headers);
  expect([answer.status, await fresh.list()]).toEqual([status, []]);
  return answer.body;
}

describe('the request fields (B 2.1)', () => {
  test('have defaults: source_lang is en, everything else null', async () => {
    const { request } = await accepted({ source_text: 'Plain defaults' });
    expect(request).toEqual({
      source_text: 'Plain defaults',
      target_lang: 'fr',
      source_lang: 'en',
      idempotency_key: null,
      domain: null,
      metadata: {
        tenant: { id: tenant.tenantId, name: 'Maison Übersetzung' },
        golden_uri: expect.stringMatching(/^golden\/[0-9a-f]{6}\/[0-9a-f]{32}\.json$/),
      },
      text_type: null,
      tone: null,
      gender: null,
      deployment_name: null,
      adaptive_dataset_id: null,
      allow_fallback: null,
    });
    const nulls = { idempotency_key: null, domain: null, text_type: null, tone: null, allow_fallback: null };
    expect((await accepted(nulls)).request).toMatchObject(nulls);
  });

  test('keep the source text to the character', async () => {
    const text =
      ' blanks \t line\r\nbreaks\n\n e\u0301 \u00e9 ﷺ 👩‍👩‍👧‍👦 \u{10ffff} \u200b \ufeff "q" \\ {b} $1 %s <p>no markup mode</p> ';
    const job = await accepted({ source_text: text });
    const { body: read } = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    for (const { request, final_translation } of [job, read])
      expect([request.source_text, final_translation]).toEqual([text, `[fr] ${text}`]);
  });

  test.each(['', '\n\t \u00a0\u2003\u3000'])('reject the empty source_text %j: 400', async (text) => {
    await rejected({ source_text: text }, 400);
  });

  test.each([
    ['source_text', undefined],
    ['target_lang', ['fr']],
    ['idempotency_key', 42],
    ['domain', ['legal']],
    ['metadata', []],
    ['text_type', 'html'],
    ['tone', 42],
    ['allow_fallback', 'yes'],
  ])('refuse %s of %j: 422 with an array that names it, and no job', async (field, value) => {
    const { detail } = await rejected({ [field]: value }, 422);
    expect(detail[0].loc).toContain(field);
  });

  test('reject a request without target_lang', async () => {
    expect([400, 422]).toContain((await submit({ target_lang: undefined })).status);
  });
});

describe('the ceiling of source_text', () => {
  test('is 50,000 code points: one more is 413, and makes no job', async () => {
    const text = '😀'.repeat(50_000);
    expect((await accepted({ source_text: text })).final_translation).toBe(`[fr] ${text}`);
    const { detail } = await rejected({ source_text: `${text}x` }, 413);
    expect(detail).toContain('source text exceeds MAX_SOURCE_CHARS');
  });
});

describe('languages (B 2.4)', () => {
  test('are supported on both sides, and normalized', async () => {
    const { body } = await app.json('POST', PATH, {
      headers: tenant.headers,
      body: {
        inputs: [
          { Text: 'Hello', Targets: LANGUAGES.slice(1).map((code) => ({ Language: code.toUpperCase() })) },
          { Text: 'Hello', Targets: [{ Language: 'EN' }], Language: 'fr' },
        ],
      },
    });
    const targets = body.map((job: { request: { target_lang: string } }) => job.request.target_lang);
    expect(targets.toSorted()).toEqual(LANGUAGES.toSorted());
    for (const code of LANGUAGES) {
      const target_lang = code === 'en' ? 'fr' : 'en';
      const { request } = await accepted({ target_lang, source_lang: code.toLowerCase() });
      expect(request).toMatchObject({ target_lang, source_lang: code });
    }
  });

  test.each(['en-US', 'ıd', 'fr ', '', '__proto__'])(
    'the unknown code %j is refused on both sides: 422 with the list of languages, and no job',
    async (code) => {
      for (const field of ['target_lang', 'source_lang']) {
        const { detail } = await rejected({ [field]: code }, 422);
        expect(detail).toContain(code.trim());
        const words = detail.split(/[^A-Za-z-]+/);
        for (const supported of LANGUAGES) expect(words).toContain(supported);
      }
    },
  );
});

test('body, language and size are checked before the credential', async () => {
  expect((await submit({ target_lang: 'xx' }, {})).status).toBe(422);
  expect((await submit({ source_text: ' ' }, {})).status).toBe(400);
  expect((await submit({ source_text: 'x'.repeat(50_001) }, {})).status).toBe(413);
  expect((await submit({ source_text: 42 }, {})).status).toBe(422);
  expect((await app.json('POST', PATH, { body: '{"source_text"' })).status).toBe(400);
  expect((await submit({}, {})).status).toBe(401);
});
