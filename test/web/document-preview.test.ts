import { expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import * as docx from '../formats/docx-file.ts';
import { fileOf, type Parts } from '../formats/opendocument-file.ts';
import { deckOf, paragraph, run, shape } from '../formats/pptx-file.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';
import { corpusDocument, sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const openDocumentFile = (name: string, parts: Parts): File =>
  new File([new Uint8Array(fileOf(parts))], name);

test.skipIf(withoutBrowser)(
  'a PDF page marks the segment that is open, and opens the one that is clicked in it',
  async () => {
    const { page } = await openDocument(app, browser, corpusDocument('pdf/made-rotations-labels-links.pdf'));
    const first = page.getByRole('img', { name: 'Page 1', exact: true });
    const marked = page.locator('[data-marked]').first();
    await marked.waitFor();
    /** The position of the middle of the mark on its page, which moves while the preview is painted or scrolled. */
    const middle = async () =>
      marked.evaluate(
        (mark, paper) => {
          const [inner, outer] = [mark.getBoundingClientRect(), paper!.getBoundingClientRect()];
          const isInside = inner.left >= outer.left && inner.bottom <= outer.bottom + 1;
          return (
            isInside && { x: inner.x + inner.width / 2 - outer.x, y: inner.y + inner.height / 2 - outer.y }
          );
        },
        await first.elementHandle(),
      );
    // The mark is inside the page when the canvas has been painted.
    const place = await poll(middle);
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    const paper = await first.boundingBox();
    await page.mouse.click(paper!.x + place.x, paper!.y + place.y);
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'a PDF that cannot be shown takes nothing from the other side of the document',
  async () => {
    const { page } = await openDocument(app, browser, corpusDocument('pdf/made-rotations-labels-links.pdf'));
    const first = page.getByRole('img', { name: 'Page 1', exact: true });
    await first.waitFor();
    await page.route(/\/artifacts\//, async (route) => {
      const response = await route.fetch();
      const { length } = await response.body();
      await route.fulfill({ response, body: 'x'.repeat(length) });
    });
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Source' }).check();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Translation' }).check();
    await first.waitFor();
    expect(await page.getByRole('region', { name: 'Preview' }).getByRole('alert').count()).toBe(0);
  },
);

