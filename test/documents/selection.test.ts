import { describe, expect, test } from 'vitest';
import { runDocument } from '#server/documents/run-document.ts';
import { xlsxType } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { answerOf, keyed } from '#test/translations/workspace.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { cellsOf, inline, row, workbookOf } from '../formats/xlsx-file.ts';
import { recordingEngine, useDocuments } from './workspace.ts';

const engine = recordingEngine();
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine });
const mine = useDocuments(app, engine);

const pageWith = (text: string) => ({ content: `BT /F 12 Tf 50 300 Td (${text}) Tj ET` });
const threePages = await madePdf(...['First page', 'Second page', 'Third page'].map(pageWith));
const pdf = (bytes: Uint8Array = threePages) =>
  new File([bytes as Uint8Array<ArrayBuffer>], 'three.pdf', { type: 'application/pdf' });
const sheet = (name: string, text: string) => ({ name, rows: row(inline(`<t>${text}</t>`)) });
const workbookBytes = workbookOf([sheet('Costs, 2024', 'Old costs'), sheet('Notes', 'A note')]);
const xlsx = () => new File([workbookBytes as Uint8Array<ArrayBuffer>], 'b.xlsx', { type: xlsxType });
const docx = () => new File(['not read'], 'a.docx');

describe('pages of a document', () => {
  test('of a PDF: only the selected pages are translated and billed', async () => {
    const { status, body } = await mine.send({ source_document: pdf(), pages: ' 3, 1 - 1 ', wait: '1' });
    expect([status, body.status, body.request.pages]).toEqual([200, 'translated', ['1', '3']]);
    expect(engine.texts()).toEqual(['First page', 'Third page']);
    expect(body).toMatchObject({
      billable_chars: 'First page'.length + 'Third page'.length,
      quality_report: {
        total_units: 2,
        findings: [
          expect.objectContaining({ code: 'not_selected', message: expect.stringContaining('1 page') }),
        ],
        metadata: { page_count: 3 },
      },
    });
  });

  test.each([
    ['1-2,2-3', ['1-3']],
    ['["3","1"]', ['1', '3']],
    ['2-', ['2-']],
    ['1\u20132', ['1-2']],
  ])('of a PDF: %j is stored as %j', async (pages, stored) => {
    const { status, body } = await mine.send({ source_document: pdf(), pages });
    expect([status, body.request.pages]).toEqual([202, stored]);
  });

  test.each([
    ['0', 'has the number 1'],
    ['7-3', 'ends before it begins'],
    ['1,,2', 'is not a page'],
    ['one', '1-3,7 or 5-'],
    ['-2', 'is not a page'],
    ['2-4', 'the file has 3 pages, and no page 4'],
    ['4-', 'the file has 3 pages, and no page 4'],
    ['[1]', 'must have only strings'],
    ['[]', 'leave the field out'],
    ['["1"', 'not a JSON list'],
  ])('of a PDF: %j is a 400 that names the field, and creates no job', async (pages, said) => {
    expect(await mine.send({ source_document: pdf(), pages })).toMatchObject({
      status: 400,
      body: { error_code: 'validation_error', detail: expect.stringMatching(/^pages: /) },
    });
    const { body } = await mine.send({ source_document: pdf(), pages });
    expect(body.detail).toContain(said);
    expect((await mine.listDocuments()).body).toEqual([]);
  });

  test('of an unreadable PDF are not checked: the job fails like any other', async () => {
    const { status, body } = await mine.send({ source_document: pdf(new Uint8Array([1, 2])), pages: '1' });
    expect(status).toBe(202);
    await mine.run(body.id);
    expect(await mine.read(body.id)).toMatchObject({
      status: 'failed',
      failure: { error_type: 'file_unreadable', message: expect.stringMatching(/^source_document: /) },
    });
  });

  test.each([
    ['a name', 'notes', ['A note']],
    ['a JSON list with a comma in a name', '["Costs, 2024"]', ['Old costs']],
    ['a JSON list of several names', '["Notes","Costs, 2024"]', ['Old costs', 'A note']],
  ])('of a workbook: %s', async (_, pages, texts) => {
    const { status } = await mine.send({ source_document: xlsx(), pages, wait: '1' });
    expect([status, engine.texts()]).toEqual([200, texts]);
  });

  test('of a workbook: a repeated field has one name in each value', async () => {
    const form = new FormData();
    form.append('source_document', xlsx());
    form.append('target_lang', 'fr');
    for (const name of ['Costs, 2024', 'Notes']) form.append('pages', name);
    const sent = app.request('/api/documents/translate', {
      method: 'POST',
      headers: mine.headers,
      body: form,
    });
    expect((await answerOf(sent)).body.request.pages).toEqual(['Costs, 2024', 'Notes']);
  });

  test('of a workbook: an unknown sheet is a 400 that lists the sheets, and how to send a comma', async () => {
    const { status, body } = await mine.send({ source_document: xlsx(), pages: 'Costs, 2024' });
    expect([status, body.detail]).toEqual([
      400,
      'pages: the workbook has no sheet "2024"; its sheets: "Costs, 2024", "Notes"; send a name with a comma in a JSON list: ["Costs, 2024"]',
    ]);
  });
});

