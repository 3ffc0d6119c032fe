import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { keyed, openWorkspace, type Workspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

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

/** The pages of a text that is submitted as JSON with metadata.source_document. */
async function pagesOf(source: string): Promise<string[]> {
  const { status, body } = await submit(source);
  expect(status).toBe(200);
  return body.map(({ request }: Page) => request.source_text);
}

const ids = (body: Page[]) => body.map(({ id }) => id);
const keys = (body: Page[]) => body.map(({ request }) => request.idempotency_key);
const long = 'x'.repeat(12_000);

describe('B 4.1: a JSON body with metadata.source_document is cut into pages', () => {
  test('C 7: it returns an array, of one job for a short text too', async () => {
    const { status, body } = await submit('Short.');
    expect(status).toBe(200);
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ status: 'published', final_translation: '[fr] Short.' });
  });

  test('B 2.6: source_document keeps its name and says the page', async () => {
    const { body } = await submit(long, { name: 'book.txt', content_type: 'text/plain' });
    expect(body.map(({ request }: Page) => request.metadata.source_document)).toEqual(
      [1, 2, 3].map((page_number) => ({
        name: 'book.txt',
        content_type: 'text/plain',
        size_bytes: 12_000,
        page_number,
        page_count: 3,
      })),
    );
  });

  test('a caller cannot set the fields that the server writes there', async () => {
    const { body } = await submit('Short.', {
      name: 'a.txt',
      page_number: 7,
      page_count: 9,
      size_bytes: 1e9,
    });
    expect(body[0].request.metadata.source_document).toMatchObject({
      name: 'a.txt',
      page_number: 1,
      page_count: 1,
      size_bytes: 6,
    });
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

  test('B 8: the text of a JSON body has at most 50000 characters all the same', async () => {
    expect((await submit('x'.repeat(50_000))).body).toHaveLength(10);
    const { status, body } = await submit('x'.repeat(50_001));
    expect(status).toBe(413);
    expect(body.detail).toMatch(/^source text exceeds MAX_SOURCE_CHARS/);
    expect((await submit(' \n ')).status).toBe(400);
  });
});

describe('B 8: pages of 5000 characters', () => {
  test.each([
    [5001, [5000, 1]],
    [12_000, [5000, 5000, 2000]],
  ])('%d characters without a place to break', async (length, expected) => {
    expect((await pagesOf('x'.repeat(length))).map(({ length: chars }) => chars)).toEqual(expected);
  });
});

describe('B 4.1: page n is keyed <value>:n counting from 1', () => {
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

  test('B 4.2: sent again it is a replay, billed once', async () => {
    const first = await submit(long, undefined, keyed('again'));
    const again = await submit(long, undefined, keyed('again'));
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await mine.usage()).toHaveLength(3);
  });

  test('a batch and a document of one key are told apart by their numbers alone', async () => {
    const { body: batch } = await mine.submit(
      { inputs: [{ Text: 'One', Targets: [{ Language: 'fr' }, { Language: 'de' }] }] },
      keyed('shared'),
    );
    const { body: pages } = await submit(long, undefined, keyed('shared'));
    expect(pages[0].id).toBe(batch[1].id);
    expect(ids(batch)).not.toContain(pages[1].id);
  });

  test('C 7: a key of 255 characters serves, one of 256 is 422', async () => {
    const form = () => {
      const parts = new FormData();
      parts.append('target_lang', 'fr');
      parts.append('source_document', new File(['Hello'], 'a.txt', { type: 'text/plain' }));
      return parts;
    };
    const raw = (key: string) =>
      mine.post('Hello', { 'content-type': 'text/plain', ...keyed(key) }, '?target_lang=fr');
    const [fits, over] = ['k'.repeat(255), 'k'.repeat(256)];
    expect((await mine.post(form(), keyed(fits))).status).toBe(200);
    expect((await raw(`r${fits.slice(1)}`)).status).toBe(200);
    expect((await mine.post(form(), keyed(over))).status).toBe(422);
    expect((await raw(over)).status).toBe(422);
    expect((await submit('Hello', undefined, keyed(over))).status).toBe(422);
  });
});

describe('B 8: each page is billed as it completes', () => {
  test('by its own characters', async () => {
    const { body } = await submit(long);
    expect(await mine.usage()).toMatchObject(
      [5000, 5000, 2000].map((billable_chars, at) => ({ job_id: body[at].id, billable_chars })),
    );
  });
});

describe('B 2.6: source_document.name builds the names of golden downloads', () => {
  const nameOf = async (id: string, format?: string) =>
    (await mine.golden(id, format)).headers.get('content-disposition');

  test('C 4: the job of a page downloads that page', async () => {
    const { body } = await submit(`${'x'.repeat(5000)}last`, { name: 'book.md' });
    expect((await (await mine.golden(body[1].id)).text()).trim()).toBe('[fr] last');
    const names = [await nameOf(body[0].id), await nameOf(body[1].id)];
    for (const name of names) expect(name).toMatch(/^attachment;.*book.*\.txt/);
    expect(new Set(names).size).toBe(2);
    expect(await nameOf(body[0].id, 'docx')).toMatch(/^attachment;.*book.*\.docx/);
    expect(await nameOf(body[0].id, 'pdf')).toMatch(/^attachment;.*book.*\.pdf/);
  });

  test('without the code of the source language, once with that of the target, as the suggestion says, too', async () => {
    const { body } = await submit('Hello', { name: 'con.en.md' });
    const { headers } = await mine.golden(body[0].id, 'pdf');
    expect(headers.get('content-disposition')).toBe('attachment; filename="_con.fr.pdf"');
    expect(headers.get('x-suggested-filename')).toBe('_con.fr.pdf');
  });
});