test.skipIf(withoutBrowser)(
  'a Word file is shown in a frame that can reach nothing, which marks the open segment, and opens the one that is clicked',
  async () => {
    const { page, apiKey, id } = await openDocument(
      app,
      browser,
      corpusDocument('docx/header-footer-fields.docx'),
    );
    await page.getByRole('row').nth(3).click();
    const shown = page.frameLocator('iframe');
    const marked = shown.locator('[data-marked]');
    const { body } = await app.json('GET', `/api/documents/${id}/segments?limit=20`, {
      headers: { 'x-api-key': apiKey },
    });
    const texts: string[] = body.segments.map((one: { target_text: string }) => one.target_text);
    await marked.getByText(texts[2] as string).waitFor();
    const frame = page.frames().find((one) => one !== page.mainFrame());
    expect(await frame?.evaluate(() => self.origin)).toBe('null');
    const policy = (await app.request('/app/preview/word')).headers.get('content-security-policy');
    expect(policy?.split('; ')).toEqual(
      expect.arrayContaining(['sandbox allow-scripts', "default-src 'none'", "frame-ancestors 'self'"]),
    );
    expect(policy).not.toContain('connect-src');
    // Another segment, whose text occurs only once.
    const other = texts.findIndex(
      (text, index) => index !== 2 && texts.indexOf(text) === texts.lastIndexOf(text),
    );
    await shown
      .locator('p', { hasText: texts[other] as string })
      .first()
      .click();
    await page.getByRole('textbox', { name: `Translation of segment ${other + 1}`, exact: true }).waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'a Word file shows the results of fields: of simple ones, of those in one run, and the number of pages without a result',
  async () => {
    const mark = (type: string) => `<w:fldChar w:fldCharType="${type}"/>`;
    const oneRun = `<w:r>${mark('begin')}<w:instrText>PAGE</w:instrText>${mark('separate')}<w:t>8</w:t>${mark('end')}</w:r>`;
    const body = [
      ['Simple field ', '<w:fldSimple w:instr=" NUMPAGES "><w:r><w:t>7</w:t></w:r></w:fldSimple>'],
      ['One run ', oneRun],
      ['No result ', docx.field(' NUMPAGES ')],
    ].map(([text = '', result = '']) => docx.paragraph(docx.run(text), result));
    const file = new File([new Uint8Array(docx.wordFile(body.join('')))], 'fields.docx');
    const { page } = await openDocument(app, browser, file);
    const shown = page.frameLocator('iframe');
    for (const text of ['Simple field 7', 'One run 8', 'No result 1'])
      await shown.locator('p', { hasText: text }).waitFor();
    // A segment does not contain the results, and its paragraph is marked.
    await page.getByRole('row').nth(1).click();
    await shown.locator('[data-marked]', { hasText: 'Simple field 7' }).waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'the translated file follows a saved edit, and the preview says that it is old if it cannot',
  async () => {
    const file = corpusDocument('docx/header-footer-fields.docx');
    const { page } = await openDocument(app, browser, file);
    await page.getByRole('row').nth(3).click();
    const field = page.getByRole('textbox', { name: 'Translation of segment 3', exact: true });
    const marked = page.frameLocator('iframe').locator('[data-marked]');
    await marked.waitFor();
    await field.fill('Un texte nouveau');
    await marked.getByText('Un texte nouveau').waitFor();
    const preview = page.getByRole('region', { name: 'Preview' });
    await expect.poll(() => preview.getByRole('status').textContent()).toBe('');
    await page.route(/documents\.render/, (route) => route.fulfill({ status: 500, body: '' }));
    await field.fill('Un texte perdu');
    await preview.getByText('The preview could not be updated').waitFor();
    await page.unroute(/documents\.render/);
    await field.fill('Un texte final');
    await marked.getByText('Un texte final').waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'a workbook is a grid of its cells, where a click opens one, and a filter that hides it is cleared',
  async () => {
    const founder = await signedIn(app, browser, '/app/files');
    const { page } = founder;
    const id = await sendDocument(app, founder, workbookFile(['Hello', 'Goodbye']));
    await page.goto(`/app/edit/documents/${id}?text=Goodbye`);
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    await page.getByRole('button', { name: '[fr] Hello' }).click();
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).waitFor();
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Source' }).check();
    await page.getByRole('button', { name: 'Hello', exact: true }).waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'an ODS file is a grid, in which the paragraphs of a cell are below each other',
  async () => {
    const cell =
      '<table:table-cell office:value-type="string"><text:p>Hello</text:p><text:p>Goodbye</text:p></table:table-cell>';
    const body = `<table:table table:name="Costs"><table:table-row>${cell}</table:table-row></table:table>`;
    const file = openDocumentFile('costs.ods', { kind: 'spreadsheet', body });
    const { page } = await openDocument(app, browser, file);
    await page.getByText('Costs!A1').waitFor();
    const first = page.getByRole('button', { name: '[fr] Hello' });
    const second = page.getByRole('button', { name: '[fr] Goodbye' });
    const [upper, lower] = [await first.boundingBox(), await second.boundingBox()];
    expect(lower!.y).toBeGreaterThanOrEqual(upper!.y + upper!.height - 1);
    await second.click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    expect(await page.getByLabel('Sheet').inputValue()).toBe('1');
    await expectAccessible(page);
  },
);

test.skipIf(withoutBrowser)(
  'an ODT file is a list of its texts, and an ODP file has one for each slide',
  async () => {
    const text = openDocumentFile('letter.odt', { body: '<text:p>Hello</text:p><text:p>Goodbye</text:p>' });
    const { page, apiKey } = await openDocument(app, browser, text);
    await page.getByText('Paragraph 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: '[fr] Goodbye' }).click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    expect(await page.getByLabel('Slide').count()).toBe(0);
    const body =
      '<draw:page><text:p>Hello</text:p></draw:page><draw:page><text:p>Goodbye</text:p></draw:page>';
    const id = await sendDocument(
      app,
      { apiKey },
      openDocumentFile('talk.odp', { kind: 'presentation', body }),
    );
    await page.goto(`/app/edit/documents/${id}`);
    await page.getByText('Slide 1, paragraph 1').waitFor();
    // The preview opens the slide of the open segment, and only then another one.
    await page.getByRole('button', { name: '[fr] Hello' }).waitFor();
    await page.getByLabel('Slide').selectOption('2');
    await page.getByRole('button', { name: '[fr] Goodbye' }).click();
    await page.getByText('Slide 2, paragraph 1').waitFor();
  },
);

test.skipIf(withoutBrowser)(
  'the words of a scan have their confidence, and uncertain ones are marked',
  async () => {
    const words = [
      { text: 'sure', confidence: 96, uncertain: false },
      { text: 'doubtful', confidence: 41, uncertain: true },
    ];
    const { page, id } = await openDocument(app, browser, corpusDocument('pdf/single-column.pdf'));
    const sql = openSuperuser(app.superuserUrl);
    await sql`update document_segments set words = ${sql.json(words)} where document_id = ${id} and position = 0`;
    await page.reload();
    await page.getByText('Recognized in the picture. 1 uncertain word:').waitFor();
    await page.getByText('Page 1, table 1, row 1, column 1', { exact: true }).first().waitFor();
    expect(await page.locator('mark').allInnerTexts()).toEqual(['doubtful 41%']);
    expect(await page.getByTitle('96%').innerText()).toBe('sure ');
    await expectAccessible(page);
  },
);

test.skipIf(withoutBrowser)(
  'the preview moves below the segments with both files, or is hidden, and this device remembers it',
  async () => {
    const { page } = await openDocument(app, browser, corpusDocument('pdf/made-rotations-labels-links.pdf'));
    await page.setViewportSize({ width: 1440, height: 900 });
    const file = (side: string) => page.getByRole('region', { name: `Pages of the ${side}` });
    const below = page.getByRole('button', { name: 'Preview below the segments' });
    await file('translation').waitFor();
    expect(await file('source').count()).toBe(0);
    await below.click();
    for (const side of ['source', 'translation']) await file(side).locator('[data-marked]').first().waitFor();
    await expectAccessible(page);
    const [source, translation, grid] = await Promise.all(
      [file('source'), file('translation'), page.getByRole('grid')].map((one) => one.boundingBox()),
    );
    expect(source!.x + source!.width).toBeLessThanOrEqual(translation!.x);
    expect(source!.y).toBeGreaterThanOrEqual(grid!.y + grid!.height);
    await page.reload();
    await file('source').waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Source' }).check();
    expect(await file('translation').count()).toBe(0);
    await below.click();
    expect(await file('source').count()).toBe(0);
    await page.reload();
    await below.waitFor();
    await expectAccessible(page);
    expect(await page.getByRole('region', { name: /Pages of/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Preview in the panel' }).click();
    await file('translation').waitFor();
    await below.click();
    await file('source').waitFor();
    // A narrower window has the preview in the side panel only.
    await page.setViewportSize({ width: 1200, height: 800 });
    await page.getByRole('button', { name: 'Side panel', exact: true }).click();
    await file('translation').waitFor();
    expect(await below.isVisible()).toBe(false);
    // The drawer is transparent while it opens.
    await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
    await expectAccessible(page);
  },
);

test.skipIf(withoutBrowser)(
  'a JSON file is shown by lines, marks the line of the open segment, and opens the segment of the clicked one',
  async () => {
    const source = JSON.stringify(
      {
        title: 'Files',
        menu: { open: 'Open file', close: 'Close' },
        file_one: '{{count}} file',
        file_other: '{{count}} files',
      },
      null,
      2,
    );
    const { page } = await openDocument(
      app,
      browser,
      new File([source], 'app.json', { type: 'application/json' }),
    );
    const lines = page.getByRole('region', { name: 'Preview' }).locator('[data-line]');
    const marked = page.locator('[data-line][aria-current]');
    await marked.getByText('"title": "[fr] Files"').waitFor();
    await lines.getByText('"open": "[fr] Open file"').click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    await marked.getByText('"open"').waitFor();
    await page.getByText('Line 4: menu.open').waitFor();
    await page.getByRole('row').nth(4).click();
    await page.getByText('plural form “one”, for numbers such as 0, 1').waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Source' }).check();
    await marked.getByText('"file_one": "{{count}} file"').waitFor();
    await expectAccessible(page);
  },
);

test.skipIf(withoutBrowser)(
  'slides are shown with their texts in place, mark the open segment, and open the one that is clicked',
  async () => {
    const frame = (x: number, y: number) => ({ frame: [x, y, 200, 100] as const });
    const deck = deckOf({
      slides: [
        {
          shapes:
            shape(paragraph(run('Title')), frame(72, 54)) + shape(paragraph(run('Body')), frame(360, 270)),
        },
        { shapes: shape(paragraph(run('Second'))) },
      ],
    });
    const { page } = await openDocument(
      app,
      browser,
      new File([deck as Uint8Array<ArrayBuffer>], 'talk.pptx'),
    );
    const preview = page.getByRole('region', { name: 'Preview' });
    const title = preview.getByRole('button', { name: '[fr] Title' });
    await title.and(page.locator('[aria-current]')).waitFor();
    const body = preview.getByRole('button', { name: '[fr] Body' });
    await body.click();
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    const [one, other] = [await title.boundingBox(), await body.boundingBox()];
    // Both texts have the distance that their shapes have: 40% of the width and of the height of the slide.
    expect((other!.y - one!.y) / (other!.x - one!.x)).toBeCloseTo(0.75, 1);
    await page.getByRole('row').nth(3).click();
    await preview.getByRole('button', { name: '[fr] Second' }).and(page.locator('[aria-current]')).waitFor();
    await page.getByRole('region', { name: 'Preview' }).getByRole('radio', { name: 'Source' }).check();
    await preview.getByRole('button', { name: 'Second', exact: true }).waitFor();
    await expectAccessible(page);
  },
);
