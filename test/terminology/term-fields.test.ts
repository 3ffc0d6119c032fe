import { beforeEach, describe, expect, test } from 'vitest';
import { xlsxType } from '#server/formats/glossary/writer.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields, Headers } from '#test/factories.ts';
import { askedOf, translatingReply } from '#test/fakes/openai.ts';
import { useFakeOpenAi, useTestApp } from '#test/setup/app.ts';
import { blockingOf } from '../translation-memory/fast-path-jobs.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';
import { liveEngine } from '../translations/live.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const fake = await useFakeOpenAi();
const live = useTestApp({ env, engine: liveEngine(fake) });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const header = 'source_term,target_term,status,definition,part_of_speech';

describe('a translation with a forbidden term', () => {
  // The stub engine returns the language code and the source text.
  const glossary = [header, 'invoice,invoice,,,', 'invoice,bill,forbidden,,'];

  test('awaits review, with the word and the one to use', async () => {
    await mine.glossary(glossary);
    const job = await mine.job({ source_text: 'Pay the bill and the invoice.' });
    expect([job.status, blockingOf(job)]).toEqual(['awaiting_review', ['terminology_noncompliant']]);
    expect(job.agent_run.quality_gate.reasons).toContain('the glossary forbids “bill”, use “invoice”');
    expect(job.request.metadata.terminology_gate).toMatchObject({
      passed: false,
      missing_terms: [],
      forbidden_terms: [{ term: 'bill', source_term: 'invoice', use: 'invoice' }],
    });
    expect(job.request.metadata.terminology_entries).toMatchObject([{ target_term: 'invoice' }]);
  });

  test('is published if the source has not the term, or the translation not the word', async () => {
    await mine.glossary(glossary);
    for (const source_text of ['Pay the bill.', 'Pay the invoice.'])
      expect(await mine.job({ source_text })).toMatchObject({ status: 'published' });
  });

  test('may be approved by a reviewer, which is recorded', async () => {
    await mine.glossary(glossary);
    const { id } = await mine.job({ source_text: 'Pay the bill and the invoice.' });
    const { status, body } = await mine.review(id, { action: 'approve' });
    expect([status, body.request.metadata.terminology_gate_override]).toMatchObject([
      200,
      { missing_terms: [], forbidden_terms: [{ term: 'bill' }] },
    ]);
  });

  test('is never the translation of a text that is the source term', async () => {
    await mine.glossary([header, 'invoice,bill,forbidden,,']);
    const { final_translation, request } = await mine.job({ source_text: 'invoice' });
    expect(final_translation).not.toBe('bill');
    expect(request.metadata).not.toHaveProperty('terminology_entries');
  });
});

test('an allowed term is accepted', async () => {
  await mine.glossary([header, 'invoice,facture,,,', 'invoice,invoice,allowed,,']);
  expect(await mine.job({ source_text: 'Pay the invoice.' })).toMatchObject({ status: 'published' });
});

test('the model gets the terms to use and those to avoid, and what a term means', async () => {
  const at = await openSets(live);
  await at.glossary([
    header,
    `deposit,fianza,,"${'Money that is given back. '.repeat(60)}",noun`,
    'deposit,garantía,allowed,,',
    'deposit,depósito,forbidden,,',
    'rent,renta,,,',
  ]);
  fake.requests.length = 0;
  fake.otherwise(translatingReply({ translate: () => 'La fianza y la renta' }));
  await at.job({ source_text: 'The deposit and the rent', target_lang: 'fr' });
  const [asked] = fake.requests.map(askedOf).filter(({ role }) => role === 'translation');
  expect(asked!.data).toMatchObject({
    glossary: [
      {
        source: 'deposit',
        targets: ['fianza', 'garantía'],
        forbidden: ['depósito'],
        part_of_speech: 'noun',
        definition: expect.stringMatching(/^Money that is given back\..{150,175}$/),
      },
      { source: 'rent', targets: ['renta'] },
    ],
  });
});

