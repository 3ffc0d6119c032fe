import type { BrowserContext } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { maxFonts, type Screen, screens, watchFiles } from '#test/bench/web/first-load.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, found, submit } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);

/** Opens a screen in a new tab, and expects that its files are within the limits. */
async function expectSmall(context: BrowserContext, path: string, { ready, most }: Screen): Promise<void> {
  const page = await context.newPage();
  const load = watchFiles(page);
  await page.goto(path);
  await page.locator(ready.selector).first().waitFor();
  await page.waitForLoadState('networkidle');
  const { files, fonts, names } = load();
  // Without these, the test would measure nothing.
  expect(names.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(2);
  expect(fonts).toBeGreaterThan(0);
  expect(files, names.join('\n')).toBeLessThanOrEqual(most);
  expect(fonts, names.join('\n')).toBeLessThanOrEqual(maxFonts);
  await page.close();
}

describe.skipIf(withoutBrowser)('the first load', () => {
  test('of the sign-in, the inbox and the editor is within the limits', async () => {
    const founder = await found(app);
    // The preview of a workbook is small. Those of Word files and PDFs load more, after the editor can be used.
    const id = await addDocument(app, founder, { source_document: workbookFile(['Pay {sum} in 30 days.']) });
    await submit(app, founder, { metadata: { sensitive: true } });
    const { context } = await browser.person('/about');
    await expectSmall(context, '/signin', screens.signIn);
    await context.addCookies([await sessionCookie(app, founder)]);
    await expectSmall(context, '/app', screens.inbox);
    await expectSmall(context, `/app/edit/documents/${id}`, screens.editor);
  });
});
