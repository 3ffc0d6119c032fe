import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { violationsOn } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp();
const { person } = useBrowser(app);

describe.skipIf(withoutBrowser)('the page of the API reference', () => {
  test('opens collapsed, and its filter opens the operations that have all words', async () => {
    const { page } = await person('/docs');
    await page.locator('.opblock-tag').first().waitFor();
    expect(await page.locator('.opblock').count()).toBe(0);
    await page.getByLabel('Filter operations').fill('POST }/review');
    await page.locator('.opblock').first().waitFor();
    const shown = await page
      .locator('.opblock-summary-path')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-path')));
    expect(shown).toEqual(['/api/translations/{job_id}/review', '/api/documents/{document_id}/review']);
    await page.getByLabel('Filter operations').fill('');
    await page.locator('.opblock').first().waitFor({ state: 'detached' });
  });

  test('sends a request with the key entered under Authorize, without loading anything from other sites', async () => {
    const { apiKey } = await app.signUp();
    const { page } = await person('/docs');
    const operation = await open(page, 'get');
    const execute = operation.getByRole('button', { name: 'Execute' });
    const status = operation.locator('.live-responses-table .response-col_status').last();

    await execute.click();
    await status.getByText('401').waitFor();
    await authorize(page, apiKey);
    await execute.click();
    await status.getByText('200').waitFor();
    expect(await operation.locator('.live-responses-table .microlight').first().innerText()).toBe('[]');
  });

  test('translates the unchanged example, and ignores the session cookie', async () => {
    const { accessToken, apiKey } = await app.signUp();
    const { page, context } = await person('/docs');
    await context.addCookies([{ name: 'll_session', value: accessToken, url: app.address }]);
    const operation = await open(page, 'post');
    await authorize(page, apiKey);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await (await sent).allHeaders())['cookie']).toBeUndefined();
    await operation.locator('.live-responses-table .response-col_status').last().getByText('200').waitFor();
    const answer = JSON.parse(
      (await operation.locator('.live-responses-table .microlight').first().innerText()) || '{}',
    ) as { status?: string };
    expect(answer.status).toBe('published');
  });
});

test.skipIf(withoutBrowser)('every guide is accessible', async () => {
  const { page } = await person('/docs/guides/');
  const guides = await page
    .locator('nav.guides a')
    .evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  expect(guides.length).toBeGreaterThan(20);
  for (const guide of guides) {
    await page.goto(`${app.address}${guide}`);
    expect([guide, await violationsOn(page)]).toEqual([guide, []]);
  }
});

/** Opens the entry of an operation at /api/translations. */
async function open(page: Page, method: 'get' | 'post'): Promise<Locator> {
  await page.locator('.opblock-tag', { hasText: 'Translate texts' }).click();
  const path = page.locator('[data-path="/api/translations"]');
  const operation = page.locator(`.opblock-${method}`).filter({ has: path });
  await operation.locator('.opblock-summary-control').click();
  return operation;
}

async function authorize(page: Page, apiKey: string): Promise<void> {
  await page.locator('.auth-wrapper > .authorize').click();
  const dialog = page.locator('.dialog-ux');
  // The dialog has no field for the cookie, because a page cannot set it.
  expect(await dialog.locator('input').count()).toBe(3);
  const field = dialog.locator('.auth-container').filter({ hasText: 'The API key of a workspace.' });
  await field.locator('input').fill(apiKey);
  await field.getByRole('button', { name: 'Apply credentials' }).click();
  await dialog.locator('.close-modal').click();
}
