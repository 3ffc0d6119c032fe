import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

async function atComments() {
  const founder = await signedIn(app, browser, '/app/files');
  const id = await sendDocument(app, founder, workbookFile(['One', 'Two']));
  await founder.page.goto(`/app/edit/documents/${id}`);
  await field(founder.page).waitFor();
  await founder.page.getByRole('tab', { name: 'Comments' }).click();
  return founder.page;
}

const comment = (page: Page) => page.getByRole('textbox', { name: 'Write a comment' });
const listed = (page: Page) => page.getByRole('tabpanel').getByRole('listitem');

describe.skipIf(withoutBrowser)('comments on a segment', { timeout: 60_000 }, () => {
  test('keep a half-written text when another segment is opened', async () => {
    const page = await atComments();
    await comment(page).fill('Half a sen');
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    expect(await comment(page).inputValue()).toBe('');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).waitFor();
    expect(await comment(page).inputValue()).toBe('Half a sen');
  });

  test('keep what is typed while a comment is sent, and are not sent while an input method composes', async () => {
    const page = await atComments();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/trpc/reviews.comment', async (route) => {
      await released;
      await route.continue();
    });
    await comment(page).fill('First');
    await comment(page).evaluate((element) =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
      ),
    );
    expect(await comment(page).inputValue()).toBe('First');
    await comment(page).press('Control+Enter');
    await page.keyboard.type('Second');
    release();
    await listed(page).getByText('First').waitFor();
    expect(await comment(page).inputValue()).toBe('Second');
    expect(await listed(page).count()).toBe(1);
  });
});
