import type { Page } from 'playwright-core';
import { type Person as Account, password } from '#test/factories.ts';

/** Signs in by address and password; the page goes on to where the person wanted to. */
export async function signIn(page: Page, { email }: Pick<Account, 'email'>): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
