import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { workbook, xlsxType } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { keyed, useWorkspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const mine = useWorkspace(app);

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

function form(file: File, fields: Record<string, string> = { target_lang: 'fr' }): FormData {
  const parts = new FormData();
  for (const [field, value] of Object.entries(fields)) parts.append(field, value);
  parts.append('source_document', file);
  return parts;
}

const book = (name = 'Menu.xlsx', type = xlsxType) => new File([workbook('Soup', 'Bread')], name, { type });

const documents = async (by = mine) => (await app.json('GET', '/api/documents', by)).body;

describe('a document in the form of POST /api/translations (B 4.1)', () => {
  test('is queued and answered with 200; it is polled and downloaded as a document job', async () => {
    const { status, body } = await mine.post(
      form(book(), {
        target_lang: 'fr',
        source_lang: 'DE',
        domain: 'menu',
        tone: 'formal',
        text_type: 'Html',
      }),
      {},
    );
    expect([status, body]).toMatchObject([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        status: 'queued',
        source_file_name: 'Menu.xlsx',
        source_format: 'xlsx',
        request: {
          source_lang: 'de',
          target_lang: 'fr',
          domain: 'menu',
          tone: 'formal',
          gender: null,
          text_type: 'Html',
          idempotency_key: null,
          metadata: { submitted_via: 'translations_upload', content_type: xlsxType },
        },
      },
    ]);
    expect(await mine.list()).toEqual([]);
    await withWorkers(app, () =>
      poll(
        async () => (await app.json('GET', `/api/documents/${body.id}`, mine)).body.status === 'translated',
      ),
    );
    const download = await app.request(`/api/documents/${body.id}/download`, mine);
    expect([download.status, download.headers.get('content-type')]).toEqual([200, xlsxType]);
    expect(await mine.usage()).toMatchObject([{ job_id: body.id, billable_chars: 9 }]);
  });

  test('the key is the document’s own; a resend returns the job that it names', async () => {
    const first = await mine.post(form(book()), keyed('menu-1'));
    const second = await mine.post(form(book()), keyed('menu-1'));
    expect(first.body.request.idempotency_key).toBe('menu-1');
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await documents()).toHaveLength(1);
  });

  test('a Word file, too: only as a raw body it is flattened', async () => {
    const content = new Uint8Array(await readFile('test/corpus/docx/form-footnotes-tables.docx'));
    const { status, body } = await mine.post(form(new File([content], 'form.docx', { type: docx })), {});
    expect([status, body.source_format]).toEqual([200, 'docx']);
    const raw = await mine.post(content, { 'content-type': docx }, '?target_lang=fr&filename=form.docx');
    expect([raw.status, Array.isArray(raw.body)]).toEqual([200, true]);
    expect(await documents()).toHaveLength(1);
  });
});