const call = (
  path: string,
  input: Fields,
  headers: Headers = mine.headers,
  type: 'mutation' | 'query' = 'mutation',
) => viaRpc(app, { path: `terminology.${path}`, type }, { input, headers });
const plain = {
  ...{ source_lang: 'en', target_lang: 'fr', source_term: 'deposit', target_term: 'caution' },
  ...{ case_sensitive: false, priority: 0 },
};
const fields = {
  definition: 'Money that is given back.',
  note: 'Not for hotels.',
  part_of_speech: 'noun',
  gender: 'feminine',
  status: 'allowed',
  domain: 'rent',
  picture: 'https://a.example/b.png',
};
const entriesOf = async (set_id: string, input: Fields = {}) =>
  (await call('terms', { set_id, ...input }, mine.headers, 'query')).body.entries;

describe('the fields of a single term', () => {
  let setId: string;
  beforeEach(async () => {
    setId = (await mine.glossary(['rent,loyer,en,fr'])).id;
  });
  const add = (change: Fields = {}) => call('addTerm', { set_id: setId, term: { ...plain, ...change } });

  test('are stored on one line, and returned only if they are set', async () => {
    const { body } = await add({ ...fields, note: ' Not\n\tfor  hotels. ', do_not_translate: false });
    expect(body.entry).toEqual({ entry_no: 2, ...plain, ...fields });
    const { body: other } = await add({ target_term: 'dépôt', status: 'preferred', note: ' ', gender: null });
    expect(other.entry).toEqual({ entry_no: 3, ...plain, target_term: 'dépôt' });
    expect(await entriesOf(setId)).toEqual([expect.anything(), body.entry, other.entry]);
  });

  test('are replaced by an update, which may send empty ones, and restored by another', async () => {
    await add(fields);
    const update = (replaces: Fields, term: Fields) =>
      call('updateTerm', { set_id: setId, entry_no: 2, replaces, term });
    const [before, after] = [
      { ...plain, ...fields },
      { ...plain, status: 'forbidden', definition: null },
    ];
    expect((await update(before, after)).body.entry).toEqual({ entry_no: 2, ...plain, status: 'forbidden' });
    const stale = await update(before, { ...before, note: 'mine' });
    expect([stale.status, stale.body.present]).toEqual([409, { entry_no: 2, ...plain, status: 'forbidden' }]);
    expect((await update(after, before)).body.entry).toEqual({ entry_no: 2, ...before });
    // A client that does not know the fields cannot remove them.
    expect((await update(plain, { ...plain, target_term: 'x' })).status).toBe(409);
  });

  test('of several members at once: one wins, and the others see its term', async () => {
    await add();
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((note) =>
        call('updateTerm', { set_id: setId, entry_no: 2, replaces: plain, term: { ...plain, note } }),
      ),
    );
    const [won, ...others] = answers.toSorted((one, other) => one.status - other.status);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    for (const { body } of others) expect(body.present.note).toBe(won!.body.entry.note);
  });

  test('of a term that is not translated: the source is its translation, also in addEntry', async () => {
    const { body } = await add({ do_not_translate: true });
    expect(body.entry).toMatchObject({ target_term: 'deposit', do_not_translate: true });
    const { priority: _, ...entry } = { ...plain, source_term: 'KapiMart', do_not_translate: true };
    const added = await call('addEntry', { set_id: setId, ...entry });
    expect(added.body.entry).toMatchObject({ target_term: 'KapiMart', do_not_translate: true });
  });

  test.each([
    ['definition', 'x'.repeat(2001)],
    ['domain', 'x'.repeat(201)],
    ['note', '\ud800'],
    ['part_of_speech', 'gerund'],
    ['status', 'banned'],
    ['picture', 'http://a.example'],
    ['picture', 'javascript:alert(1)'],
    ['picture', 'https://user:secret@a.example'],
  ])('with an invalid value are rejected: %s', async (field, value) => {
    expect((await add({ [field]: value })).status).toBe(422);
  });

  test('cannot say that a term is not translated and that this is forbidden', async () => {
    expect((await add({ do_not_translate: true, status: 'forbidden' })).status).toBe(422);
  });

  test('select the terms of a list', async () => {
    await add({ status: 'forbidden' });
    await add({ target_term: 'garantie', definition: 'x' });
    await add({ source_term: 'KapiMart', do_not_translate: true });
    const only = async (wanted: string, more: Fields = {}) =>
      (await entriesOf(setId, { only: wanted, ...more })).map((one: Fields) => one['target_term']);
    for (const more of [{}, { sort: 'source' }])
      expect([await only('forbidden', more), await only('not_translated', more)]).toEqual([
        ['caution'],
        ['KapiMart'],
      ]);
    expect((await only('no_definition')).sort()).toEqual(['KapiMart', 'loyer']);
  });

  test('a new allowed or forbidden translation takes precedence over no other', async () => {
    await add();
    const others = async (change: Fields) => (await add(change)).body.other_targets;
    expect(await others({ target_term: 'dépôt', status: 'forbidden' })).toEqual([]);
    expect(await others({ target_term: 'gage', status: 'allowed' })).toEqual([]);
    expect(await others({ target_term: 'garantie' })).toEqual(['caution']);
  });
});

