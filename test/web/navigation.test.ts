import { describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { found } from '#test/factories.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signInAt } from './reviewing.ts';

const { app } = useBillingApp({ BASE_URL: '', STORAGE_BINDING_ENABLED: 'true' });
const browser = useBrowser(app);

/** Opens a screen as an administrator. */
async function administratorAt(path: string, locale: string, width: number) {
  const founder = await found(app);
  const person = await browser.person(path, { locale, viewport: { width, height: 800 } });
  await signInAt(person.page, founder);
  await person.page.locator('.frame-menu summary').waitFor();
  return person;
}

describe.skipIf(withoutBrowser)("an administrator's navigation", () => {
  test.each(['en', 'fr', 'de', 'ar', 'ja'])('has one line at 1280 px: %s', async (locale) => {
    const { page } = await administratorAt('/app/reports', locale, 1280);
    await page.locator('main h1').waitFor();
    const places = await page
      .locator('.frame-header')
      .locator('.brand, nav > a, summary, bdi, select, button')
      .evaluateAll((elements) =>
        elements.map((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return (top + bottom) / 2;
        }),
      );
    expect(places).toHaveLength(12);
    expect(Math.max(...places) - Math.min(...places)).toBeLessThan(4);
    // All controls of the header are on one line, too.
    expect((await page.locator('.frame-header').boundingBox())?.height).toBeLessThan(60);
  });

  test('opens by keyboard, marks the current page, and closes on Escape, on a selection, and on a click elsewhere', async () => {
    const { page } = await administratorAt('/app', 'en', 1280);
    const menu = page.getByText('Administration', { exact: true });
    const members = page.getByRole('navigation').getByRole('link', { name: 'Members' });
    expect(await members.isVisible()).toBe(false);
    await menu.focus();
    await page.keyboard.press('Enter');
    await members.waitFor();
    await page.keyboard.press('Tab');
    expect(await members.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await members.waitFor({ state: 'hidden' });
    expect(await menu.evaluate((summary) => summary === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Storage' }).click();
    await page.getByRole('heading', { name: 'Storage', level: 1 }).waitFor();
    await members.waitFor({ state: 'hidden' });
    expect(await menu.getAttribute('aria-current')).toBe('true');
    await menu.click();
    await members.waitFor();
    await page.locator('main').click();
    await members.waitFor({ state: 'hidden' });
  });

  test('opens between the other links in a window of 320 px, and is as wide as the window', async () => {
    const { page } = await administratorAt('/app', 'ar', 320);
    await page.locator('.frame-menu summary').click();
    await page.locator('.frame-menu a').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  });
});
