import type { Page } from 'playwright-core';

/** Opens the popover of the signed-in member, and returns it. */
async function openAccount(page: Page) {
  await page.getByRole('banner').locator('[aria-haspopup=dialog]').click();
  const popover = page.getByRole('dialog');
  await popover.waitFor();
  return popover;
}

/** Signs out in the popover of the member. */
export async function signOut(page: Page): Promise<void> {
  const popover = await openAccount(page);
  await popover.getByRole('button').last().click();
}

/** Selects a language of the interface. */
export async function selectInterfaceLanguage(page: Page, locale: string): Promise<void> {
  const popover = await openAccount(page);
  await popover.locator('select:has([value=ar])').selectOption(locale);
  await page.keyboard.press('Escape');
  await popover.waitFor({ state: 'hidden' });
}
