import { describe, expect, test } from 'vitest';
import { workbook, xlsxType } from '#test/factories/workbook.ts';
import { env, type Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { fieldPart, filePart, multipart } from '#test/translation-memory/sets.ts';
import { answerOf } from '#test/translations/workspace.ts';
import { PATH, recordingEngine, useDocuments } from './workspace.ts';

const app = useTestApp({ env, engine: recordingEngine() });

const mine = useDocuments(app);

const book = Buffer.from(workbook('Hello'));
const french = fieldPart('target_lang', 'fr');
const file = (given: { name?: string | null; type?: string | null } = {}, content: Buffer | string = book) =>
  filePart('source_document', { name: 'Book.xlsx', type: xlsxType, ...given }, content);

const post = (parts: Parameters<typeof multipart>[0], headers: Record<string, string> = {}, query = '') => {
  const { body, type } = multipart(parts);
  const all = { ...mine.headers, ...headers, 'content-type': type };
  return answerOf(app.request(`${PATH}/translate${query}`, { method: 'POST', headers: all, body }));
};

describe('a form (B 4.3)', () => {
  test.each([
    ['no part at all', [], 400, 'source_document upload is required'],
    [
      'a field in the place of the file',
      [french, fieldPart('source_document', 'Hello')],
      400,
      'source_document upload is required',
    ],
    ['a part that names no file', [french, file({ name: null })], 400, 'source_document upload is required'],
    ['an empty file', [french, file({}, '')], 400, 'source_document is empty'],
    [
      'what a browser sends without a chosen file',
      [french, file({ name: '', type: 'application/octet-stream' }, '')],
      400,
      'source_document is empty',
    ],
    ['no target language', [file()], 400, 'target_lang is required'],
    ['a blank target language', [fieldPart('target_lang', '  '), file()], 400, 'target_lang is required'],
    [
      'a text type in small letters',
      [french, fieldPart('text_type', 'html'), file()],
      400,
      'unsupported text_type "html"; send Plain or Html',
    ],
  ] as const)('with %s', async (_, parts, status, detail) => {
    expect(await post([...parts])).toMatchObject({
      status,
      body: { detail, error_code: 'validation_error' },
    });
    expect((await mine.listDocuments()).body).toEqual([]);
  });

  test('of two files has its first one; unknown fields are ignored', async () => {
    const parts = [french, fieldPart('colour', 'red'), file(), file({ name: 'Other.xlsx' })];
    expect((await post(parts)).body.source_file_name).toBe('Book.xlsx');
  });

  test.each([
    ['a \\"b\\".xlsx', 'a "b".xlsx'],
    ['a%0d%0aSet-Cookie: x.xlsx', 'a%0d%0aSet-Cookie: x.xlsx'],
    ['..', 'document.xlsx'],
    ['../..\\.xlsx', '.xlsx'],
    [`${'x'.repeat(5000)}.xlsx`, `${'x'.repeat(250)}.xlsx`],
  ])('whose file is named %j', async (name, stored) => {
    const { status, body } = await post([french, fieldPart('wait', '1'), file({ name })]);
    expect([status, body.source_file_name]).toEqual([200, stored]);
    const response = await mine.download(body.id);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[\x20-\x7e]*"(; filename\*=UTF-8''[\w.%~!-]+)?$/,
    );
    expect(response.headers.get('set-cookie')).toBeNull();
    // The name of the document is not part of any path.
    expect(await app.services.storage.list(`${mine.tenantId}/documents`)).toHaveLength(2);
  });
});

describe('a body (C 5 "Review")', () => {
  test('that is none is 400; one that does not fit is 422 with an array, and nothing is applied', async () => {
    const { id } = await mine.translate(['Hello']);
    const before = await mine.read(id);
    const { region_id } = (await mine.segments(id)).segments[0];
    const one = (fields: Fields = {}) => ({ region_id, cell_id: 'A1', target_text: 'Bonjour', ...fields });
    const send = async (body: string) => {
      const headers = { ...mine.headers, 'content-type': 'application/json' };
      const answer = await answerOf(app.request(`${PATH}/${id}/review`, { method: 'POST', headers, body }));
      return [answer.status, Array.isArray(answer.body.detail)];
    };
    for (const body of ['', '{', 'corrections=1']) expect(await send(body)).toEqual([400, false]);
    const corrections = [
      undefined,
      [],
      Array.from({ length: 1001 }, () => one()),
      [one({ target_text: null })],
      [one({ target_text: 'x'.repeat(50_001) })],
      [one(), one({ cell_id: 'ZZ99' })],
    ];
    for (const given of corrections)
      expect(await send(JSON.stringify({ corrections: given }))).toEqual([422, true]);
    // JSON can contain half of a surrogate pair.
    expect(
      await send(JSON.stringify({ corrections: [one({ target_text: 'HALF' })] }).replace('HALF', '\\ud83d')),
    ).toEqual([422, true]);
    expect(await send(JSON.stringify({ corrections: [one()], notes: 'a\0' }))).toEqual([422, true]);
    expect(await mine.read(id)).toEqual(before);
  });

  test('of two corrections of one cell has the last, and one correction', async () => {
    const { id } = await mine.translate(['Hello']);
    const { region_id } = (await mine.segments(id)).segments[0];
    const corrections = ['Bonjour', 'Salut'].map((target_text) => ({
      region_id,
      cell_id: 'A1',
      target_text,
    }));
    const { body } = await mine.reviewDocument(id, { corrections });
    expect(body.review_history).toMatchObject([{ corrections: 1 }]);
    expect(await mine.targets(id)).toEqual(['Salut']);
  });
});
