import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, unreachable } from './document-editor.ts';
import { corpusDocument } from './document-files.ts';
import { field, patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const refusal = (page: Page) => page.getByText('Not saved: segment 1. Save or discard these changes first.');

describe.skipIf(withoutBrowser)('actions on a document with edits', () => {
  test('approve what was typed just before', async () => {
    const { page, targets, document } = await openDocument(app, browser, ['One', 'Two']);
    await field(page).fill('Un');
    await page.getByRole('button', { name: 'Approve all…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve the file' }).click();
    await expect.poll(async () => (await document()).approved_at, patient).not.toBeNull();
    expect((await targets())[0]).toBe('Un');
  });

  test.each([
    'xlsx/structured-references.xlsx',
    'docx/header-footer-fields.docx',
    'pdf/made-rotations-labels-links.pdf',
  ])('render the corrected file, which can be reopened: %s', async (path) => {
    const file = corpusDocument(path);
    const { page, targets, document } = await openDocument(app, browser, file);
    await field(page).fill('Bref');
    await page.getByText(/Saved \d/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(file.name.replace(/\.\w+$/, '.fr$&'));
    await page.getByRole('button', { name: 'Approve all…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve the file' }).click();
    await page.getByText('Approved', { exact: true }).waitFor();
    expect((await targets())[0]).toBe('Bref');
    const reopen = page.getByRole('button', { name: 'Reopen' });
    await reopen.click();
    await reopen.waitFor({ state: 'detached' });
    expect(await document()).toMatchObject({ status: 'translated', approved_at: null });
  });

  test('approve and download nothing while an edit is not stored, and name its segment', async () => {
    const { page, document } = await openDocument(app, browser, ['One', 'Two']);
    await unreachable(page);
    await field(page).fill('Un');
    await page.getByRole('button', { name: 'Approve all…' }).click();
    const dialog = page.getByRole('dialog');
    await refusal(page).waitFor();
    expect(await dialog.getByRole('button', { name: 'Approve the file' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Download' }).click();
    await refusal(page).waitFor();
    expect((await document()).approved_at).toBeNull();
  });

  test('delete the document together with the edits on this device', async () => {
    const { page } = await openDocument(app, browser, ['One', 'Two']);
    await unreachable(page);
    await field(page).fill('Un');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/app/files');
    // Without drafts, signing out asks nothing.
    await signOut(page);
    await page.waitForURL('**/signin*');
  });
});
