import { beforeAll, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { PATH, submittingTo, useWatchedEngine } from './submitting.ts';

const LANGUAGES =
  'en es fr fr-CA de it pt-BR pt-PT nl zh-Hans zh-Hant ja ko ar ru hi tr vi th id pl uk cs ro hu el sv da nb fi ms fa ur mr ne'.split(
    ' ',
  );

const { watchedEngine } = useWatchedEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: watchedEngine });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

const { submit, accepted, expectRefused } = submittingTo(app, () => tenant);

describe('B 2.1: the request fields', () => {
  test('the defaults: source_lang en, everything else null, and the job carries them all', async () => {
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
  });

  test('null is accepted wherever the table says so', async () => {
    const fields = {
      idempotency_key: null,
      domain: null,
      text_type: null,
      tone: null,
      gender: null,
      deployment_name: null,
      adaptive_dataset_id: null,
      allow_fallback: null,
    };
    expect((await accepted(fields)).request).toMatchObject(fields);
  });

  test('tone, gender and domain come back as they were sent', async () => {
    for (const tone of ['formal', 'informal', 'neutral']) {
      const fields = { tone, gender: 'feminine', domain: 'Marketing & Söhne' };
      expect((await accepted(fields)).request).toMatchObject(fields);
    }
  });

  test('the inert fields are stored, returned unchanged and change nothing', async () => {
    const fields = { deployment_name: 'gpt-none', adaptive_dataset_id: '😀-set', allow_fallback: false };
    const job = await accepted(fields);
    expect(job.request).toMatchObject(fields);
    expect(job).toMatchObject({ status: 'published', final_translation: '[fr] Hello' });
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request).toMatchObject(fields);
  });

  test.each([
    'Plain text, with surrounding blanks \t ',
    'line\r\nbreaks\n\nkept',
    'e\u0301 is not \u00e9',
    'ﷺ 👩‍👩‍👧‍👦 \u{10ffff} \u200b \ufeff',
    '"quotes" \\backslashes\\ \'and\' {braces} $1 %s',
    '<p>no markup mode</p>',
    '[fr] looks translated',
  ])('source_text is kept to the character: %j', async (text) => {
    const job = await accepted({ source_text: text });
    expect(job.request.source_text).toBe(text);
    expect(job.final_translation).toBe(`[fr] ${text}`);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request.source_text).toBe(text);
    expect(read.body.final_translation).toBe(`[fr] ${text}`);
  });

  test.each(['', ' ', '\n\t \r\n', '\u00a0\u2003\u3000'])(
    'source_text %j, empty or white space only: 400 with a string detail',
    async (text) => {
      await expectRefused({ source_text: text }, { status: 400, detail: /./ });
    },
  );

  test.each([
    ['source_text', undefined],
    ['source_text', null],
    ['source_text', 42],
    ['source_text', ['Hello']],
    ['target_lang', 42],
    ['target_lang', null],
    ['target_lang', ['fr']],
    ['source_lang', 42],
    ['idempotency_key', 42],
    ['domain', 42],
    ['domain', ['legal']],
    ['metadata', 'text'],
    ['metadata', []],
    ['metadata', 7],
    ['text_type', 'html'],
    ['text_type', 'HTML'],
    ['text_type', 'Markdown'],
    ['text_type', ''],
    ['text_type', 1],
    ['tone', 42],
    ['gender', {}],
    ['deployment_name', 42],
    ['adaptive_dataset_id', false],
    ['allow_fallback', 'yes'],
    ['allow_fallback', 1],
  ])('%s of %j: 422 with an array that names it, and no job', async (field, value) => {
    await expectRefused({ [field]: value }, { status: 422, field });
  });

  test('B 7, C 7: target_lang missing is refused, 400 or 422', async () => {
    const { status } = await submit({ target_lang: undefined });
    expect([400, 422]).toContain(status);
  });
});

describe('B 2.1 text_type Html, C 4: the stub marks translatable text alone', () => {
  test('markup is reproduced as given', async () => {
    const html = '<p class="lead" id=x>Hello <b>big</b> world</p>\n<br/><ul><li>One</li></ul>';
    const { final_translation: out } = await accepted({ source_text: html, text_type: 'Html' });
    expect(out.replaceAll('[fr] ', '')).toBe(html);
    expect(out).toMatch(/^<p class="lead" id=x>\[fr\] Hello/);
    expect(out).toContain('<li>[fr] One</li>');
  });

  test('of attributes only title, alt, placeholder and aria-label are translated', async () => {
    const html =
      '<img src="Picture" alt="A cat" title="Cat"><input name="Name" placeholder="Your name" aria-label="Name field" value="Kept">';
    const { final_translation: out } = await accepted({ source_text: html, text_type: 'Html' });
    expect(out.replaceAll('[fr] ', '')).toBe(html);
    for (const attribute of ['alt="[fr] A cat"', 'title="[fr] Cat"', 'placeholder="[fr] Your name"']) {
      expect(out).toContain(attribute);
    }
    expect(out).toContain('aria-label="[fr] Name field"');
    for (const kept of ['src="Picture"', 'name="Name"', 'value="Kept"']) expect(out).toContain(kept);
  });

  test('Plain leaves markup to be text', async () => {
    const job = await accepted({ source_text: '<b>Hi</b>', text_type: 'Plain' });
    expect(job.request.text_type).toBe('Plain');
    expect(job.final_translation).toBe('[fr] <b>Hi</b>');
  });
});

