import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeDemoWorkspace, servicesFor } from '#server/demo/demo-workspace.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { demoTenantId } from '#server/identity/access/visits.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const app = useTestApp({ env: { DEMO_WORKSPACE: 'true' } });
const browser = useBrowser(app);

beforeAll(async () => {
  await makeDemoWorkspace(app.services);
  const rows = await app.database.inTenant(demoTenantId, (tx) =>
    tx.execute(sql`select document_id from document_jobs`),
  );
  for (const { document_id: id } of rows)
    await runDocument(servicesFor(app.services, demoTenantId), demoTenantId, String(id));
});

describe.skipIf(withoutBrowser)('the demo workspace', () => {
  test('a visitor looks at a file with findings, can change nothing, and leaves to sign up', async () => {
    const { page } = await browser.person('/');
    const requests: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400 && !response.url().endsWith('/signin/refresh'))
        requests.push(`${response.status()} ${response.url()}`);
    });
    await page.getByRole('link', { name: 'Explore the demo workspace' }).click();
    await page.getByText('This is a demo workspace.').waitFor();
    const size = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    const bar = page.getByRole('complementary', { name: 'Demo', exact: true });
    const heights = () => bar.evaluate((element) => [element.scrollHeight, element.clientHeight]);
    const [needed = 0, shown = 0] = await heights();
    expect(needed).toBeLessThanOrEqual(shown);
    await page.setViewportSize(size);
    await page.goto('/app/translate');
    await page.waitForURL('/app');
    await page.getByRole('link', { name: /Files/ }).first().click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.goto('/app');
    await page.getByRole('link', { name: /Open next/ }).click();
    const field = page.getByRole('textbox', { name: /Translation of/i }).first();
    await field.waitFor();
    await page.getByText('The number 6.05 of the source is missing.').first().waitFor();
    await page.getByRole('textbox').first().waitFor();
    expect(await page.locator('textarea[readonly]').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Confirm Ctrl/ }).isDisabled()).toBe(true);
    await page.getByRole('tab', { name: 'History' }).click();
    expect(requests).toEqual([]);
    await page.getByRole('link', { name: 'Create a workspace' }).click();
    await page.waitForURL(/\/signin\?found=true/);
    await page.goto('/app');
    await page.waitForURL(/\/signin/);
  });
});
