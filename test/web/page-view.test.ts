import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const line = (text: string, x: number, y: number, size = 12) =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

/** A page with a title in two pieces, a text with two sentences, and a number. */
const menu = [
  line('Half a', 60, 340, 24),
  line('dozen oysters', 60, 280, 24),
  line('Please ask our staff before you order. Open from noon.', 60, 200),
  line('Table 12', 60, 120),
  line('19.50', 60, 60),
].join('\n');

/** Opens a page in the page view. */
async function openPage(prepare?: (page: Page) => Promise<unknown>) {
  const bytes = await madePdf({ content: menu }, { content: line('Second page', 60, 300) });
  const file = new File([new Uint8Array(bytes)], 'menu.pdf', { type: 'application/pdf' });
  const opened = await openDocument(app, browser, file);
  const { page, id, apiKey } = opened;
  await page.setViewportSize({ width: 1440, height: 1000 });
  await prepare?.(page);
  await page.getByRole('radio', { name: 'Page', exact: true }).waitFor();
  await page.keyboard.press('Alt+p');
  const paper = page.getByRole('listbox', { name: 'Texts of page 1' });
  await paper.getByRole('option').first().waitFor();
  return {
    ...opened,
    paper,
    text: (name: RegExp) => paper.getByRole('option', { name }),
    status: page.locator('[data-kind]'),
    /** The sources of the document, in the reading order. */
    sources: async () =>
      (await opened.segments()).map((one) => (one as unknown as { source_text: string }).source_text),
    mend: (mend: object) =>
      app.json('POST', '/trpc/documents.mend', {
        headers: { 'x-api-key': apiKey },
        body: { document_id: id, mend },
      }),
  };
}

describe.skipIf(withoutBrowser)('the page view', () => {
  test('joins texts that are selected with the pointer, and undoes and redoes it with the keys of edits', async () => {
    const { page, text, status, sources } = await openPage();
    const before = await sources();
    await text(/Half a/).click();
    await text(/dozen oysters/).click({ modifiers: ['Shift'] });
    await page.getByText('Makes one text: Half a dozen oysters').waitFor();
    await page.getByText('1 text is translated again, 20 characters').waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await status.getByText('Joined 2 texts. The page was set in').waitFor();
    expect(await sources()).toEqual(['Half a dozen oysters', ...before.slice(2)]);
    await text(/Half a dozen oysters/)
      .and(page.locator('[aria-selected=true]'))
      .waitFor();
    await page.keyboard.press('Control+z');
    await text(/dozen oysters/)
      .nth(0)
      .waitFor();
    await expect.poll(sources).toEqual(before);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(sources).toEqual(['Half a dozen oysters', ...before.slice(2)]);
  });
});
