import { describe, expect, test } from 'vitest';
import { whiteSpace } from '#server/formats/text-tally.ts';
import { xlsxType } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { inline, row, table, workbookOf } from '../formats/xlsx-file.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const mine = useDocuments(app, engine);

const cell = (text: string) => inline(`<t>${text}</t>`);
const source = workbookOf([
  {
    name: 'One',
    rows: row(cell('Head er')) + row(cell('Good day'), cell('LinguaLoop'), cell('12-34')),
    parts: table('T', 'A1:A2'),
  },
  { name: 'Two', rows: row(cell('Left out')) },
]);
const send = (form = {}) =>
  mine.send({
    source_document: new File([source as Uint8Array<ArrayBuffer>], 'b.xlsx', { type: xlsxType }),
    wait: '1',
    ...form,
  });

interface Row {
  outcome: string;
  reason: string | null;
  texts: number;
  characters: number;
}

const sumOf = (rows: Row[], of: 'texts' | 'characters') => rows.reduce((sum, one) => sum + one[of], 0);

describe('the receipt of a document', () => {
  test('has the outcome of every visible text, in numbers that add up', async () => {
    engine.reply = ({ segments }) => segments.map((text) => (text === 'LinguaLoop' ? text : `fr ${text}`));
    const { receipt } = (await send({ pages: 'One' })).body.quality_report.metadata;
    const rows: [string, string | null, number, number][] = [
      ['translated', null, 1, 7],
      ['unchanged', null, 1, 10],
      ['not_selected', 'pages', 1, 7],
      ['not_selected', 'table_headers', 1, 6],
      ['kept', 'number', 1, 5],
      ['not_selected', 'sheet_names', 2, 6],
    ];
    expect(receipt).toEqual({
      texts: 7,
      characters: 41,
      rows: rows.map(([outcome, reason, texts, characters]) => ({ outcome, reason, texts, characters })),
      truncated_texts: 0,
    });
    expect([sumOf(receipt.rows, 'texts'), sumOf(receipt.rows, 'characters')]).toEqual([7, 41]);
  });

  test('counts a translation that is not written, because it has code that the source lacks, as failed', async () => {
    engine.reply = ({ segments }) =>
      segments.map((text) => (text === 'Good day' ? 'Bonjour {{ secret }}' : `fr ${text}`));
    const source_document = new File(['<p>Good day</p><p>Hello</p>'], 'a.html', { type: 'text/html' });
    const { body } = await send({ source_document });
    expect(body.quality_report.metadata.receipt.rows).toEqual([
      { outcome: 'translated', reason: null, texts: 1, characters: 5 },
      { outcome: 'failed', reason: 'added_code', texts: 1, characters: 7 },
    ]);
    const [finding] = body.quality_report.findings;
    expect(Object.keys(finding).sort()).toEqual(['code', 'message', 'severity', 'unit_id']);
  });

  test('counts segments like other texts: without white space of any kind', async () => {
    const spaces = String.fromCodePoint(...Array.from({ length: 0xffff }, (_, code) => code)).match(/\s/g)!;
    expect([...whiteSpace].sort()).toEqual([...spaces].sort());
    const workbook = workbookOf([
      { name: 'S', rows: row(cell(`Good${spaces.filter((space) => space > ' ').join('')}day`)) },
    ]);
    const { body } = await send({
      source_document: new File([workbook as Uint8Array<ArrayBuffer>], 'b.xlsx', { type: xlsxType }),
    });
    expect(body.quality_report.metadata.receipt.rows[0]).toMatchObject({
      outcome: 'translated',
      characters: 7,
    });
  });

  test('follows a correction: a text that was unchanged is translated afterwards', async () => {
    engine.reply = ({ segments }) => segments.map((text) => (text === 'LinguaLoop' ? text : `fr ${text}`));
    const { id } = (await send()).body;
    expect((await mine.correct(id, { B2: 'Boucle' })).status).toBe(200);
    const { rows } = (await mine.read(id)).quality_report.metadata.receipt as { rows: Row[] };
    expect(rows.map(({ outcome, texts }) => [outcome, texts])).toContainEqual(['translated', 3]);
    expect(rows.some(({ outcome }) => outcome === 'unchanged')).toBe(false);
  });

  test('counts a segment without a translation as failed, and has a finding about it', async () => {
    const { id } = (await send()).body;
    await openSuperuser(app.superuserUrl)`
      update document_segments set target = null, target_text = null where document_id = ${id} and cell_id = 'A2'`;
    expect((await mine.correct(id, { B2: 'Boucle' })).status).toBe(200);
    const { findings, metadata } = (await mine.read(id)).quality_report;
    expect(findings.map(({ code }: { code: string }) => code)).toContain('missing_translation');
    expect(metadata.receipt.rows).toContainEqual({
      outcome: 'failed',
      reason: null,
      texts: 1,
      characters: 7,
    });
    expect(sumOf(metadata.receipt.rows, 'texts')).toBe(metadata.receipt.texts);
  });

  test('is absent for a document of an earlier version', async () => {
    const { id } = (await send()).body;
    await mine.change(id, { text_outcome: null });
    expect((await mine.read(id)).quality_report.metadata).not.toHaveProperty('receipt');
  });
});
