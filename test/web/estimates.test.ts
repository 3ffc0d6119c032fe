import { readFile } from 'node:fs/promises';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { runAnalysis } from '#server/analyses/run-analysis.ts';
import { failureOf } from '#server/documents/failure.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { workbook } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { folderNames, freeName, safeName } from '#web/app/screens/documents/zip-files.ts';
import { paragraph, run, wordFile } from '../formats/docx-file.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';
import { patient } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const mimeType = 'application/octet-stream';
const file = (name: string, bytes: Uint8Array | string) => ({ name, mimeType, buffer: Buffer.from(bytes) });

describe.skipIf(withoutBrowser)('a member with several files', () => {
  test('reads that a file with options has no estimate, as one whose text boxes are checked', async () => {
    const { page } = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["fr"]');
    const box = `<w:r><w:pict><w:txbxContent>${paragraph(run('In the box'))}</w:txbxContent></w:pict></w:r>`;
    await page
      .getByLabel('Choose files to translate')
      .setInputFiles([
        file('menu.xlsx', workbook('Same text')),
        file('box.docx', wordFile(paragraph(run('Outside'), box))),
      ]);
    await page.getByText('1 file with its own options has no estimate.').waitFor();
    const word = page.getByRole('listitem').filter({ hasText: 'box.docx' });
    await word.getByText('Content and result').click();
    await word.getByText('Kinds of text that the file has are already checked.').waitFor();
    expect(await word.getByLabel('Text boxes').isChecked()).toBe(true);
  });

  test('sees an estimate, starts it, reads what failed, tries again, and downloads all', async () => {
    const founder = await signedIn(app, browser, '/app/translate?kind=file&from=en&to=["fr","de"]');
    const { page, tenantId } = founder;
    const sql = openSuperuser(app.superuserUrl);
    await page
      .getByLabel('Choose files to translate')
      .setInputFiles([
        file('menu.xlsx', workbook('Same text', 'Only here')),
        file('lease.xlsx', workbook('Same text')),
        file('broken.docx', 'no zip'),
        file('nothing.docx', ''),
      ]);
    await page.getByText('The file is empty. Save it again, or select another one.').waitFor();
    await page.getByRole('button', { name: 'Estimate first' }).click();
    await page.waitForURL('**/app/estimates/*');
    const analysisId = new URL(page.url()).pathname.split('/').at(-1) as string;
    const payload = { tenantId, analysisId };
    const uploaded = async () =>
      (await sql`select 1 from analysis_files where analysis_id = ${analysisId}`).length;
    await expect.poll(uploaded, patient).toBe(3);
    // A busy machine must not end the run before the last file.
    await runAnalysis(app.services, payload, { runMs: 60_000, fileMs: 60_000 });

    const row = (name: string, language: string) =>
      page.locator('tbody').filter({ hasText: name }).getByRole('row').filter({ hasText: language });
    await expect
      .poll(() => row('lease.xlsx', 'German').getByRole('cell').allInnerTexts(), patient)
      .toEqual(['1', '2', '–', '2', '–', '–', '–', '–', '–', '–', '9', 'Covered', '–']);
    await page.getByText('broken.docx').waitFor();
    await page.getByText("1 file can't be translated").waitFor();
    await expectAccessible(page);
    await page.getByLabel('Select lease.xlsx, German').uncheck();
    const colleague = await founder.tab();
    await colleague.goto(page.url());
    await colleague.getByRole('button', { name: 'Start 4 translations' }).waitFor();
    await page.getByRole('button', { name: 'Start 3 translations' }).click();

    await page.getByText('translations finished').waitFor();
    await runAnalysis(app.services, payload);
    const documents = await sql`select document_id from document_jobs where tenant_id = ${tenantId}`;
    expect(documents).toHaveLength(3);
    for (const { document_id } of documents) await runDocument(app.services, tenantId, document_id);
    const failure = {
      ...failureOf(new Error('down'), 'map_translate', 2),
      code: 'transient_error',
      metadata: {},
    };
    await sql`update document_jobs set status = 'failed', failure = ${sql.json(failure)}
      where tenant_id = ${tenantId} and request ->> 'target_lang' = 'de'`;
    await page.reload();
    const german = row('menu.xlsx', 'German');
    await german.getByText('Failed', { exact: true }).waitFor();
    // Only failures before a possible delivery are certain to cost nothing.
    expect(await german.innerText()).not.toContain('Nothing was billed');
    expect(await row('menu.xlsx', 'French').innerText()).toContain('Awaiting review');
    expect(await row('lease.xlsx', 'German').innerText()).toContain('Not started');
    await expectAccessible(page);
    await german.getByRole('button', { name: 'Try again: menu.xlsx, German' }).click();
    await german.getByText('Queued').waitFor();
    await runAnalysis(app.services, payload);
    const [again] = await sql`select document_id from document_jobs
      where tenant_id = ${tenantId} and status = 'queued'`;
    await runDocument(app.services, tenantId, again?.['document_id']);
    await page.reload();
    await page.getByText('3 of 3 translations finished').waitFor();
    const namesOf = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      return Object.keys(unzipSync(await readFile(await download.path()))).toSorted();
    };
    expect(await page.getByRole('button', { name: 'Approved only (0)' }).isDisabled()).toBe(true);
    await sql`update document_jobs set approved_at = now(), approved_by = 'Ada'
      where tenant_id = ${tenantId} and request ->> 'target_lang' = 'fr'`;
    await page.reload();
    expect(await namesOf('Download all (3)')).toEqual([
      'drafts/de/menu.de.xlsx',
      'fr/lease.fr.xlsx',
      'fr/menu.fr.xlsx',
    ]);
    expect(await namesOf('Approved only (2)')).toEqual(['fr/lease.fr.xlsx', 'fr/menu.fr.xlsx']);
    // A file that was changed since its approval is a draft.
    await sql`update document_jobs set changed_since_approval = now()
      where tenant_id = ${tenantId} and request ->> 'target_lang' = 'fr' and source_file_name = 'menu.xlsx'`;
    await page.reload();
    await page.getByRole('button', { name: 'Approved only (1)' }).waitFor();
    expect(await namesOf('Download all (3)')).toEqual([
      'drafts/de/menu.de.xlsx',
      'drafts/fr/menu.fr.xlsx',
      'fr/lease.fr.xlsx',
    ]);
    expect(await row('menu.xlsx', 'French').innerText()).toContain('Awaiting review');

    await page.getByRole('link', { name: 'Estimates' }).first().click();
    await page.getByRole('link', { name: '3 files into French, German' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /^Delete: 3 files/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No estimates yet.').waitFor();
  });
});

test.each([
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['C:\\work\\a?.docx', 'C__work_a_.docx'],
  ['con.docx', '_con.docx'],
  ['LPT1', '_LPT1'],
  ['..', '_'],
  ['invoice\u202excod.exe', 'invoicexcod.exe'],
  ['\u200f\u0634\u0631\u062d.docx', '\u0634\u0631\u062d.docx'],
  [
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.docx',
    '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.docx',
  ],
  ['a\u0000b. . ', 'ab'],
  [`${'漢'.repeat(100)}.docx`, `${'漢'.repeat(65)}.docx`],
])('in an archive, the name %j becomes %j', (name, safe) => {
  expect(safeName(name)).toBe(safe);
});

test('folders of files with equal names differ, also without regard to case', () => {
  expect(folderNames(['a.docx', 'A.pdf', 'a.b.docx'])).toEqual(['a', 'A (2)', 'a.b']);
  const taken = new Set<string>();
  expect([freeName('x.docx', taken), freeName('X.docx', taken)]).toEqual(['x.docx', 'X (2).docx']);
});
