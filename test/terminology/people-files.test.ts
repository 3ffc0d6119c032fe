import { beforeEach, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { inline, row, workbookOf } from '#test/formats/xlsx-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal, type Sets } from '../translation-memory/sets.ts';

/*
 * Glossaries as people send them, each as a CSV file of a European Excel, as a file with tabs and as a workbook: other
 * orders, languages by their own names, several terms in a cell, and columns of identifiers, dates and states.
 */

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

type Rows = readonly (readonly string[])[];
const quoted = (cell: string) => (/[;"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const escaped = (cell: string) => cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const textCell = (cell: string) => inline(`<t xml:space="preserve">${escaped(cell)}</t>`);
const formats = {
  csv: (rows: Rows) =>
    Buffer.from(`\ufeffsep=;\r\n${rows.map((cells) => cells.map(quoted).join(';')).join('\r\n')}`),
  tsv: (rows: Rows) => Buffer.from(rows.map((cells) => cells.join('\t')).join('\n')),
  xlsx: (rows: Rows) =>
    workbookOf([{ name: 'Terms', rows: rows.map((cells) => row(...cells.map(textCell))).join('') }]),
};

const preview = (format: keyof typeof formats, rows: Rows, fields: Fields = {}) =>
  viaRpc(
    app,
    { path: 'terminology.previewUpload', type: 'mutation' },
    {
      input: {
        ...{ file_name: `terms.${format}`, content: Buffer.from(formats[format](rows)).toString('base64') },
        ...{ name: 'House', ...fields },
      },
      headers: mine.headers,
    },
  );

/** Each term as `source = target`, with `!` for a forbidden and `~` for a further translation. */
const termsOf = ({ changes }: { changes: { after: Fields }[] }) =>
  changes.map(({ after: { source_term, target_term, status } }) => {
    const mark = status === 'forbidden' ? '!' : status === 'allowed' ? '~' : '';
    return `${source_term} = ${mark}${target_term}`;
  });

const cases: [
  name: string,
  rows: Rows,
  languages: [string | null, string | null],
  columns: string[],
  terms: string[],
][] = [
  [
    'identifiers and states before the terms, and German names',
    [
      ['ID', 'Status', 'Deutsch', 'Englisch (UK)', 'Nicht verwenden', 'Letzte Änderung', 'Bemerkung'],
      ['1', 'freigegeben', ' Lager ', 'bearing; mount', 'stock', '2020-01-02', 'x'],
      ['2', 'Entwurf', 'Dichtung', 'gasket', '', '2020-01-03', ''],
    ],
    ['de', 'en'],
    ['', '', 'source_term', 'target_term', 'forbidden_term', '', 'note'],
    ['Lager = bearing', 'Lager = ~mount', 'Lager = !stock', 'Dichtung = gasket'],
  ],
  [
    'Spanish names with codes in brackets',
    [
      ['Término (ES)', 'Traducción (EN)', 'No usar', 'Comentario', 'Fecha', 'Estado'],
      ['arandela', 'washer', 'ring', 'x', '2020-01-02', 'aprobado'],
    ],
    ['es', 'en'],
    ['source_term', 'target_term', 'forbidden_term', 'note', '', ''],
    ['arandela = washer', 'arandela = !ring'],
  ],
  [
    'French names, and names of other columns',
    [
      ['Anglais', 'Termes à éviter', 'Français', 'Remarque', 'Modifié le', 'Chef'],
      ['hose', 'tuyau', 'flexible / durite', 'x', '2.1.2020', 'Anne'],
    ],
    ['en', 'fr'],
    ['source_term', 'forbidden_term', 'target_term', 'note', '', ''],
    ['hose = flexible', 'hose = ~durite', 'hose = !tuyau'],
  ],
  [
    'forbidden terms of each language, of which only those of the target count',
    [
      ['English term', 'German term', 'Forbidden EN', 'Forbidden DE', 'Entry ID'],
      ['pump', 'Pumpe', 'pomp', 'Pumpwerk', '7'],
    ],
    ['en', 'de'],
    ['source_term', 'target_term', '', 'forbidden_term', ''],
    ['pump = Pumpe', 'pump = !Pumpwerk'],
  ],
  [
    'a title above the header',
    [
      ['Glossary of pumps', '', ''],
      ['Español', 'Português (Brasil)', 'Nota'],
      ['bomba', 'bomba d’água', 'x'],
    ],
    ['es', 'pt-BR'],
    ['source_term', 'target_term', 'note'],
    ['bomba = bomba d’água'],
  ],
  [
    'names of terms in one language',
    [
      ['Ausgangsbegriff', 'Zielbegriff', 'Verbotene Begriffe', 'Datum'],
      ['Ventil', 'valve', 'tap', '2020-01-02'],
    ],
    [null, null],
    ['source_term', 'target_term', 'forbidden_term', ''],
    ['Ventil = valve', 'Ventil = !tap'],
  ],
  [
    'a column of terms next to one of a language',
    [
      ['Term', 'Definition', '日本語', '备注'],
      ['valve', 'opens', 'バルブ', 'x'],
    ],
    [null, 'ja'],
    ['source_term', 'definition', 'target_term', 'note'],
    ['valve = バルブ'],
  ],
  [
    'only the codes of both languages',
    [
      ['en', 'ko'],
      ['valve', '밸브'],
    ],
    ['en', 'ko'],
    ['source_term', 'target_term'],
    ['valve = 밸브'],
  ],
];

test.each(
  cases.flatMap((one) =>
    (Object.keys(formats) as (keyof typeof formats)[]).map((format) => [format, ...one] as const),
  ),
)('%s: %s', async (format, _name, rows, languages, columns, terms) => {
  const { status, body } = await preview(format, rows);
  expect([status, body.detail]).toEqual([200, undefined]);
  expect(body.table.columns.map(({ column }: Fields) => column ?? '')).toEqual(columns);
  expect(termsOf(body)).toEqual(terms);
  for (const { after } of body.changes) expect([after.source_lang, after.target_lang]).toEqual(languages);
  const unused = body.line_warnings.filter(({ code }: Fields) => code === 'unused');
  expect(unused).toHaveLength(columns.filter((column) => column === '').length);
});

test.each(Object.keys(formats) as (keyof typeof formats)[])(
  '%s: several languages without others are named in the error, and are columns of the languages that are selected',
  async (format) => {
    const rows = [
      ['English', 'Español (México)', 'Português (Brasil)', '中文（简体）'],
      ['bearing', 'rodamiento', 'rolamento', '轴承'],
    ];
    const refused = await preview(format, rows);
    expect(refusal(refused)).toEqual([
      400,
      expect.stringContaining('names the languages en, es, pt-BR, zh-Hans; select two of them'),
    ]);
    expect(refused.body.present).toMatchObject({
      has_header: true,
      columns: [{ column: 'source_term' }, { column: 'target_term' }, { column: null }, { column: null }],
    });
    const { body } = await preview(format, rows, { source_lang: 'zh-Hans', target_lang: 'pt-BR' });
    expect(termsOf(body)).toEqual(['轴承 = rolamento']);
  },
);

test('the third column of a file without a header has notes, if it has no languages', async () => {
  const rows = [
    ['hose', 'manguera', 'of a pump'],
    ['gasket', 'junta'],
    ['valve', 'válvula', 'x'],
    ['filter', 'filtro', 'not for air'],
  ];
  const { body } = await preview('tsv', rows, { source_lang: 'en', target_lang: 'es' });
  expect(body.changes.map(({ after }: { after: Fields }) => after['note'])).toEqual([
    ...['of a pump', undefined, 'x', 'not for air'],
  ]);
  // One such cell may be a mistake.
  expect(refusal(await preview('tsv', rows.slice(0, 2)))[1]).toContain('line 1: source_lang is not');
});

test('rows without a term and with more cells are named by line, and quotes in a file with tabs are signs', async () => {
  const ragged = [
    ['Englisch', 'Spanisch', 'Anmerkung'],
    ['"cohort" theory', 'teoría'],
    ['', 'leer', ''],
    ['clamp', 'abrazadera', 'a', 'b', 'c'],
  ];
  for (const [format, line] of [
    ['csv', 1],
    ['tsv', 0],
  ] as const) {
    const { body } = await preview(format, ragged);
    expect(termsOf(body)).toEqual(['"cohort" theory = teoría', 'clamp = abrazadera']);
    expect(body.line_warnings.map(({ code, line: at }: Fields) => [code, at])).toEqual([
      ['skipped', line + 3],
      ['extra_cells', line + 4],
    ]);
  }
});
