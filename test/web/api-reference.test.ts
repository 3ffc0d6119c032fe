import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp();
const { person } = useBrowser(app);

describe.skipIf(withoutBrowser)('the page of the API reference', () => {
  test('sends a call with the key that is entered, without anything from elsewhere', async () => {
    const { apiKey } = await app.signUp();
    const { page } = await person('/docs');
    const operation = operationOf(page, 'get');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const execute = operation.getByRole('button', { name: 'Execute' });
    const status = operation.locator('.live-responses-table .response-col_status').last();

    await execute.click();
    await status.getByText('401').waitFor();
    await page.getByLabel('API key or access token').fill(apiKey);
    await execute.click();
    await status.getByText('200').waitFor();
    expect(await operation.locator('.live-responses-table .microlight').first().innerText()).toBe('[]');
  });

  test('translates with the example as it stands, and ignores the session cookie', async () => {
    const { accessToken, apiKey } = await app.signUp();
    const { page, context } = await person('/docs');
    await context.addCookies([{ name: 'll_session', value: accessToken, url: app.address }]);
    const operation = operationOf(page, 'post');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await page.getByLabel('API key or access token').fill(apiKey);
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

function operationOf(page: Page, method: 'get' | 'post'): Locator {
  return page.locator(`.opblock-${method}`).filter({ has: page.locator('[data-path="/api/translations"]') });
}
