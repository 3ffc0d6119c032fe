import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { madePdf } from '../formats/pdf-made.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument } from './document-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

const line = (text: string, x: number, y: number, size = 12) =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

/** A page with a title in two pieces, a text with two sentences, and a number of a room. */
const menu = [
  line('Half a', 60, 340, 24),
  line('dozen oysters', 60, 280, 24),
  line('Please ask our staff before you order. Open from noon.', 60, 200),
  line('Table 12', 60, 120),
  line('ROOM-2047-B', 60, 60),
].join('\n');

/** Opens a page in the page view. */
async function openPage(contents = [menu, line('Second page', 60, 300)]) {
  const bytes = await madePdf(...contents.map((content) => ({ content })));
  const file = new File([new Uint8Array(bytes)], 'menu.pdf', { type: 'application/pdf' });
  const opened = await openDocument(app, browser, file);
  const { page, id, apiKey } = opened;
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.getByRole('radio', { name: 'Page', exact: true }).waitFor();
  await page.keyboard.press('Alt+p');
  const paper = page.getByRole('listbox', { name: 'Texts of page 1' });
  await paper.getByRole('option').first().waitFor();
  return {
    ...opened,
    paper,
    text: (name: RegExp) => paper.getByRole('option', { name }),
    status: page.locator('[data-kind]'),
    /** The sources of the document, in the reading order. */
    sources: async () =>
      (await opened.segments()).map((one) => (one as unknown as { source_text: string }).source_text),
    mend: (mend: object) =>
      app.json('POST', '/trpc/documents.mend', {
        headers: { 'x-api-key': apiKey },
        body: { json: { document_id: id, mend } },
      }),
  };
}

