import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const none = { keys: [], attributes: [], placeholders: [] };
const rules = { keys: ['cta_line'], attributes: ['data-hint'], placeholders: ['\\[\\[[A-Z]+\\]\\]'] };

const call = (name: 'get' | 'save' | 'try', input: Fields = {}, { bearer } = admin) =>
  viaRpc(
    app,
    { path: `textRules.${name}`, type: name === 'save' ? 'mutation' : 'query' },
    { input, headers: bearer },
  );
const save = (fields: Fields, person = admin) => call('save', { ...none, ...fields }, person);

test('saved rules are returned and replaced, with an event that has their numbers only', async () => {
  const { body: before } = await call('get');
  expect(before).toEqual({ ...none, version: expect.any(String) });
  expect((await save(rules)).body).toEqual({ ...rules, version: expect.any(String) });
  expect((await call('get')).body).toMatchObject(rules);
  await save({ keys: ['lead line', 'lead line'] });
  expect((await call('get')).body).toMatchObject({ ...none, keys: ['lead line'] });
  const events = await eventsOf(app, admin.tenantId, 'text_rules_saved');
  expect(events).toMatchObject([
    {
      actor: ['member', admin.userId],
      details: { text_rules_keys: 1, text_rules_attributes: 1, text_rules_placeholders: 1 },
    },
    { details: { text_rules_keys: 1, text_rules_attributes: 0, text_rules_placeholders: 0 } },
  ]);
  expect(JSON.stringify(events)).not.toContain('cta_line');
});

test('a change of rules that were changed since they were read is refused, and sent again accepted', async () => {
  const { version } = (await call('get')).body;
  expect((await save({ ...rules, version })).status).toBe(200);
  expect((await save({ ...rules, version })).status).toBe(200);
  const { status, body } = await save({ keys: ['other'], version });
  expect([status, body.error_code]).toEqual([409, 'state_conflict']);
  expect((await call('get')).body).toMatchObject(rules);
  expect(await eventsOf(app, admin.tenantId, 'text_rules_saved')).toHaveLength(1);
});

test('rules are stored with their event, or not at all', async () => {
  const owner = openSuperuser(app.superuserUrl);
  await owner`alter table audit_log add constraint spoiled check (action <> 'text_rules_saved') not valid`;
  expect((await save(rules)).status).toBe(500);
  await owner`alter table audit_log drop constraint spoiled`;
  expect((await call('get')).body).toMatchObject(none);
  expect(await eventsOf(app, admin.tenantId, 'text_rules_saved')).toEqual([]);
});

test('members and the sign-up of a workspace neither see nor set the stored rules', async () => {
  await save(rules);
  const member = await join(app, admin);
  const { body } = await app.json('GET', '/api/auth/me', { headers: member.bearer });
  expect(JSON.stringify(body)).not.toContain('cta_line');
});

describe('is refused with the reason', () => {
  const weight = /parts with all repetitions written out; at most \d+ are allowed/;
  test.each<[string, Fields, RegExp]>([
    ['a pattern that is invalid', { placeholders: ['fine', '[a'] }, /“\[a”: .*missing closing/],
    ['a condition', { placeholders: ['(?=a)b'] }, /“\(\?=a\)b”: conditions such as/],
    ['a pattern that matches an empty text', { placeholders: ['a*'] }, /“a\*”: .*empty text/],
    ['a pattern that is a program', { placeholders: ['\\pL{1000}'] }, weight],
    ['patterns that are large together', { placeholders: repeated(20, (at) => `(?:x?y){10}${at}`) }, weight],
    ['a long pattern', { placeholders: ['a'.repeat(201)] }, /200/],
    ['a pattern with a control character', { placeholders: ['a\u0007'] }, /control characters/],
    ['too many patterns', { placeholders: repeated(21, (at) => `a${at}`) }, /20/],
    ['a name with a control character', { keys: ['a\nb'] }, /a name has 1 to 64/],
    ['a name of signs', { attributes: ['@click'] }, /a name has 1 to 64/],
    ['a long name', { keys: ['a'.repeat(65)] }, /a name has 1 to 64/],
    ['too many names', { keys: repeated(101, (at) => `a${at}`) }, /100/],
    ['an attribute with a program', { attributes: ['fine', 'onClick'] }, /“onClick” is read by browsers/],
    ['an attribute with an address', { attributes: ['xlink:href'] }, /“xlink:href” is read by browsers/],
    ['a key with programs', { keys: ['head'] }, /“head” is read by browsers/],
    ['an attribute with styles', { attributes: ['style'] }, /“style” is read by browsers/],
  ])('%s', async (_, fields, reason) => {
    await save({ keys: ['former'] });
    const { status, body } = await save(fields);
    expect([status, JSON.stringify(body.detail)]).toEqual([422, expect.stringMatching(reason)]);
    expect((await call('get')).body).toMatchObject({ ...none, keys: ['former'] });
  });
});

test('100 names of 64 characters and 20 patterns are accepted', async () => {
  const names = repeated(100, (at) => String(at).padStart(64, 'é'));
  const placeholders = repeated(20, (at) => `${'x'.repeat(28)}${at}`);
  expect((await save({ keys: names, attributes: names, placeholders })).status).toBe(200);
});

test('patterns are tried on a text without being saved', async () => {
  const text = 'Order [[ABC]] 😀 for PN-1234 and [[abc]]';
  const tried = async (placeholders: string[]) =>
    (await call('try', { placeholders, text })).body.found.map(({ start, end }: Record<string, number>) =>
      text.slice(start, end),
    );
  expect(await tried(['\\[\\[[A-Z]+\\]\\]', 'PN-\\d+'])).toEqual(['[[ABC]]', 'PN-1234']);
  expect(await tried([])).toEqual([]);
  const { status, body } = await call('try', { placeholders: ['(a'], text });
  expect([status, JSON.stringify(body.detail)]).toEqual([422, expect.stringContaining('“(a”')]);
  expect((await call('get')).body).toMatchObject(none);
});

function repeated(times: number, of: (at: number) => string): string[] {
  return Array.from({ length: times }, (_, at) => of(at));
}
