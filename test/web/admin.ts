import type { Page } from 'playwright-core';
import { type Person as Account, password } from '#test/factories.ts';

/** Signs in with email and password; the page continues to the requested screen. */
export async function signIn(page: Page, { email }: Pick<Account, 'email'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
