import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { addStyleGuide, env, type Fields, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const call = (name: 'list' | 'get' | 'save' | 'delete', input: Fields = {}, headers: Fields = admin.bearer) =>
  viaRpc(
    app,
    { path: `styleGuides.${name}`, type: name === 'list' || name === 'get' ? 'query' : 'mutation' },
    { input, headers: headers as Record<string, string> },
  );
const list = async (person: Person) => (await call('list', {}, person.bearer)).body.guides;

const whole = {
  target_lang: 'de',
  rules: 'Write short sentences.',
  quotation_marks: '„“',
  spacing: 'none',
  formality: 'formal',
  forbidden_words: [{ term: 'User', use_instead: 'Benutzer' }],
};

test('a saved guide is listed as it was sent, and recorded in the audit log', async () => {
  const { status, body } = await call('save', { ...whole, version: null });
  expect(status).toBe(200);
  expect(body).toEqual({
    ...whole,
    version: expect.any(String),
    updated_at: expect.any(String),
    updated_by: admin.email,
  });
  expect(await list(admin)).toEqual([body]);
  expect((await call('get', { target_lang: 'DE' })).body).toEqual(body);
  expect(await eventsOf(app, admin.tenantId, 'style_guide_saved')).toMatchObject([
    { actor: ['member', admin.userId], details: { target_lang: 'de' } },
  ]);
});

test('fields that are left out are not set, and the guide of all languages comes first', async () => {
  const own = await addStyleGuide(app, admin, { target_lang: 'de', formality: 'formal', rules: '' });
  const general = await addStyleGuide(app, admin, { spacing: 'none', rules: '  ' });
  expect(await list(admin)).toEqual([general, own]);
  expect(general).toMatchObject({
    target_lang: null,
    rules: '',
    quotation_marks: null,
    spacing: 'none',
    formality: null,
    forbidden_words: [],
  });
});

describe('versions', () => {
  test('a save of an old version gets 409 with the present guide, and changes nothing', async () => {
    const first = await addStyleGuide(app, admin, whole);
    const second = await addStyleGuide(app, admin, { ...whole, rules: 'Second' });
    expect(second.version).not.toBe(first.version);
    for (const version of [first.version, null, 'x']) {
      const { status, body } = await call('save', { ...whole, rules: 'Third', version });
      expect([status, body.detail]).toEqual([409, 'another member has changed this style guide']);
      expect(body.present).toEqual(second);
    }
    const { target_lang, version } = first;
    expect((await call('delete', { target_lang, version })).status).toBe(409);
    expect(await list(admin)).toEqual([second]);
    expect(await eventsOf(app, admin.tenantId, 'style_guide_saved')).toHaveLength(2);
  });

  test('of two administrators who save at the same time, one gets 409', async () => {
    for (const version of [null, (await addStyleGuide(app, admin, { target_lang: 'fr' })).version]) {
      const target_lang = version === null ? 'de' : 'fr';
      const results = await Promise.all(
        ['one', 'two', 'three'].map((rules) => call('save', { target_lang, rules, version })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    }
  });

  test('a guide that was deleted and created again is another version', async () => {
    const { target_lang, version } = await addStyleGuide(app, admin);
    expect((await call('delete', { target_lang, version })).status).toBe(200);
    expect(await list(admin)).toEqual([]);
    expect(await eventsOf(app, admin.tenantId, 'style_guide_deleted')).toHaveLength(1);
    await addStyleGuide(app, admin);
    expect((await call('save', { ...whole, target_lang, version })).status).toBe(409);
    expect((await call('delete', { target_lang: 'de', version })).status).toBe(404);
  });
});

test.each<[string, Fields, RegExp]>([
  ['rules that are too long', { rules: 'x'.repeat(4001) }, /rules.*4000/s],
  [
    'a word that is too long',
    { forbidden_words: [{ term: 'x'.repeat(101) }] },
    /forbidden_words.*term.*100/s,
  ],
  ['an empty word', { forbidden_words: [{ term: ' ' }] }, /forbidden_words.*term/s],
  [
    'too many words',
    { forbidden_words: Array.from({ length: 201 }, (_, at) => ({ term: `w${at}` })) },
    /forbidden_words.*200/s,
  ],
  ['a word twice', { forbidden_words: [{ term: 'a' }, { term: 'a' }] }, /forbidden_words.*a term twice/s],
  ['unknown quotation marks', { quotation_marks: '<>' }, /quotation_marks/],
  ['an unknown spacing', { spacing: 'wide' }, /spacing/],
  ['an unknown formality', { formality: 'rude' }, /formality/],
  ['an unsupported language', { target_lang: 'xx' }, /unsupported target_lang/],
  ['an unknown field', { tone: 'x' }, /tone/],
])('%s: 422 that names the field', async (_name, fields, message) => {
  const { status, body } = await call('save', { ...whole, ...fields, version: null });
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringMatching(message)]);
  expect(await list(admin)).toEqual([]);
});

test('a guide without any rule: 422', async () => {
  const { status, body } = await call('save', { target_lang: 'de', version: null });
  expect([status, JSON.stringify(body)]).toEqual([
    422,
    expect.stringMatching(/at least one rule is required/),
  ]);
});

test('a guide that an API key saved has no author', async () => {
  expect((await call('save', { ...whole, version: null }, admin.key)).body.updated_by).toBeNull();
});