describe('a field that does not fit the format is a 400 that names the formats that have it', () => {
  test.each([
    ['pages', '1', docx, 'pages: a .docx file has no pages to select; only for .pdf, .xlsx'],
    ['include', 'footnotes', pdf, 'include: footnotes is not available for a .pdf file; '],
    ['include', 'tables', pdf, 'include: "tables" is unknown; allowed: footnotes, endnotes, comments'],
    ['output', 'docx', xlsx, 'output: docx is not available for a .xlsx file; '],
    ['output', 'odt', pdf, 'output: "odt" is unknown; allowed: translated, bilingual, docx'],
  ])('%s %s', async (field, value, file, said) => {
    const { status, body } = await mine.send({ source_document: file(), [field]: value });
    expect([status, body.error_code]).toEqual([400, 'validation_error']);
    expect(body.detail).toContain(said);
  });
});

describe('the request of a job', () => {
  test('has the fields only if they were sent', async () => {
    const blank = { pages: ' ', include: '', output: 'translated' };
    for (const form of [{}, blank]) {
      const { body } = await mine.send({ source_document: xlsx(), ...form });
      expect(Object.keys(body.request)).toEqual([
        'source_lang',
        'target_lang',
        'domain',
        'idempotency_key',
        'metadata',
        'text_type',
        'tone',
        'gender',
      ]);
    }
    const { body } = await mine.send({ source_document: xlsx(), include: '["hidden"]' });
    expect(body.request.include).toEqual(['hidden']);
  });

  test('is the same for the same sheets in another order, and for an output in capitals', async () => {
    const send = (form: Record<string, string>, key: string) => mine.send(form as never, keyed(key));
    await send({ source_document: xlsx() as never, pages: '["Notes","Costs, 2024"]' }, 'sheets');
    const again = await send(
      { source_document: xlsx() as never, pages: '["Costs, 2024","Notes"]' },
      'sheets',
    );
    expect(again.headers.get('idempotency-request-differs')).toBe(null);
    const { body } = await mine.send({ source_document: pdf(), output: ' DOCX ' });
    expect(body.request.output).toBe('docx');
  });

  test('is the same for the same pages in another form, and differs for other pages', async () => {
    const send = (pages: string) => mine.send({ source_document: pdf(), pages }, keyed('one key'));
    await send('1-2');
    for (const [pages, differs] of [
      ['2,1', null],
      ['1-3', 'true'],
    ] as const)
      expect((await send(pages)).headers.get('idempotency-request-differs')).toBe(differs);
  });

  test('applies again when another worker continues the job, and when the file is rendered after a review', async () => {
    const { body } = await mine.send({ source_document: xlsx(), pages: 'Notes' });
    const { fileWork } = app.services;
    const crashing = {
      ...app.services,
      fileWork: {
        ...fileWork,
        run: (async (task: never, ...given: never[]) => {
          if (task === 'rebuild_document') throw new Error('the worker dies');
          return (fileWork.run as (...all: never[]) => unknown)(task, ...given);
        }) as unknown as typeof fileWork.run,
      },
    };
    await runDocument(crashing, mine.tenantId, body.id).catch(() => {});
    await mine.change(body.id, { status: 'extracted', stage: 'reconstruct', failure: null });
    await mine.run(body.id);
    expect(engine.texts()).toEqual(['A note']);
    expect((await mine.correct(body.id, { A1: 'Une note' })).status).toBe(200);
    const file = new Uint8Array(await (await mine.download(body.id)).arrayBuffer());
    expect(cellsOf(file).map(([cell]) => cell?.text)).toEqual(['Old costs', 'Une note']);
  });
});

describe('the source of a gettext catalog', () => {
  const catalog =
    'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Start"\nmsgstr "Begin here"\n\nmsgid "Stop"\nmsgstr "End here"\n';
  const send = (source_field?: string) =>
    mine.send({
      source_document: new File([catalog], 'app.po'),
      wait: '1',
      ...(source_field && { source_field }),
    });

  test.each([
    [undefined, []],
    ['msgid', []],
    ['msgstr', ['Begin here', 'End here']],
  ])('with source_field %s', async (field, texts) => {
    const { status, body } = await send(field);
    expect([status, body.request.source_field, engine.texts()]).toEqual([200, field, texts]);
  });

  test('can be the IDs although they look like keys', async () => {
    const keys = catalog.replace('"Start"', '"app.start"').replace('"Stop"', '"app.stop"');
    const sent = async (fields = {}) => {
      engine.reset();
      await mine.send({ source_document: new File([keys], 'app.po'), wait: '1', ...fields });
      return engine.texts();
    };
    expect(await sent()).toEqual(['Begin here', 'End here']);
    expect(await sent({ source_field: 'msgid' })).toEqual([]);
  });
});

test.each([
  ['source_field', 'text', 'app.po', 'source_field: "text" is unknown; allowed: msgid, msgstr'],
  ['source_field', 'msgid', 'a.json', 'source_field: not available for a .json file; only for .po'],
  ['line_length', '9', 'a.srt', 'line_length: "9" is not a whole number from 10 to 200'],
  ['line_length', '1e2', 'a.srt', 'line_length: "1e2" is not a whole number from 10 to 200'],
  ['reading_speed', '101', 'a.vtt', 'reading_speed: "101" is not a whole number from 5 to 100'],
  ['reading_speed', '20', 'a.po', 'reading_speed: not available for a .po file; only for .srt, .vtt'],
])('%s %j of %s is rejected', async (field, value, name, detail) => {
  const { status, body } = await mine.send({ source_document: new File(['{}'], name), [field]: value });
  expect([status, body.detail]).toEqual([400, detail]);
});