describe('the fields of a file', () => {
  const names = Object.keys(fields) as (keyof typeof fields)[];
  const file = [
    ['source_term', 'target_term', ...names, 'do_not_translate'].join(','),
    ['deposit', 'caution', ...names.map((name) => fields[name]), ''].join(','),
    ['KapiMart', '', ...names.map(() => ''), 'yes'].join(','),
    'deposit,dépôt,,,,,forbidden,,,',
  ];
  const languages = { source_lang: 'en', target_lang: 'fr' };

  test.each([
    ['application/x-tbx+xml', { name: 'terms.tbx', type: 'application/xml' }],
    [xlsxType, { name: 'terms.xlsx', type: xlsxType }],
  ])('return from an export as %s', async (accept, part) => {
    const { id } = await mine.glossary(file, languages);
    const before = await entriesOf(id);
    expect(before).toMatchObject([
      fields,
      { target_term: 'KapiMart', do_not_translate: true },
      { status: 'forbidden' },
    ]);
    const response = await app.request(`/api/terminology?set_id=${id}`, {
      headers: { ...mine.headers, accept },
    });
    const { status, body } = await mine.uploadFile(
      await response.bytes(),
      { ...languages, name: 'Again' },
      part,
    );
    expect([status, body.warnings]).toEqual([200, []]);
    expect(await entriesOf(body.id)).toEqual(before);
  });

  test('show in the preview as changes, and cause no warning about several translations', async () => {
    await mine.glossary(file, languages);
    const content = Buffer.from([...file.slice(0, 2), 'deposit,dépôt,now a note,,,,forbidden,,,'].join('\n'));
    const request = {
      ...languages,
      name: 'A glossary',
      file_name: 'a.csv',
      content: content.toString('base64'),
    };
    const { body } = await call('previewUpload', request);
    expect(body).toMatchObject({ changed: 1, removed: 1, added: 0, unchanged: 1, warning_counts: [] });
    expect(body.changes[0]).toMatchObject({
      before: { target_term: 'dépôt' },
      after: { definition: 'now a note' },
    });
  });

  test('conflict with another glossary only where both prefer a translation', async () => {
    await mine.glossary(['deposit,caution,en,fr', 'rent,loyer,en,fr'], { name: 'Other' });
    const rows = ['deposit,dépôt,forbidden', 'rent,location,allowed', 'rent,bail,'];
    const content = Buffer.from(['source,target,status', ...rows].join('\n')).toString('base64');
    const request = { ...languages, name: 'New', file_name: 'a.csv', content };
    const { body } = await call('previewUpload', request);
    expect(body.line_warnings).toMatchObject([
      { code: 'conflict', target_term: 'bail', other_target: 'loyer' },
    ]);
  });
});
