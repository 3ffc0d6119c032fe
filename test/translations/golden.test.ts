import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useWorkspace } from './workspace.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const mine = useWorkspace(app);

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const disposition = (response: Response) => response.headers.get('content-disposition') ?? '';

/** The text that an upload of a downloaded file would read. */
async function textIn(download: Response, format: string): Promise<string> {
  const type = download.headers.get('content-type')!;
  const { status, body } = await mine.post(
    new Uint8Array(await download.arrayBuffer()),
    { 'content-type': type },
    `?target_lang=de&filename=download.${format}`,
  );
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body[0].request.source_text.trim();
}

describe('the formats (B 4.1, C 4)', () => {
  test('txt, also where none is named: UTF-8 text', async () => {
    const job = await mine.job({ source_text: 'Grüße 世界 😀' });
    for (const format of [undefined, 'txt']) {
      const download = await mine.golden(job.id, format);
      expect(download.status).toBe(200);
      expect(download.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect((await download.text()).trim()).toBe('[fr] Grüße 世界 😀');
    }
  });

  test.each([
    ['docx', docx, 'PK'],
    ['pdf', 'application/pdf', '%PDF-'],
  ])('%s is %s, and holds the translation', async (format, type, magic) => {
    const job = await mine.job({ source_text: 'A letter to the city' });
    const download = await mine.golden(job.id, format);
    expect(download.status).toBe(200);
    expect(download.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await download.clone().arrayBuffer());
    expect(bytes.subarray(0, magic.length).toString()).toBe(magic);
    expect((await textIn(download, format)).replace(/\s+/g, ' ')).toBe('[fr] A letter to the city');
  });
});

describe('the Content-Disposition is an attachment (B 4.1)', () => {
  const named = (name: string) =>
    mine
      .submit({ source_text: 'Hello', target_lang: 'fr', metadata: { source_document: { name } } })
      .then(({ body }) => body[0]);

  test('RFC 6266: a name beyond ASCII travels in filename*', async () => {
    const job = await named('Übersicht 世界 می\u200cروم.txt');
    const header = disposition(await mine.golden(job.id, 'pdf'));
    const extended = /filename\*=UTF-8''([^;]+)/i.exec(header)?.[1];
    const name = decodeURIComponent(extended ?? '');
    expect(name).toContain('Übersicht 世界 می\u200cروم');
    expect(name).toMatch(/\.pdf$/);
    expect(header).toMatch(/^[\x20-\x7e]+$/);
    expect(header).toMatch(/filename="?[^"*]*\.pdf"?/);
  });

  test.each([
    ['a quote', 'a"; filename="evil.exe'],
    ['a path', '../../etc/passwd'],
    ['nothing', ''],
    ['a great length', `${'x'.repeat(250)}.txt`],
  ])('%s in the name does no harm', async (_, name) => {
    const job = await named(name);
    const download = await mine.golden(job.id);
    expect(download.status).toBe(200);
    expect(download.headers.get('set-cookie')).toBeNull();
    const header = disposition(download);
    expect(header.length).toBeLessThan(2000);
    const plain = /filename="((?:[^"\\]|\\.)*)"|filename=([^;"]+)/.exec(header);
    const given = (plain?.[1] ?? plain?.[2] ?? '').replaceAll(/\\(.)/g, '$1');
    expect(given).toMatch(/\.txt$/);
    expect(given).not.toMatch(/[/\\\r\n]/);
    const extended = decodeURIComponent(/filename\*=UTF-8''([^;]+)/i.exec(header)?.[1] ?? 'none.txt');
    expect(extended).toMatch(/\.txt$/);
    expect(extended).not.toMatch(/[/\\]/);
  });
});

describe('only published and human_edited jobs can be downloaded (B 3.1)', () => {
  test('a held one is 409, until it is approved', async () => {
    const job = await mine.job({ domain: 'legal' });
    for (const format of ['txt', 'docx', 'pdf']) expect((await mine.golden(job.id, format)).status).toBe(409);
    await mine.review(job.id, { action: 'save', final_translation: 'Salut' });
    expect((await mine.golden(job.id)).status).toBe(409);
    await mine.review(job.id, { action: 'approve' });
    expect((await (await mine.golden(job.id)).text()).trim()).toBe('Salut');
  });
});
