import { describe, expect, test } from 'vitest';
import { runDocument } from '#server/translation/documents/run-document.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('a reviewer at /app/files', { timeout: 40_000 }, () => {
  test('sees a document change from queued to translated without a reload, and approves several together', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page, tenantId } = founder;
    await page.getByText('No files yet.').waitFor();
    const id = await sendDocument(app, founder, workbookFile(['Hello']), false);
    await sendDocument(app, founder, workbookFile(['Goodbye']));
    await page.reload();
    const waiting = page.getByRole('row').filter({ hasText: 'Translating' });
    await waiting.waitFor();
    await runDocument(app.services, tenantId, id);
    await waiting.waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select all files' }).check();
    await page.getByRole('button', { name: 'Approve, 2 of 2 left' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    // The reviewer has not opened these documents, so each of them must be confirmed.
    const leftOut = page.getByRole('dialog', { name: '2 items were not approved' });
    await leftOut.waitFor();
    for (const box of await leftOut.getByRole('checkbox').all()) await box.check();
    await leftOut.getByRole('button', { name: 'Approve 2 items' }).click();
    await leftOut.waitFor({ state: 'detached' });
    const results = page.getByRole('region', { name: 'Results' });
    await results.waitFor();
    expect(await results.getByRole('listitem').allInnerTexts()).toEqual(
      Array(2).fill(expect.stringMatching(/^Approved/)),
    );
  });

  test.each([
    ['xlsx/structured-references.xlsx'],
    ['docx/header-footer-fields.docx'],
    ['pdf/made-rotations-labels-links.pdf'],
  ])('corrects a segment, applies it, approves and downloads the document: %s', async (path) => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, corpusDocument(path));
    await page.goto(`/app/documents/${id}`);
    await page.getByRole('button', { name: 'Open segment 1', exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Translation of segment 1' });
    await field.fill('Bref');
    await field.press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).fill('Encore');
    await page.getByRole('button', { name: 'Apply 2 corrections' }).click();
    await page.getByRole('region', { name: 'Corrections' }).waitFor({ state: 'detached' });
    await page.getByLabel(/^Corrected/).check();
    await page.getByText('2 segments', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    // A correction in this document is a critical finding, so the reviewer must confirm it.
    if (path.startsWith('docx/')) {
      const asked = page.getByRole('dialog', { name: 'Approve with critical findings?' });
      await asked.getByRole('button', { name: 'Approve anyway' }).click();
    }
    await page.getByText('Approved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the translation' }).click();
    expect((await download).suggestedFilename()).toBe(
      path.slice(path.indexOf('/') + 1).replace(/\.\w+$/, '.fr$&'),
    );
    const { body } = await app.json('GET', `/api/documents/${id}/segments?limit=2`, {
      headers: { 'x-api-key': founder.apiKey },
    });
    expect(body.segments.map((one: { target_text: string }) => one.target_text)).toEqual(['Bref', 'Encore']);
  });

  test('reopens an approved document', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, workbookFile(['Hello']));
    await page.goto(`/app/documents/${id}`);
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    const reopen = page.getByRole('button', { name: 'Reopen' });
    await reopen.click();
    await reopen.waitFor({ state: 'detached' });
    await approve.waitFor();
    const { body } = await app.json('GET', `/api/documents/${id}`, {
      headers: { 'x-api-key': founder.apiKey },
    });
    expect(body).toMatchObject({ status: 'translated', approved_at: null });
  });

  test('selects one of the texts if someone else has corrected the same segment', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page, apiKey } = founder;
    const id = await sendDocument(app, founder, workbookFile(['Hello', 'Goodbye']));
    await page.goto(`/app/documents/${id}`);
    await page.getByRole('button', { name: 'Open segment 1', exact: true }).click();
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).fill('Mine');
    const headers = { 'x-api-key': apiKey };
    const { body } = await app.json('GET', `/api/documents/${id}/segments`, { headers });
    const [{ region_id, cell_id }] = body.segments;
    const corrections = [{ region_id, cell_id, target_text: 'Theirs' }];
    await app.json('POST', `/api/documents/${id}/review`, { headers, body: { corrections } });
    await page.getByRole('button', { name: 'Apply 1 correction' }).click();
    const conflict = page.getByRole('alert');
    await conflict.getByText('Theirs', { exact: true }).waitFor();
    expect(await conflict.getByText('Mine', { exact: true }).count()).toBe(1);
    await conflict.getByRole('button', { name: 'Use mine' }).click();
    await page.getByRole('button', { name: 'Apply 1 correction' }).click();
    await page.getByRole('region', { name: 'Corrections' }).waitFor({ state: 'detached' });
    const after = await app.json('GET', `/api/documents/${id}/segments`, { headers });
    expect(after.body.segments[0].target_text).toBe('Mine');
  });
});
