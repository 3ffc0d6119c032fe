import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addSegmentation, env, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { choose } from './kit.ts';
import { memberAt, said } from './reviewing.ts';

const app = useTestApp({ env });
const browser = useBrowser(app);
const path = '/app/settings/general';

const screenshots = process.env['SCREENSHOTS'];
const look = async (page: Page, name: string): Promise<void> => {
  if (screenshots) await page.screenshot({ path: `${screenshots}/text-rules-${name}.png`, fullPage: true });
};

const call = async ({ bearer }: Person, name: string, input: object) => {
  const type = ['tenants.general', 'terminology.spellingWords', 'textRules.get'].includes(name)
    ? 'query'
    : 'mutation';
  const { status, body } = await viaRpc(app, { path: name, type }, { input: { ...input }, headers: bearer });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe.skipIf(withoutBrowser)('the general settings', () => {
  test('have default languages, which are selected first; a change by another administrator is not overwritten unseen', async () => {
    const founder = await found(app);
    const { page, tab } = await memberAt(browser, founder, path);
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Hillside');
    await page.getByRole('combobox', { name: 'From' }).selectOption('English');
    await page.getByRole('button', { name: 'Add', exact: true }).press('Enter');
    await page.getByLabel('Find a language').fill('German');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await expectAccessible(page);
    const workspace = page.getByRole('region', { name: 'Workspace', exact: true });
    const save = workspace.getByRole('button', { name: 'Save' });
    await save.press('Enter');
    await said(page, 'Saved.');
    await page.getByText('Hillside').first().waitFor();

    const theirs = await call(founder, 'tenants.general', {});
    expect(theirs).toMatchObject({
      name: 'Hillside',
      default_source_lang: 'en',
      default_target_langs: ['de'],
    });
    await call(founder, 'tenants.saveGeneral', { ...theirs, name: 'Theirs' });
    await name.fill('Mine');
    await save.click();
    await page.getByText('Another administrator changed these settings').waitFor();
    expect((await call(founder, 'tenants.general', {})).name).toBe('Theirs');
    expect(await name.inputValue()).toBe('Mine');
    await save.click();
    await page.getByText('Mine').first().waitFor();

    const other = await tab();
    await other.goto('/app/translate');
    await other.waitForURL(/from=en.*to=.*de/);
    await other.getByRole('button', { name: 'English', pressed: true }).waitFor();
    // The member can still choose detection and other languages.
    await other.getByRole('button', { name: 'Detect language' }).click();
    await other.waitForURL((url) => url.searchParams.get('from') !== 'en');
  });

  test('replace the built-in segmentation by a file, and return to it', async () => {
    const founder = await found(app);
    const { page } = await memberAt(browser, founder, path);
    await page.getByText('The built-in rules are used.').waitFor();
    const upload = page.getByLabel('Upload an SRX file');
    const mine = (text: string) => ({ name: 'mine.srx', mimeType: 'text/xml', buffer: Buffer.from(text) });
    await upload.setInputFiles(mine('<srx'));
    await page.getByRole('alert').waitFor();
    // Another administrator has uploaded a file since the page was read.
    const { srx } = await addSegmentation(app, founder, 'theirs.srx');
    await upload.setInputFiles(mine(srx));
    await page.getByText('Another administrator changed the file').waitFor();
    await page.getByText('theirs.srx').waitFor();
    await upload.setInputFiles(mine(srx));
    await page.getByText('mine.srx').waitFor();
    await page.getByRole('button', { name: 'Use the built-in rules' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Use the built-in rules' }).click();
    await page.getByText('The built-in rules are used.').waitFor();
  });

  test('have keys and placeholders, which can be tried before they are saved', async () => {
    const founder = await found(app);
    const { page } = await memberAt(browser, founder, path, { viewport: { width: 390, height: 900 } });
    const card = page.getByRole('region', { name: 'Keys and placeholders' });
    await card.getByLabel('Keys of front matter').fill('nav_label\n\n ribbon ');
    const patterns = card.getByLabel('Placeholders', { exact: true });
    await patterns.fill('PN-[0-9]+\n[a');
    const tried = card.getByLabel('Try the placeholders on a text');
    await tried.fill('Order PN-1234 and PN-x');
    await tried.press('Enter');
    await card.getByText('“[a”: missing closing').waitFor();
    await patterns.fill('PN-[0-9]+\n\\[\\[[A-Z]+\\]\\]');
    await card.getByRole('button', { name: 'Try' }).click();
    await card.locator('mark', { hasText: 'PN-1234' }).waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await look(page, 'phone');
    expect((await call(founder, 'textRules.get', {})).placeholders).toEqual([]);
    // Another administrator has saved other rules since the page was read.
    await call(founder, 'textRules.save', { keys: ['theirs'], attributes: [], placeholders: [] });
    const save = card.getByRole('button', { name: 'Save' });
    await save.click();
    await card.getByText('Another administrator changed these settings').waitFor();
    await save.click();
    await said(page, 'Saved.');
    expect(await call(founder, 'textRules.get', {})).toMatchObject({
      keys: ['nav_label', 'ribbon'],
      placeholders: ['PN-[0-9]+', '\\[\\[[A-Z]+\\]\\]'],
    });
    await page.setViewportSize({ width: 1280, height: 900 });
    await look(page, 'desktop');
  });

  test('words of the spelling check are found and removed, also on a phone', async () => {
    const founder = await found(app);
    for (const word of ['Parzelle', 'Lattenrost', 'foo'])
      await call(founder, 'terminology.setSpellingWord', { lang: 'en', word });
    const { page } = await memberAt(browser, founder, '/app/style-guides', {
      viewport: { width: 390, height: 800 },
    });
    const list = page.getByRole('region', { name: 'Words of the spelling check' });
    await choose(list, 'Language', 'English');
    await list.getByText('Lattenrost').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await list.getByLabel('Find a word').fill('PARZ');
    await list.getByText('Lattenrost').waitFor({ state: 'detached' });
    await list.getByRole('button', { name: 'Remove Parzelle' }).press('Enter');
    await list.getByText('No results.').waitFor();
    expect(await call(founder, 'terminology.spellingWords', { lang: 'en' })).toEqual({
      words: ['Lattenrost', 'foo'],
    });
  });
});
