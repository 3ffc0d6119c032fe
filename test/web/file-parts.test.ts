import { describe, expect, test } from 'vitest';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { useTestApp } from '#test/setup/app.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { type Founder, signedIn } from './founder.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const twoPages = await madePdf(
  ...['First page', 'Second page'].map((text) => ({ content: `BT /F 12 Tf 50 300 Td (${text}) Tj ET` })),
);
const upload = (name: string, bytes: Uint8Array | string = 'not read') => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(bytes),
});

async function documents({ apiKey }: Founder) {
  const { body } = await app.json('GET', '/api/documents', { headers: { 'x-api-key': apiKey } });
  return body.jobs ?? body.items ?? body;
}

describe.skipIf(withoutBrowser)('the parts of a file', () => {
  test('are offered as its format supports them, by the table of the service', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file');
    await page
      .getByLabel('files to translate')
      .setInputFiles([upload('a.xlsx'), upload('b.docx'), upload('c.pdf'), upload('d.txt')]);
    const offered = async (name: string) => {
      const row = page.getByRole('listitem').filter({ hasText: name });
      const summary = row.locator('summary');
      if ((await summary.count()) === 0) return undefined;
      await summary.click();
      return {
        pages: (await row.getByRole('textbox').count()) > 0,
        include: await row.getByRole('checkbox').count(),
        output: await row.getByRole('group', { name: 'Result' }).getByRole('radio').count(),
      };
    };
    for (const [name, format] of Object.entries({
      'a.xlsx': 'xlsx',
      'b.docx': 'docx',
      'c.pdf': 'pdf',
    } as const)) {
      const { pages, include, output } = layoutKinds[format];
      expect(await offered(name)).toEqual({
        pages: pages !== null,
        include: include.length,
        output: output.length > 1 ? output.length : 0,
      });
    }
    expect(await offered('d.txt')).toBeUndefined();
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 700 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });

  test('that the service rejects are an error at their field; corrected, they are sent', async () => {
    const founder = await signedIn(
      app,
      browser,
      '/app/translate?kind=file&from=en&to=%5B%22fr%22,%22de%22%5D',
    );
    const { page } = founder;
    await page.getByLabel('files to translate').setInputFiles(upload('two.pdf', twoPages));
    await page.locator('summary').getByText('Pages and result').click();
    const pages = page.getByRole('textbox', { name: 'Pages', exact: true });
    await pages.fill('2-9');
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await expect.poll(() => pages.getAttribute('aria-invalid'), patient).toBe('true');
    const described = await pages.evaluate((field) =>
      (field.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent)
        .join(' '),
    );
    expect(described).toContain('the file has 2 pages');
    expect(await pages.evaluate((field) => field === document.activeElement)).toBe(true);
    await pages.fill('2');
    expect(await pages.getAttribute('aria-invalid')).toBeNull();
    await page.getByRole('radio', { name: 'Bilingual file' }).check();
    await page.getByRole('button', { name: 'Translate 1 file' }).click();
    await expect.poll(async () => (await documents(founder)).length, patient).toBe(2);
    for (const { request } of await documents(founder))
      expect(request).toMatchObject({ pages: ['2'], output: 'bilingual' });
  });

  test('that were left out are named in the report, and one click translates the file again with them', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, corpusDocument('xlsx/rich-text-image-comments.xlsx'));
    await page.goto(`/app/edit/documents/${id}`);
    await page.getByRole('tab', { name: /^Issues/ }).click();
    await page
      .locator('summary')
      .getByText(/^Score /)
      .click();
    const comments = page.getByRole('checkbox', { name: /^comments: \d+ text/ });
    expect(await comments.isChecked()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Translate again with these' }).click();
    await page.waitForURL(
      (url) => url.pathname.startsWith('/app/edit/documents/') && !url.pathname.includes(id),
    );
    const [latest] = await documents(founder);
    expect(latest.request.include).toContain('comments');
  });
});
