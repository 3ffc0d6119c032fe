import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { keyed, useWorkspace } from './workspace.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const app = useTestApp({ env });

const mine = useWorkspace(app);

async function expectNoJob(by = mine) {
  expect(await by.list()).toEqual([]);
}

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A form with a `source_document` part, and what else it says. */
function form(
  name: string,
  type: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = { target_lang: 'fr' },
) {
  const parts = new FormData();
  for (const [field, value] of Object.entries(fields)) parts.append(field, value);
  parts.append('source_document', new File([content], name, { type }));
  return parts;
}

const upload = (
  name: string,
  type: string,
  content: string | Uint8Array<ArrayBuffer>,
  fields?: Record<string, string>,
  headers = {},
) => mine.post(form(name, type, content, fields), headers);

describe('multipart/form-data (B 4.1)', () => {
  test('a text file returns an array, one job a page, each finished inline', async () => {
    const { status, body } = await upload('note.txt', 'text/plain', 'Größe 😀');
    expect(status).toBe(200);
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({
      status: 'published',
      final_translation: '[fr] Größe 😀',
      request: {
        ...{ source_text: 'Größe 😀', source_lang: 'en', target_lang: 'fr' },
        metadata: {
          source_document: {
            name: 'note.txt',
            content_type: expect.stringMatching(/^text\/plain/),
            size_bytes: Buffer.byteLength('Größe 😀'),
            page_number: 1,
            page_count: 1,
          },
        },
      },
    });
    expect(await mine.read(body[0].id)).toEqual(body[0]);
  });

  test('the other fields of a request are fields of the form', async () => {
    const { status, body } = await upload('note.txt', 'text/plain', 'Hallo', {
      source_lang: 'DE',
      target_lang: 'pt-br',
      domain: 'legal',
      tone: 'formal',
      gender: 'feminine',
    });
    expect(status).toBe(200);
    expect(body[0]).toMatchObject({
      status: 'awaiting_review',
      request: {
        source_lang: 'de',
        target_lang: 'pt-BR',
        domain: 'legal',
        tone: 'formal',
        gender: 'feminine',
      },
    });
  });

  test('no upload, an empty one, and one of blanks are 400', async () => {
    const fields = new FormData();
    fields.append('target_lang', 'fr');
    const answers = [
      await mine.post(fields, {}),
      await upload('empty.txt', 'text/plain', ''),
      await upload('blank.txt', 'text/plain', ' \n\t\r\n '),
      await upload('blank.html', 'text/html', '<html><body><p> </p></body></html>'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
    for (const { body } of answers) expect(body.detail).toEqual(expect.any(String));
    await expectNoJob();
  });
});

describe('a raw body (B 4.1)', () => {
  const raw = (
    content: string | Uint8Array<ArrayBuffer>,
    type: string,
    query = '?target_lang=fr',
    headers = {},
  ) => mine.post(content, { 'content-type': type, ...headers }, query);

  test.each(['TEXT/Plain; charset=utf-8', 'text/x-anything', 'application/xml', 'application/octet-stream'])(
    '%s: target_lang is in the query, the file is source_document.txt',
    async (type) => {
      const content = type.includes('xml') ? '<note>Hello</note>' : 'Hello';
      const { status, body } = await raw(content, type);
      expect(status, JSON.stringify(body)).toBe(200);
      expect(body).toHaveLength(1);
      expect(body[0].request.source_text).toContain('Hello');
      expect(body[0].request.target_lang).toBe('fr');
      expect(body[0].request.metadata.source_document).toMatchObject({
        name: 'source_document.txt',
        size_bytes: content.length,
        page_number: 1,
        page_count: 1,
      });
    },
  );

  test('the file name is that of X-Source-Filename, or of the query', async () => {
    const named = await raw('Hello', 'text/plain', undefined, { 'x-source-filename': 'from-header.md' });
    expect(named.body[0].request.metadata.source_document.name).toBe('from-header.md');
    const asked = await raw('Hello', 'text/plain', '?target_lang=fr&filename=from%20query.txt');
    expect(asked.body[0].request.metadata.source_document.name).toBe('from query.txt');
  });

  test('a JSON text in a text body is text', async () => {
    const content = JSON.stringify({ source_text: 'x', target_lang: 'de', inputs: [] });
    const { status, body } = await raw(content, 'text/plain');
    expect(status).toBe(200);
    expect(body[0].request.target_lang).toBe('fr');
    expect(body[0].request.source_text).toContain('source_text');
  });

  test('octet-stream of an extension that is not accepted is 415', async () => {
    const { status, body } = await raw('Hello', 'application/octet-stream', '?target_lang=fr&filename=a.bin');
    expect([status, body.detail]).toEqual([415, 'unsupported source_document type']);
    await expectNoJob();
  });

  test.each(['application/zip', xlsx])('an unlisted type (%s) is parsed as JSON', async (type) => {
    const { status, body } = await raw('Hello', type);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/^invalid JSON body: /)]);
    await expectNoJob();
  });
});

describe('which files are flattened (B 4.1)', () => {
  test.each(['.htm', '.md', '.TXT'])('the extension %s, whatever the content type', async (extension) => {
    const content = /xml|html?/.test(extension) ? '<p>Hello</p>' : '"Hello"';
    const { status, body } = await upload(`file${extension}`, 'application/octet-stream', content);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body[0].request.source_text).toContain('Hello');
  });

  test.each([
    ['picture.png', 'image/png'],
    ['file.txt.exe', 'application/octet-stream'],
  ])('any other is 415: %s as %s', async (name, type) => {
    const { status, body } = await upload(name, type, 'Hello');
    expect([status, body.detail]).toEqual([415, 'unsupported source_document type']);
    await expectNoJob();
  });
});

describe('the page count of a text document (B 8)', () => {
  test('more than 50000 characters are fine in a file: no page has as many', async () => {
    const { status, body } = await upload(
      'long.txt',
      'text/plain',
      'x'.repeat(60_000),
      undefined,
      keyed('long'),
    );
    expect(status).toBe(200);
    expect(body).toHaveLength(12);
    expect(await mine.usage()).toHaveLength(12);
  });
});