describe.skipIf(withoutBrowser)('the page view', () => {
  test('joins texts that are selected with the pointer, and undoes and redoes it with the keys of edits', async () => {
    const { page, text, status, sources } = await openPage();
    const before = await sources();
    await text(/Half a/).click();
    await text(/dozen oysters/).click({ modifiers: ['Shift'] });
    await page.getByText('Makes one text: Half a dozen oysters').waitFor();
    await page.getByText('1 text is translated again, 20 characters').waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await status.getByText('Joined 2 texts. The page was set in').waitFor();
    expect(await sources()).toEqual(['Half a dozen oysters', ...before.slice(2)]);
    await text(/Half a dozen oysters/)
      .and(page.locator('[aria-selected=true]'))
      .waitFor();
    await page.keyboard.press('Control+z');
    await text(/dozen oysters/)
      .nth(0)
      .waitFor();
    await expect.poll(sources).toEqual(before);
    await page.keyboard.press('Control+Shift+z');
    await expect.poll(sources).toEqual(['Half a dozen oysters', ...before.slice(2)]);
  });

  test('joins with the keys only, which act on the page but not in the list', async () => {
    const { page, paper, status, sources } = await openPage();
    const before = await sources();
    await page.getByRole('grid', { name: 'Segments' }).focus();
    await page.keyboard.press('k');
    await paper.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+ArrowDown');
    expect(await paper.locator('[aria-selected=true]').count()).toBe(2);
    expect(await sources()).toEqual(before);
    await page.keyboard.press('j');
    await status.getByText('Joined 2 texts.').waitFor();
    expect(await sources()).toEqual(['Half a dozen oysters', ...before.slice(2)]);
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.getByText('Join the selected texts').waitFor();
    expect(await help.getByText('can’t be split').count()).toBe(0);
  });

  test('divides a text at the places between its words that are cut', async () => {
    const { page, text, status, sources, segments } = await openPage();
    await text(/Please ask/).click();
    await page.keyboard.press('s');
    const words = page.getByRole('group', { name: 'Split segment 3' });
    await words.getByRole('button', { name: 'order. | Open' }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Split into 3 texts' }).waitFor();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await status.getByText('Split into 2 texts.').waitFor();
    const parts = ['Please ask our staff before you order.', 'Open from noon.'];
    expect((await sources()).slice(2, 4)).toEqual(parts);
    expect((await segments()).slice(2, 4).map(({ target_text }) => target_text)).toEqual(
      parts.map((part) => `[fr] ${part}`),
    );
  });

  test('keeps a text as it is, and translates it again, and a number that was never translated', async () => {
    const { page, text, targets, status, sources } = await openPage();
    await text(/Half a/).click();
    await page.keyboard.press('k');
    await status.getByText('Kept 1 text as it is.').waitFor();
    expect((await targets())[0]).toBe('Half a');
    await text(/Half a. Kept as it is/).waitFor();
    await page.keyboard.press('t');
    await status.getByText('Translated 1 text.').waitFor();
    expect((await targets())[0]).toBe('[fr] Half a');
    await text(/ROOM-2047-B. Kept as it is/).click();
    await page.getByText('1 text is translated again, 11 characters').waitFor();
    await page.keyboard.press('t');
    await text(/^Segment \d+. ROOM-2047-B$/).waitFor();
    expect(await sources()).toContain('ROOM-2047-B');
  });

  test('moves a text in the reading order, with the keys and by its handle', async () => {
    const { page, text, status, sources } = await openPage();
    const before = await sources();
    await text(/Please ask/).click();
    await page.keyboard.press('o');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await sources()).toEqual(before);
    await page.keyboard.press('Enter');
    await status.getByText('Changed the reading order.').waitFor();
    const [first = '', second = '', third = '', ...rest] = before;
    expect(await sources()).toEqual([third, first, second, ...rest]);
    const row = page.getByRole('row', { name: /Half a/ });
    const handle = await row.getByTitle('Drag to change').boundingBox();
    const target = await page.getByRole('row', { name: /dozen oysters/ }).boundingBox();
    await page.mouse.move(handle!.x + 5, handle!.y + 5);
    await page.mouse.down();
    await page.mouse.move(handle!.x + 5, target!.y + target!.height - 2, { steps: 4 });
    await page.mouse.up();
    await expect.poll(sources).toEqual([third, second, first, ...rest]);
    // On the second page, the first place follows the last text of the first one.
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByRole('listbox', { name: 'Texts of page 2' }).getByRole('option').first().waitFor();
    expect(await page.getByRole('option', { name: /Half a/ }).count()).toBe(0);
  });

  test('names the text between two that are not neighbors, and selects all of them', async () => {
    const { page, text, sources } = await openPage();
    const before = await sources();
    await text(/Half a/).click();
    await text(/Please ask/).click({ modifiers: ['Control'] });
    await page.keyboard.press('j');
    await page.getByRole('toolbar').getByText('Join needs neighbors. Segment 2 is between').waitFor();
    await page.getByRole('button', { name: 'Select all between' }).click();
    await page.getByText('Makes one text: Half a dozen oysters Please').waitFor();
    expect(await sources()).toEqual(before);
  });

  test('shows the texts of a colleague who was faster, and makes nothing', async () => {
    const { page, text, status, mend, sources } = await openPage();
    await text(/Half a/).click();
    await text(/dozen oysters/).click({ modifiers: ['Shift'] });
    const { body } = await mend({ action: 'split', region_id: 'p1.b2', at: [6] });
    expect(body.result.data.json.removed).toEqual([1]);
    await page.keyboard.press('j');
    await status.getByText('Someone else split a selected text. Join was not made.').waitFor();
    await text(/^Segment \d+. oysters/).waitFor();
    expect((await sources()).slice(0, 3)).toEqual(['Half a', 'dozen', 'oysters']);
  });

  test('queues fixes while it is offline, also over a reload, and Undo takes the latest one', async () => {
    const { page, context, text, status, sources } = await openPage();
    const before = await sources();
    await text(/Half a/).click();
    await text(/dozen oysters/).click({ modifiers: ['Shift'] });
    await context.setOffline(true);
    await page.keyboard.press('j');
    await status.getByText('Offline. 1 fix is queued.').waitFor();
    await text(/Table 12|Please ask/)
      .first()
      .click();
    await page.keyboard.press('k');
    await status.getByText('Offline. 2 fixes are queued in your order.').waitFor();
    await page.keyboard.press('Control+z');
    await status.getByText('Offline. 1 fix is queued.').waitFor();
    expect(await sources()).toEqual(before);
    await context.setOffline(false);
    await expect.poll(sources, { timeout: 15_000 }).toEqual(['Half a dozen oysters', ...before.slice(2)]);
    await page.route('**/trpc/documents.mend', (route) => route.fulfill({ status: 503, body: '' }));
    await text(/Please ask/).click();
    await page.keyboard.press('k');
    await status.getByText('1 fix is queued.').waitFor();
    await page.unroute('**/trpc/documents.mend');
    await page.reload();
    await text(/Please ask.* Kept as it is/).waitFor();
  });

  test('makes a fix at the other places like it, and undoes them together', async () => {
    const column = (labels: string[]) =>
      labels.map((label, index) => line(label, 60, 350 - 60 * (index >> 1) - (index % 2) * 30)).join('\n');
    const { page, text, status, sources } = await openPage([
      column(['Allergies to', 'medicines', 'Name of your', 'family doctor']),
      column(['Smoking', 'Alcohol', 'Date of your', 'last visit']),
    ]);
    await text(/Allergies/).click();
    await text(/medicines/).click({ modifiers: ['Shift'] });
    await page.keyboard.press('j');
    await status.getByRole('button', { name: '3 other places like this' }).waitFor();
    const joined = await sources();
    await page.keyboard.press('Alt+a');
    const dialog = page.getByRole('dialog', { name: '3 other places like this' });
    expect(
      await dialog
        .getByRole('checkbox')
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).checked)),
    ).toEqual([false, true, true]);
    await dialog.getByText('2 texts are translated again, 49 characters').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Join 2 places' }).click();
    await status.getByText('Fixed 2 places.').waitFor();
    const labels = ['Allergies to medicines', 'Name of your family doctor', 'Smoking', 'Alcohol'];
    expect(await sources()).toEqual([...labels, 'Date of your last visit']);
    await page.keyboard.press('Control+z');
    await expect.poll(sources).toEqual(joined);
  });

  test('shows both readings of a place to look at, and uses the other one or marks it as right', async () => {
    const title = ['Annual Epidemiology and Clinical', 'Research Methods Summer Session'];
    const doubtful = [
      line(title[0]!, 60, 300, 20),
      line(title[1]!, 60, 276, 20),
      line('Nothing else.', 60, 100),
    ];
    const { page, paper, text, status, sources } = await openPage([doubtful.join('\n')]);
    const places = page.getByRole('region', { name: '1 place to look at' });
    await places.waitFor();
    await paper.focus();
    await page.keyboard.press('End');
    expect(await places.getByText('Other reading').count()).toBe(0);
    await page.keyboard.press('F8');
    await places.getByText('1 of 1').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Alt+Enter');
    await status.getByText('Split into 2 texts.').waitFor();
    expect(await sources()).toEqual([...title, 'Nothing else.']);
    expect(await places.count()).toBe(0);
    await page.keyboard.press('Control+z');
    await places.waitFor();
    await text(/Place to look at/).click();
    await page.keyboard.press('Alt+x');
    await expect.poll(() => places.count()).toBe(0);
    await page.reload();
    await text(/Annual/).waitFor();
    expect(await places.count()).toBe(0);
    expect(await sources()).toHaveLength(2);
  });

  test('fixes nothing in an approved file, and offers to reopen it', async () => {
    const { page, text, status, sources } = await openPage();
    const before = await sources();
    await page.getByRole('button', { name: 'Approve all…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve the file' }).click();
    await page.getByText('Approved', { exact: true }).first().waitFor();
    await text(/Half a/).click();
    await text(/dozen oysters/).click({ modifiers: ['Shift'] });
    await page.getByText('The file is approved, so its texts can’t be fixed.').waitFor();
    await page.keyboard.press('j');
    expect(await page.getByRole('toolbar').count()).toBe(0);
    expect(await sources()).toEqual(before);
    await page.getByText('can’t be fixed').getByRole('button').click();
    await page.getByRole('toolbar').getByText('Makes one text').waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await status.getByText('Joined 2 texts.').waitFor();
  });

  test('opens a text for editing with Enter, confirms it, and stays the view of the file', async () => {
    const { page, text, paper, targets } = await openPage();
    await text(/dozen oysters/).click();
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Translation of segment 2' });
    await expect.poll(() => field.evaluate((one) => one === document.activeElement)).toBe(true);
    await field.fill('douzaine');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('textbox', { name: 'Translation of segment 3' }).waitFor();
    await expect.poll(async () => (await targets())[1]).toBe('douzaine');
    await page.keyboard.press('Escape');
    await expect.poll(() => paper.evaluate((one) => one === document.activeElement)).toBe(true);
    await expectAccessible(page);
    await page.reload();
    await paper.getByRole('option').first().waitFor();
    await page.getByRole('radio', { name: 'Grid' }).check();
    await page.getByRole('searchbox', { name: 'Find in source' }).waitFor();
  });
});