describe('B 8, C 7: the ceiling of source_text counts code points', () => {
  const small = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_SOURCE_CHARS: '10' } });

  test.each([
    ['one-unit characters', 'x'],
    ['astral characters of two units', '😀'],
    ['three-byte characters', '語'],
  ])('50,000 %s pass, one more is 413 source text exceeds MAX_SOURCE_CHARS', async (_name, character) => {
    const { headers } = await app.signUp();
    const text = character.repeat(50_000);
    const job = await accepted({ source_text: text }, headers);
    expect(job.final_translation).toBe(`[fr] ${text}`);
    const { status, body } = await submit({ source_text: text + character }, headers);
    expect(status).toBe(413);
    expect(body.detail).toContain('source text exceeds MAX_SOURCE_CHARS');
    expect((await app.json('GET', PATH, { headers })).body).toHaveLength(1);
  });

  test('MAX_SOURCE_CHARS moves the ceiling', async () => {
    const { headers } = await small.signUp();
    const send = (text: string) =>
      small.json('POST', PATH, { headers, body: { source_text: text, target_lang: 'fr' } });
    expect((await send('0123456789')).status).toBe(200);
    expect((await send('😀'.repeat(10))).status).toBe(200);
    expect((await send('0123456789a')).status).toBe(413);
    expect((await send('😀'.repeat(11))).status).toBe(413);
  });
});

describe('B 2.4: languages', () => {
  test.each(LANGUAGES)('%s is supported on both sides, in any case, and normalized', async (code) => {
    const other = code === 'en' ? 'fr' : 'en';
    for (const written of [code, code.toUpperCase(), code.toLowerCase()]) {
      const as = await accepted({ target_lang: written, source_lang: other });
      expect(as.request).toMatchObject({ target_lang: code, source_lang: other });
      expect(as.baseline_translation).toBe(`[${code}] Hello`);
      const from = await accepted({ target_lang: other, source_lang: written });
      expect(from.request).toMatchObject({ target_lang: other, source_lang: code });
    }
  });

  const rejected = [
    'en-US',
    'fr-FR',
    'zh',
    'pt',
    'zh-CN',
    'no',
    'es-419',
    'fr_CA',
    'fr-ca-x',
    'xx',
    'french',
    'Français',
    'ıd',
    'fr ',
    ' fr',
    'fr\n',
    '',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
  ];

  test.each(rejected)(
    'target_lang %j: 422 with a string detail that lists the supported set',
    async (code) => {
      const { status, body } = await submit({ target_lang: code });
      expect(status).toBe(422);
      expect(body.detail).toEqual(expect.any(String));
      expect(body.detail).toContain(code.trim());
      const words = body.detail.split(/[^A-Za-z-]+/);
      for (const supported of LANGUAGES) expect(words).toContain(supported);
    },
  );

  test.each(rejected)('source_lang %j: the same', async (code) => {
    const { status, body } = await submit({ source_lang: code });
    expect(status).toBe(422);
    expect(body.detail).toEqual(expect.any(String));
    const words = body.detail.split(/[^A-Za-z-]+/);
    for (const supported of LANGUAGES) expect(words).toContain(supported);
  });

  test('a rejected language makes no job', async () => {
    await expectRefused({ target_lang: 'en-US' }, { status: 422, detail: /en-US/ });
  });
});

describe('B 4.1: the order of the gates', () => {
  test('body, language and size are checked before the credential', async () => {
    expect((await submit({ target_lang: 'xx' }, {})).status).toBe(422);
    expect((await submit({ source_text: ' ' }, {})).status).toBe(400);
    expect((await submit({ source_text: 'x'.repeat(50_001) }, {})).status).toBe(413);
    expect((await submit({ source_text: 42 }, {})).status).toBe(422);
    expect((await app.json('POST', PATH, { body: '{"source_text"' })).status).toBe(400);
    expect((await submit({}, {})).status).toBe(401);
  });
});
