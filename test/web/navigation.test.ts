import { describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { found } from '#test/factories.ts';
import { violationsOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const { app } = useBillingApp({ BASE_URL: '', STORAGE_BINDING_ENABLED: 'true' });
const browser = useBrowser(app);

/** Opens a screen as an administrator. */
async function administratorAt(path: string, { locale = 'en', width = 1280 } = {}) {
  const founder = await found(app);
  const person = await browser.person(path, { locale, viewport: { width, height: 800 }, member: founder });
  await person.page.getByRole('banner').getByRole('navigation').waitFor();
  return person;
}

describe.skipIf(withoutBrowser)("an administrator's navigation", () => {
  test('has six sections in the order of the work, and marks the current one', async () => {
    const { page } = await administratorAt('/app/settings/storage');
    const links = page.getByRole('banner').getByRole('listitem').getByRole('link');
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual(['Inbox', 'Translate', 'Files', 'Language assets', 'Reports', 'Settings']);
    const current = page.locator('[aria-current=page]');
    await expect.poll(() => current.allInnerTexts()).toEqual(['Settings', 'Storage']);
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await expect.poll(() => current.allInnerTexts()).toEqual(['Settings', 'Members']);
  });

  test.each([
    ['/app/members?revoked=true', '/app/settings/members?revoked=true'],
    ['/app/usage?period=2026-01', '/app/reports?period=2026-01'],
    ['/app/jobs?status=failed', '/app/texts?status=failed'],
    ['/app/documents', '/app/files'],
    ['/app/documents/42?kind=cell&page=2', '/app/edit/documents/42?kind=cell&page=2'],
    ['/app/memories/concordance?text=rent', '/app/concordance?text=rent'],
  ])('redirects the former address %s', async (former, present) => {
    const { page } = await administratorAt(former);
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe(present);
  });

  test('shows names at every width, and only icons with names for screen readers in between', async () => {
    const { page } = await administratorAt('/app', { width: 1000 });
    const inbox = page.getByRole('banner').getByRole('link', { name: 'Inbox' });
    const rail = page.getByRole('banner');
    expect((await rail.boundingBox())?.width).toBe(60);
    expect(await inbox.getAttribute('title')).toBe('Inbox');
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => (await rail.boundingBox())?.width).toBe(390);
    const { y = 0, height = 0 } = (await rail.boundingBox()) ?? {};
    expect(y + height).toBe(844);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('a narrow window shows the current screen in the row of the settings, also after a reload', async () => {
    const { page } = await administratorAt('/app/settings/audit', { width: 390 });
    const audit = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit' });
    const isVisible = async () => {
      const { x = 0, width = 0 } = (await audit.boundingBox()) ?? {};
      return x > 0 && x + width <= 390;
    };
    await expect.poll(isVisible).toBe(true);
    await page.reload();
    await expect.poll(isVisible).toBe(true);
  });

  test('the account popover selects theme and language, closes on Escape, and signs out', async () => {
    const { page } = await administratorAt('/app', { locale: 'en' });
    const account = page.getByRole('banner').getByRole('button', { name: /Account$/ });
    await account.click();
    const popover = page.getByRole('dialog');
    await popover.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await popover.getByText('Dark', { exact: true }).click();
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.keyboard.press('Escape');
    await popover.waitFor({ state: 'hidden' });
    expect(await account.evaluate((button) => button === document.activeElement)).toBe(true);
    const dark = await background();
    // The server sends the page with the selected theme, so that it never appears in the other one.
    const response = await page.request.get('/app');
    expect(await response.text()).toContain('data-theme="dark"');
    await account.click();
    await popover.getByText('Light', { exact: true }).click();
    expect(await background()).not.toBe(dark);
    await popover.getByLabel('Interface language').selectOption('ar');
    await expect.poll(() => page.evaluate(() => document.documentElement.dir)).toBe('rtl');
    await popover.getByRole('button', { name: 'تسجيل الخروج' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/signin');
  });
});
