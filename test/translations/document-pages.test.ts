import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { keyed, useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

interface Page {
  id: string;
  request: {
    source_text: string;
    idempotency_key: string | null;
    metadata: { source_document: Record<string, unknown> };
  };
}

const submit = (
  source_text: string,
  source_document: unknown = { name: 'book.txt' },
  headers = {},
  more = {},
) => mine.submit({ source_text, target_lang: 'fr', metadata: { source_document }, ...more }, headers);

const keys = (body: Page[]) => body.map(({ request }) => request.idempotency_key);
const long = 'x'.repeat(12_000);

describe('a JSON body with metadata.source_document is cut into pages (B 4.1)', () => {
  test('each of which is a job with the document’s name and its own number', async () => {
    const { body } = await submit(long, { name: 'book.txt', content_type: 'text/plain', page_number: 7 });
    expect(body.map(({ request }: Page) => request.metadata.source_document)).toEqual(
      [1, 2, 3].map((page_number) => ({
        ...{ name: 'book.txt', content_type: 'text/plain', size_bytes: 12_000 },
        ...{ page_number, page_count: 3 },
      })),
    );
    expect((await submit('Short.')).body).toMatchObject([{ final_translation: '[fr] Short.' }]);
  });

  test('the rest of the request and of the metadata holds for every page', async () => {
    const { body } = await mine.submit({
      source_text: long,
      source_lang: 'de',
      target_lang: 'fr',
      tone: 'formal',
      metadata: { source_document: { name: 'a.txt' }, min_quality_score: 93, mine: 'kept' },
    });
    expect(body).toHaveLength(3);
    for (const job of body) {
      expect(job).toMatchObject({
        status: 'awaiting_review',
        request: { source_lang: 'de', tone: 'formal' },
      });
      expect(job.request.metadata).toMatchObject({ min_quality_score: 93, mine: 'kept' });
    }
  });
});

describe('page n is keyed <value>:n counting from 1 (B 4.1)', () => {
  test('of JSON, a form and a raw body alike', async () => {
    const form = new FormData();
    form.append('target_lang', 'fr');
    form.append('source_document', new File([long], 'a.txt', { type: 'text/plain' }));
    const answers = [
      await submit(long, undefined, keyed('json')),
      await mine.post(form, keyed('form')),
      await mine.post(long, { 'content-type': 'text/plain', ...keyed('raw') }, '?target_lang=fr'),
    ];
    expect(answers.map(({ body }) => keys(body))).toEqual([
      ['json:1', 'json:2', 'json:3'],
      ['form:1', 'form:2', 'form:3'],
      ['raw:1', 'raw:2', 'raw:3'],
    ]);
    const second = await mine.submit({ source_text: 'Other', target_lang: 'de' }, keyed('form:2'));
    expect(second.body.id).toBe(answers[1]!.body[1].id);
  });
});

describe('source_document.name builds the names of golden downloads (B 2.6)', () => {
  const nameOf = async (id: string, format?: string) =>
    (await mine.golden(id, format)).headers.get('content-disposition');

  test('the job of a page downloads that page', async () => {
    const { body } = await submit(`${'x'.repeat(5000)}last`, { name: 'book.md' });
    expect((await (await mine.golden(body[1].id)).text()).trim()).toBe('[fr] last');
    const names = [await nameOf(body[0].id), await nameOf(body[1].id)];
    for (const name of names) expect(name).toMatch(/^attachment;.*book.*\.txt/);
    expect(new Set(names).size).toBe(2);
    expect(await nameOf(body[0].id, 'docx')).toMatch(/^attachment;.*book.*\.docx/);
    expect(await nameOf(body[0].id, 'pdf')).toMatch(/^attachment;.*book.*\.pdf/);
  });

  test('have the code of the target language in place of that of the source', async () => {
    const { body } = await submit('Hello', { name: 'con.en.md' });
    const { headers } = await mine.golden(body[0].id, 'pdf');
    expect(headers.get('content-disposition')).toBe('attachment; filename="_con.fr.pdf"');
    expect(headers.get('x-suggested-filename')).toBe('_con.fr.pdf');
  });
});
