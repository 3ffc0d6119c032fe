import { beforeEach, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { inline, row, workbookOf } from '#test/formats/xlsx-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';
import { tmx } from '../translation-memory/tmx.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_TERMINOLOGY_TERMS: '20' } });

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const pair = { source_lang: 'en', target_lang: 'fr' };
const terms = [
  ['invoice', 'facture'],
  ['purchase order', 'bon de commande'],
  ['ledger', 'grand livre'],
] as const;

const sheet = (...rows: (readonly string[])[]): Uint8Array =>
  workbookOf([
    {
      rows: rows
        .map((cells) => row(...cells.map((text) => inline(`<t xml:space="preserve">${text}</t>`))))
        .join(''),
    },
  ]);
const section = (tag: string, term: string) =>
  `<langSec xml:lang="${tag}"><termSec><term>${term}</term></termSec></langSec>`;

/** The same terms in each format. */
const files: Record<string, string | Uint8Array> = {
  'terms.csv': terms.map((cells) => cells.join(';')).join('\n'),
  'languages.csv': [['en', 'fr-FR'], ...terms].map((cells) => cells.join('\t')).join('\n'),
  'terms.tmx': tmx(terms.map(([source, target]) => [source, target])),
  'terms.tbx': `<tbx style="dca" type="TBX-Basic" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>${terms.map(([source, target]) => `<conceptEntry>${section('en', source)}${section('fr', target)}</conceptEntry>`).join('')}</body></text></tbx>`,
  'terms.xlsx': sheet(['source', 'target'], ...terms),
  'languages.xlsx': sheet(['de', 'en', 'fr'], ...terms.map((cells) => ['x', ...cells])),
  'terms.json': JSON.stringify(Object.fromEntries(terms)),
  'list.json': JSON.stringify(terms.map(([source, target]) => ({ source, target }))),
  'languages.json': JSON.stringify({ terms: terms.map(([en, fr]) => ({ en, fr })) }),
};

const rpc = (name: string, input: Fields, headers = mine.headers) =>
  viaRpc(app, { path: `terminology.${name}`, type: 'mutation' }, { input, headers });
const encoded = (name: string, fields: Fields = {}) => ({
  ...{ file_name: name, content: Buffer.from(files[name]!).toString('base64'), name: 'A glossary' },
  ...pair,
  ...fields,
});

/** The stored terms, without their languages if these are the declared ones. */
async function stored(id: string): Promise<Fields[]> {
  const input = encodeURIComponent(JSON.stringify({ json: { set_id: id } }));
  const { body } = await app.json('GET', `/trpc/terminology.entries?input=${input}`, {
    headers: mine.headers,
  });
  return body.result.data.json.entries;
}

const expected = terms.map(([source_term, target_term], index) => ({
  ...{ entry_no: index + 1, source_term, target_term, ...pair, case_sensitive: false, priority: 0 },
}));

describe('the same terms', () => {
  test.each(Object.keys(files))('in %s give the same glossary, by upload and by preview', async (name) => {
    const { status, body } = await mine.uploadFile(files[name]!, pair, { name, type: null });
    expect([status, body.detail, body.entry_count]).toEqual([200, undefined, terms.length]);
    expect(await stored(body.id)).toEqual(expected);

    const { body: preview } = await rpc('previewUpload', encoded(name, { name: 'Previewed' }));
    expect(preview).toMatchObject({ entry_count: 3, added: 3, changed: 0, removed: 0, set_id: null });
    const applied = await rpc('applyPreview', encoded(name, { name: 'Previewed', revision: null }));
    expect([applied.body.warnings, applied.body.warnings]).toEqual([preview.warnings, body.warnings]);
    const entries = await stored(applied.body.id);
    expect(entries).toEqual(expected);
    expect(preview.changes.map(({ after }: Fields) => after)).toEqual(
      entries.map(({ entry_no: _, ...term }) => term),
    );
  });

  test.each(['terms.xlsx', 'terms.json'])(
    'in %s are used in translations, of this workspace only',
    async (name) => {
      await mine.uploadFile(files[name]!, pair, { name, type: null });
      const { request, final_translation } = await mine.job({ source_text: 'purchase order', ...pair });
      expect([final_translation, request.metadata.provenance?.fast_path]).toEqual([
        'bon de commande',
        'glossary_exact',
      ]);
      const text = { source_text: 'The ledger has two invoices and an invoice.', ...pair };
      expect((await rpc('matches', text)).body.terms).toMatchObject([
        { source_term: 'ledger', target_terms: ['grand livre'] },
        { source_term: 'invoice', target_terms: ['facture'] },
      ]);
      const neighbor = await openSets(app);
      expect((await rpc('matches', text, neighbor.headers)).body.terms).toEqual([]);
      expect((await rpc('previewUpload', encoded(name), neighbor.headers)).body).toMatchObject({
        ...{ set_id: null, added: 3, unchanged: 0 },
      });
    },
  );

  test('of a CSV file whose header is not that of the declared languages are positional', async () => {
    const declared = { source_lang: 'en', target_lang: 'de' };
    const { body } = await mine.uploadFile(files['languages.csv']!, declared);
    expect([body.entry_count, body.warnings[0]]).toEqual([4, expect.stringMatching(/^no header row/)]);
    expect((await mine.uploadFile(files['languages.csv']!)).body).toMatchObject({
      ...{ entry_count: 3, warnings: [] },
    });
  });
});

describe('the type of the file', () => {
  const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

  test.each([
    ['terms.xlsx', [spreadsheet, 'application/vnd.ms-excel', 'application/octet-stream']],
    [
      'terms.json',
      ['application/json; charset=utf-8', 'text/json', 'text/plain', 'application/octet-stream'],
    ],
  ])('%s is accepted as %s', async (name, types) => {
    for (const type of types)
      expect((await mine.uploadFile(files[name]!, pair, { name, type })).status).toBe(200);
    const other = name.endsWith('json') ? spreadsheet : 'application/json';
    for (const type of [other, 'text/csv', 'application/xml'])
      expect(refusal(await mine.uploadFile(files[name]!, pair, { name, type }))).toEqual([
        ...[415, expect.stringContaining(`does not match a .${name.split('.')[1]} file; send it as`)],
      ]);
  });

  test('.tsv is read as CSV, whatever programs declare', async () => {
    const text = Buffer.from('spade\tbêche\nrake\trâteau\n');
    for (const type of ['text/tab-separated-values', 'application/octet-stream', 'text/plain', null]) {
      const { body } = await mine.uploadFile(text, pair, { name: 'terms.tsv', type });
      expect(body).toMatchObject({ entry_count: 2 });
    }
    const refused = await mine.uploadFile(text, pair, { name: 'terms.tsv', type: 'application/json' });
    expect(refused.status).toBe(415);
  });

  test('is not guessed without a suffix', async () => {
    for (const [name, type] of [
      ['terms.xlsx', spreadsheet],
      ['terms.json', 'application/json'],
    ] as const)
      expect((await mine.uploadFile(files[name]!, pair, { name: 'terms', type })).status).toBe(415);
  });

  test('does not require languages', async () => {
    for (const name of ['terms.xlsx', 'terms.json']) {
      const { body } = await mine.uploadFile(files[name]!, {}, { name, type: null });
      expect(body).toMatchObject({ source_lang: null, target_lang: null, entry_count: 3 });
      expect(body.warnings).toEqual([expect.stringMatching(/^3 of 3 entries apply to every language pair/)]);
    }
  });
});

test('the limit of terms applies, and nothing is stored', async () => {
  const many = Array.from({ length: 21 }, (_, n) => [`term ${n}`, `terme ${n}`]);
  for (const [name, content] of [
    ['a.xlsx', sheet(...many)],
    ['a.json', JSON.stringify(Object.fromEntries(many))],
  ] as const) {
    const refused = [422, expect.stringMatching(/^terminology_max_terms_exceeded:/)];
    expect(refusal(await mine.uploadFile(content, pair, { name, type: null }))).toEqual(refused);
    const input = {
      ...encoded('terms.csv'),
      file_name: name,
      content: Buffer.from(content).toString('base64'),
    };
    expect(refusal(await rpc('previewUpload', input))).toEqual(refused);
  }
  expect(await mine.glossaries()).toEqual([]);
});

test('the warnings of a workbook name rows and sheets', async () => {
  const content = workbookOf([
    {
      name: 'Terms',
      rows: `${row(inline('<t>source</t>'), inline('<t>target</t>'))}<row hidden="1">${inline('<t>a</t>')}${inline('<t>b</t>')}</row>${row(inline('<t>c</t>'), inline('<t>d</t>'))}${row(inline('<t>e</t>'))}${row('<c><v>7</v></c>', inline('<t>f</t>'))}`,
    },
    { name: 'Archive', rows: row(inline('<t>x</t>')) },
  ]);
  const { body } = await mine.uploadFile(content, pair, { name: 'a.xlsx', type: null });
  expect(body.warnings).toEqual([
    'entries without a source or target term were skipped: row 4',
    'hidden rows were skipped: row 2',
    'only one sheet is read; these were not: “Archive”',
    'numbers were read as terms: row 5',
  ]);
});
