import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { inline, row, workbookOf } from '#test/formats/xlsx-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const text = (content: string) => inline(`<t xml:space="preserve">${content}</t>`);
const hostile = `&lt;script&gt;alert(1)&lt;/script&gt; ${'x'.repeat(300)}`;

/** A workbook that causes many kinds of warnings. */
const workbook = workbookOf([
  {
    name: 'Terms',
    rows: [
      ['English', 'Deutsch', 'Français', 'Context'],
      ['invoice', 'Rechnung', 'facture', 'x'],
      ['Invoice', 'Rechnung', 'facture'],
      ['bank', 'Bank', 'banque'],
      ['bank', 'Ufer', 'rive'],
      ['the', 'der', 'le'],
      ['KapiMart', 'KapiMart', 'KapiMart'],
      [' VAT ', 'MwSt.', 'TVA'],
      ['stock', 'Lager', ' '],
      ['ledger', 'Hauptbuch', 'grand livre'],
      [`term ${hostile}`, 'x', 'terme'],
    ]
      .map((cells) => row(...cells.map(text)))
      .concat(Array.from({ length: 25 }, (_, n) => row(text(`x${n}`), text('x'), text(`x${n}`))))
      .join(''),
  },
  { name: hostile.slice(0, 60), rows: row(text('a')) },
]);

const screenshots = process.env['SCREENSHOTS'];

describe.skipIf(withoutBrowser)('the import of a glossary', () => {
  test.each([
    { locale: 'en-GB', colorScheme: 'light' as const },
    { locale: 'ar', colorScheme: 'dark' as const },
  ])('shows the warnings about a workbook, and is accessible, also at 320 px ($locale)', async (options) => {
    const { page, apiKey } = await signedIn(app, browser, '/app/glossaries', options);
    const form = new FormData();
    form.append(
      'terminology_file',
      new File(['ledger,livre de comptes,en,fr'], 'a.csv', { type: 'text/csv' }),
    );
    form.append('name', 'Finance');
    await fetch(`${app.address}/api/terminology`, {
      ...{ method: 'POST', headers: { 'x-api-key': apiKey }, body: form },
    });
    await page.reload();
    await page.locator('details summary').first().click();
    await page.locator('input[type=file]').setInputFiles({
      ...{ name: 'house.xlsx', mimeType: '', buffer: Buffer.from(workbook) },
    });
    const selects = page.locator('main form select');
    await selects.nth(0).selectOption('en');
    await selects.nth(1).selectOption('fr');
    await page.locator('main form button.primary').click();
    await page.locator('#import-preview').waitFor();
    const warnings = page.locator('section[aria-labelledby=import-warnings]');
    for (const details of await warnings.locator('details:not([open])').all())
      await details.locator('summary').click();
    const texts = (await warnings.locator('details').allInnerTexts()).join('\n');
    for (const expected of [
      ...[
        'A3',
        'A4 bank → banque',
        'Finance: livre de comptes',
        'A6',
        'KapiMart → KapiMart',
        'C9',
        'Context',
      ],
    ])
      expect(texts).toContain(expected);
    if (options.locale === 'en-GB')
      expect(await warnings.locator('summary').allInnerTexts()).toEqual([
        '1 Skipped, because the source or the translation is missing.',
        '1 Not read, because only one sheet is used.',
        '2 Not used: a column or key that is not part of a glossary.',
        '1 Spaces at the start or end are removed.',
        '2 The file has another translation of the same term.',
        '1 Differs from another term only in letter case, which is ignored.',
        '1 Another glossary has a different translation of this term.',
        '26 Source and translation are the same.',
        '1 A common word, which occurs in almost every text.',
        '1 Longer than 100 characters. Import sentences as a translation memory.',
      ]);
    for (const width of [1280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      await expectAccessible(page);
      if (screenshots)
        await page.screenshot({
          path: `${screenshots}/import-${options.locale}-${width}.png`,
          fullPage: true,
        });
    }
    await page.locator('main form button.primary').click();
    await page.locator('main .notice').waitFor();
    expect(await page.locator('main .notice').innerText()).toContain('house');
  });

  test('lets the member assign the columns of a header that is not recognized', async () => {
    const { page } = await signedIn(app, browser, '/app/glossaries');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      ...{ name: 'haus.csv', mimeType: '' },
      buffer: Buffer.from('Nr,Begriff,Übersetzung,Verboten\n1,Rechnung,invoice,x\n2,Miete,rent,\n'),
    });
    await page.locator('main form select').nth(0).selectOption('de');
    await page.locator('main form select').nth(1).selectOption('en');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('not recognized as columns: “Begriff”, “Übersetzung”').waitFor();
    const columns = page.getByRole('group', { name: 'Columns' });
    await columns.getByLabel('Begriff').selectOption('Source');
    // A use has one column, so the first column has lost it.
    expect(await columns.getByLabel('Nr').inputValue()).toBe('');
    await page.getByRole('alert').getByText('Assign a column to the source').waitFor();
    await columns.getByLabel('Übersetzung').selectOption('Translation');
    await columns.getByLabel('Verboten').selectOption('Not used');
    await columns.getByLabel('The first row is a header').check();
    await expectAccessible(page);
    if (screenshots) await page.screenshot({ path: `${screenshots}/columns-rejected.png`, fullPage: true });
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Changes to haus' });
    await preview.getByText('2 added').waitFor();
    await columns.getByLabel('Nr').selectOption('Priority');
    await page.getByText('Preview the file again to apply these columns.').waitFor();
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('button', { name: 'Upload' }).waitFor();
    if (screenshots) await page.screenshot({ path: `${screenshots}/columns.png`, fullPage: true });
    await page.setViewportSize({ width: 320, height: 800 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('haus now has 2 terms.').first().waitFor();
    await page.getByRole('link', { name: 'haus' }).first().click();
    await page.getByText('Priority 2').waitFor();
    // The exported workbook has the terms, and is not empty.
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export to Excel' }).click();
    expect((await download).suggestedFilename()).toBe('haus.xlsx');
  });

  test('reads a workbook of exceljs and a JSON file, and shows which value is wrong', async () => {
    const { page } = await signedIn(app, browser, '/app/glossaries');
    const choose = (name: string, content: Uint8Array | string) =>
      page.getByLabel('File', { exact: true }).setInputFiles({
        ...{ name, mimeType: '', buffer: Buffer.from(content as string) },
      });
    await choose('house.json', '{\n  "invoice": "facture",\n  "ledger": 7\n}');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByRole('alert').getByText('the value of "ledger" must be a string').waitFor();
    await page.getByRole('figure', { name: 'Line 3 of your file' }).getByText('"ledger": 7').waitFor();
    await choose('house.xlsx', corpusFile('glossary/exceljs-columns.xlsx'));
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.getByRole('region', { name: 'Changes to house' });
    await preview.getByText('9 added').waitFor();
    await preview.getByRole('columnheader', { name: 'Cell' }).waitFor();
    await preview.getByText('Not read, because the sheet is hidden.').waitFor();
    await page.getByRole('button', { name: 'Upload' }).click();
    await page.getByText('house now has 9 terms.').first().waitFor();
    await page.getByText('hidden sheets were not read: “Drafts”').waitFor();
  });
});
