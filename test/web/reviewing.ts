import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Person as Member } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { Person, PersonOptions, useBrowser } from './browser.ts';

/** Options for expectations that poll. */
export const patient = { timeout: 10_000 };

/** The jobs of a workspace that await review, oldest first. @param headers credentials of the workspace */
export async function waitingJobs(
  app: Pick<TestApp, 'json'>,
  headers: Record<string, string>,
  texts: readonly string[],
  targetLang = 'fr',
): Promise<{ id: string }[]> {
  const jobs: { id: string }[] = [];
  for (const source_text of texts) {
    const { status, body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text, target_lang: targetLang, metadata: { sensitive: true } },
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.status).toBe('awaiting_review');
    jobs.push(body);
  }
  return jobs;
}

/** Loads the editor of texts, and waits until the first text is open. */
export async function openReview(page: Page): Promise<void> {
  await page.goto('/app/edit/texts');
  await field(page).waitFor();
}

/** Opens a URL of the application in a separate browser in which a member is signed in. */
export async function memberAt(
  browser: ReturnType<typeof useBrowser>,
  { email, password }: Pick<Member, 'email' | 'password'>,
  path: string,
  options?: PersonOptions,
): Promise<Person> {
  const person = await browser.person(path, { ...options, member: { email, password } });
  await person.page.locator('#main h1').waitFor();
  return person;
}

/** Fills in and submits the sign-in form of a page. */
export async function signInAt(
  page: Page,
  { email, password }: Pick<Member, 'email' | 'password'>,
): Promise<void> {
  const address = page.locator('input[name=username]');
  await address.waitFor();
  if (await address.isEditable()) await address.fill(email);
  await page.locator('input[name=password]').fill(password);
  await page.locator('button[type=submit]').last().click();
}

/** Waits until the text with this source is open in the editor. */
export async function opened(page: Page, source: string): Promise<void> {
  await page.waitForFunction(
    (text) =>
      document
        .querySelector('textarea[data-edited]')
        ?.closest('[role=row]')
        ?.querySelector('[role=gridcell]')
        ?.textContent?.includes(text),
    source,
  );
}

/** The text field with the translation. */
export function field(page: Page) {
  return page.locator('textarea[data-edited]');
}

/** Waits until the live region announces a text. */
export async function said(page: Page, words: string | RegExp): Promise<void> {
  await page.locator('[aria-live=polite]').getByText(words).waitFor({ state: 'attached' });
}

/** Loads the page again, and notes in its variable `replaced` each text that the application sets in a field. */
export async function noteReplaced(page: Page): Promise<void> {
  await page.addInitScript(`
    globalThis.replaced = [];
    const { set, get } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
    Object.defineProperty(HTMLTextAreaElement.prototype, 'value', {
      get,
      set(text) { replaced.push(text); set.call(this, text); },
    });`);
  await page.reload();
  await field(page).waitFor();
  await page.evaluate('replaced.length = 0');
}
