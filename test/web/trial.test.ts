import { describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const { app } = useBillingApp({ TRIAL_CHARS: '1000', BASE_URL: '' });
const browser = useBrowser(app);
describe.skipIf(withoutBrowser)('a member on a trial', () => {
  test('sees before sending that files need a plan, and one number of characters on all screens', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.getByText('Files need a plan.').waitFor();
    await page.getByText('The free trial covers texts.').waitFor();
    expect(await page.locator('input[type=file]').count()).toBe(0);
    await page.getByText('1,000 of 1,000 characters left').waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'menu.docx'));
      const target = document.querySelector('h1') as Element;
      target.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page
      .locator('[aria-live]')
      .filter({ hasText: 'Files need a plan.' })
      .waitFor({ state: 'attached' });
    expect(await page.getByText('menu.docx').count()).toBe(0);
    expect(sent.filter((url) => /documents|translations/.test(url))).toEqual([]);

    await page.getByRole('link', { name: 'Open billing' }).click();
    await page.getByText('of 1,000 characters left').waitFor();
    await page.getByText(/Free trial until .*: texts in the browser/).waitFor();
    expect(await page.getByText('500,000 characters left').count()).toBe(0);
    await page.goto('/app/reports');
    await page.getByText('1,000 of 1,000 characters remaining.').waitFor();
  });
});
