import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { failureOf } from '#server/documents/failure.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { AppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { freeName } from '#web/app/screens/documents/zip-files.ts';
import problems from '../../web/locales/en/problems.json' with { type: 'json' };
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { type Founder, signedIn } from './founder.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Sends a file in several languages. */
async function sendInto(founder: Founder, name: string, ...languages: string[]): Promise<string[]> {
  const ids = [];
  for (const target_lang of languages) {
    const body = new FormData();
    body.append('source_document', workbookFile([`Text of ${name}`], name));
    body.append('target_lang', target_lang);
    body.append('wait', 'true');
    const headers = { 'x-api-key': founder.apiKey };
    const response = await app.request('/api/documents/translate', { method: 'POST', headers, body });
    ids.push(((await response.json()) as { id: string }).id);
  }
  return ids;
}

const fileNames = async ({ page }: Founder) =>
  page.locator('main tbody tr').getByRole('link').filter({ hasText: '.xlsx' }).allInnerTexts();

describe.skipIf(withoutBrowser)('a member at /app/files', () => {
  test('sees translations of a file together, and filters by state, format, language and name', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const [id] = await sendInto(founder, 'menu.xlsx', 'fr', 'de');
    await sendInto(founder, 'lease.xlsx', 'fr');
    await sendDocument(app, founder, workbookFile(['Later'], 'later.xlsx'), false);
    const headers = { 'x-api-key': founder.apiKey };
    await app.json('POST', `/api/documents/${id}/approve`, { headers, body: { reviewer: 'Rev' } });
    await page.reload();
    await expect.poll(() => fileNames(founder), patient).toEqual(['menu.xlsx', 'later.xlsx', 'lease.xlsx']);
    const menu = page.getByRole('row').filter({ hasText: 'menu.xlsx' });
    expect(await menu.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^French\s+Approved$/),
      expect.stringMatching(/^German\s+0\/1\s+Not started$/),
    ]);
    await page.getByRole('button', { name: 'Awaiting review 2' }).click();
    await expect.poll(() => fileNames(founder), patient).toEqual(['lease.xlsx', 'menu.xlsx']);
    await page.getByLabel('Language', { exact: true }).selectOption('German');
    await expect.poll(() => fileNames(founder), patient).toEqual(['menu.xlsx']);
    await page.getByRole('button', { name: 'All 4' }).click();
    await page.getByLabel('Language', { exact: true }).selectOption('Language');
    await page.keyboard.press('Escape');
    await page.locator('main h1').click();
    await page.keyboard.press('/');
    await page.keyboard.type('LEASE');
    await page.waitForURL('**?text=LEASE');
    await expect.poll(() => fileNames(founder), patient).toEqual(['lease.xlsx']);
    await page.getByLabel('Format', { exact: true }).selectOption('PDF');
    await page.getByText('No files match these filters.').waitFor();
  });

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

  test('reads in words of the interface why a file failed, in the list and in the editor', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, workbookFile(['Hello'], 'locked.xlsx'), false);
    const failure = failureOf(new FileError('protected', 'locked'), 'extract', 0);
    const sql = openSuperuser(app.superuserUrl);
    await sql`update document_jobs set status = 'failed', failure = ${sql.json({ ...failure, metadata: {} })} where document_id = ${id}`;
    await page.reload();
    await page.getByRole('row').getByText(problems.file_protected).waitFor();
    await page.getByRole('link', { name: 'locked.xlsx' }).click();
    await page.locator('[data-editor]').getByText(problems.file_protected).waitFor();
    // Nothing can be confirmed in it.
    expect(await page.locator('footer').getByRole('button', { name: 'Confirm' }).isDisabled()).toBe(true);
  });

  test('sends a file again after an outage, from the list and once only, but not a file that cannot be read', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const send = (file: string) => sendDocument(app, founder, workbookFile(['Hello'], file), false);
    const sql = openSuperuser(app.superuserUrl);
    const fail = async (id: string, error: Error) => {
      const failure = sql.json({ ...failureOf(error, 'map_translate', 2), metadata: {} });
      await sql`update document_jobs set status = 'failed', failure = ${failure} where document_id = ${id}`;
    };
    const failed = await send('menu.xlsx');
    await fail(failed, new AppError('transient_error', 'no model'));
    await fail(await send('locked.xlsx'), new FileError('protected', 'locked'));
    await page.reload();
    await page.getByRole('row', { name: 'locked.xlsx' }).getByText(problems.file_protected).waitFor();
    const again = page.getByRole('button', { name: 'Translate again' });
    expect(await again.count()).toBe(1);
    await again.click();
    await page.waitForURL((url) => /documents\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(failed));
    const next = new URL(page.url()).pathname.split('/').at(-1) as string;
    const read = async (id: string) =>
      (await app.json('GET', `/api/documents/${id}`, { headers: { 'x-api-key': founder.apiKey } })).body;
    const [before, after] = [await read(failed), await read(next)];
    expect(after.request).toMatchObject({ target_lang: before.request.target_lang });
    expect([after.status, after.source_file_name]).toEqual(['queued', 'menu.xlsx']);
    expect(after.artifacts[0].sha256).toBe(before.artifacts[0].sha256);
    // The failed document leads to the same new one.
    await page.goto(`/app/edit/documents/${failed}`);
    await again.click();
    await page.waitForURL(`**/documents/${next}`);
  });

  test('downloads several files as one archive with a name for each language, and deletes them', async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    await sendInto(founder, 'menu.xlsx', 'fr', 'de');
    await sendInto(founder, 'lease.xlsx', 'fr');
    await page.reload();
    await page.getByRole('checkbox', { name: 'Select all files' }).check();
    const bar = page.getByRole('region', { name: 'Selected files' });
    await bar.getByText('2 files selected').waitFor();
    const saving = page.waitForEvent('download');
    await bar.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('translations.zip');
    const files = unzipSync(new Uint8Array(await readFile(await saved.path())));
    expect(Object.keys(files).toSorted()).toEqual([
      'drafts/lease.fr.xlsx',
      'drafts/menu.de.xlsx',
      'drafts/menu.fr.xlsx',
    ]);
    for (const bytes of Object.values(files)) expect(Buffer.from(bytes.subarray(0, 2)).toString()).toBe('PK');

    const only = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download lease.xlsx' }).click();
    expect((await only).suggestedFilename()).toBe('lease.fr.xlsx');

    await bar.getByRole('button', { name: 'Delete' }).click();
    const asked = page.getByRole('dialog', { name: 'Delete 3 documents?' });
    await asked.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No files yet.').waitFor();
    await bar.waitFor({ state: 'detached' });
  });
});

test('names in an archive are different, also without regard to case', () => {
  const taken = new Set<string>();
  const names = ['a.fr.docx', 'A.fr.docx', 'a.fr.docx', 'b', 'b'].map((name) => freeName(name, taken));
  expect(names).toEqual(['a.fr.docx', 'A (2).fr.docx', 'a (3).fr.docx', 'b', 'b (2)']);
});
