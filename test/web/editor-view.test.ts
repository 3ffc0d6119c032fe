import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const texts = ['Hello {name}, welcome', 'Pay 2,500.00 euros', 'Three', 'Four'];

/** Opens a document in the editor, in a window of this size. */
async function editorIn(width: number, height: number): Promise<Page> {
  const { page } = await openDocument(app, browser, texts, {
    before: (one) => one.setViewportSize({ width, height }),
  });
  return page;
}

const panel = (page: Page) => page.getByRole('complementary', { name: 'Help for the open segment' });
const panelButton = (page: Page) => page.getByRole('button', { name: 'Side panel' });
const rowHeight = async (page: Page) => (await page.getByRole('row').nth(3).boundingBox())?.height ?? 0;

/** Whether a part of an element is visible: no other element covers its middle. */
const isInView = (one: Locator) =>
  one.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return there !== null && (element.contains(there) || there.contains(element));
  });

describe.skipIf(withoutBrowser)('the view of the editor', () => {
  test('keeps the density and a hidden side panel on this device', async () => {
    const page = await editorIn(1440, 900);
    await panel(page).waitFor();
    const height = await rowHeight(page);
    await page.getByRole('button', { name: 'Compact rows' }).click();
    await expect.poll(() => rowHeight(page)).toBeLessThan(height);
    await panelButton(page).click();
    expect(await panel(page).count()).toBe(0);
    await expectAccessible(page);
    await page.reload();
    await field(page).waitFor();
    expect(await panel(page).count()).toBe(0);
    await expect.poll(() => rowHeight(page)).toBeLessThan(height);
  });

  test('shows the panel of a narrow window as a drawer, which closes when the reviewer types again', async () => {
    const page = await editorIn(1024, 768);
    expect(await panel(page).count()).toBe(0);
    await panelButton(page).click();
    await panel(page).waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Memory' }).focus();
    await page.keyboard.press('Escape');
    expect(await panel(page).count()).toBe(0);
    await panelButton(page).click();
    await field(page).focus();
    expect(await panel(page).count()).toBe(0);
  });

  test('shows the open segment first on a phone, with Confirm at the bottom and a list to open others', async () => {
    const page = await editorIn(390, 844);
    expect(await page.getByRole('row').getByText('Three').first().isVisible()).toBe(false);
    const confirm = page.getByRole('button', { name: 'Confirm' });
    const box = await confirm.boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(844 - 60);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'List of segments' }).click();
    await page.getByText('[fr] Three').click();
    const third = page.getByRole('textbox', { name: 'Translation of segment 3' });
    await third.waitFor();
    expect(await page.getByText('[fr] Four').isVisible()).toBe(false);
    await confirm.click();
    await page.getByRole('textbox', { name: 'Translation of segment 4' }).waitFor();
  });

  test('opens the panel of a phone from below, and leaves Confirm reachable', async () => {
    const page = await editorIn(390, 844);
    await panelButton(page).click();
    await panel(page).waitFor();
    const [sheet, confirm] = await Promise.all([
      panel(page).boundingBox(),
      page.getByRole('button', { name: 'Confirm' }).boundingBox(),
    ]);
    expect(sheet?.y).toBeGreaterThan(100);
    expect((sheet?.y ?? 0) + (sheet?.height ?? 0)).toBeLessThanOrEqual(confirm?.y ?? 0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Close the side panel' }).click();
    expect(await panel(page).count()).toBe(0);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'List of segments' }).click();
    await expectAccessible(page);
  });

  test('shows the open segment and its whole number among a thousand, in the list, the preview and on a phone', async () => {
    const thousand = Array.from({ length: 1000 }, (_, index) => `Text ${index + 1} ${'long '.repeat(30)}`);
    const { page } = await openDocument(app, browser, thousand, {
      before: (one) => one.setViewportSize({ width: 1440, height: 900 }),
    });
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    const last = page.getByRole('textbox', { name: 'Translation of segment 1000' });
    await last.waitFor();
    await expect.poll(() => isInView(last), patient).toBe(true);
    const number = page.getByRole('rowheader', { name: '1000' });
    const starts = () =>
      number.evaluate((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getBoundingClientRect().left - cell.getBoundingClientRect().left;
      });
    expect(await starts()).toBeGreaterThanOrEqual(4);

    const preview = page.getByRole('region', { name: 'Preview' });
    const cell = preview.locator('[aria-current]');
    await expect.poll(() => cell.innerText(), patient).toContain('Text 1000');
    await expect.poll(() => isInView(cell), patient).toBe(true);
    expect(await isInView(preview.getByText('Source', { exact: true }))).toBe(true);
    const above = await preview.getByRole('button', { name: /Text 999/ }).boundingBox();
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual((await cell.boundingBox())?.y ?? 0);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'List of segments' }).click();
    await expect.poll(() => isInView(last), patient).toBe(true);
    expect(await starts()).toBeGreaterThanOrEqual(0);
  });

  test('does not offer the instruction of a finding as a text to insert', async () => {
    const page = await editorIn(1440, 900);
    await field(page).fill('Bonjour {nom}');
    await page.getByText('The placeholder {nom} is not in the source').first().waitFor();
    expect(await page.getByRole('button', { name: /^Use/ }).count()).toBe(0);
  });

  test('marks the number that has changed, in the source and in the translation', async () => {
    const page = await editorIn(1440, 900);
    await page.getByText('[fr] Pay').click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).fill('Payez 2 050,00 euros');
    const marked = page.locator('[role=row][data-open] [class*=changed]');
    await expect.poll(() => marked.allInnerTexts(), patient).toEqual(['2,500.00']);
  });
});
