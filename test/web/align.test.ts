import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signedIn } from './founder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** A manual and its translation: a heading that only the translation has, a sentence as two, and another figure. */
const english = `<h1>Handbook</h1>
<p>Please do not copy the 2 keys of house A7. Ask us for more sets.</p>
<p>The building closes at 22:00. Use the side door after that.</p>
<p>In an emergency, call the concierge on 555 0142.</p>
<p>Bins are emptied on Tuesday and Friday mornings.</p>
<p>Report a leak under +49 30 1234 within 24 hours.</p>`;
const german = `# Handbuch

Bitte machen Sie keine Kopien der 2 Schlüssel von Haus A7. Fragen Sie uns nach weiteren Sätzen.

Das Gebäude schließt um 23:00 Uhr. Benutzen Sie danach die Seitentür.

Notfall

Rufen Sie im Notfall den Hausmeister unter 555 0142 an.

Die Tonnen werden dienstags geleert. Freitags ebenso.

Melden Sie ein Leck innerhalb von 24 Stunden unter +49 30 1234.
`;

const choose = (page: Page, side: string, name: string, text: string) =>
  page
    .getByRole('group', { name: side })
    .locator('input[type=file]')
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(text) });

/** The shown rows as texts, without the head. */
const rowsOf = (page: Page) => page.locator('[role=grid] [role=row][data-index]').allInnerTexts();

async function alignFiles(page: Page, name: string) {
  await page.waitForURL('**/app/memories/align');
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  for (const [side, language] of [
    ['Source document', 'English'],
    ['Translation', 'German'],
  ] as const)
    await page.getByRole('group', { name: side }).getByLabel('Language').selectOption(language);
  await choose(page, 'Source document', 'handbook.html', english);
  await choose(page, 'Translation', 'handbuch.md', german);
  await page.getByRole('button', { name: 'Align' }).click();
  await page.getByRole('grid').waitFor();
}

describe.skipIf(withoutBrowser)('an administrator at /app/memories/align', () => {
  test('sees at the side of a file why it is refused', async () => {
    const { page } = await signedIn(app, browser, '/app/memories/align');
    const target = page.getByRole('group', { name: 'Translation' });
    await page.getByRole('button', { name: 'Align' }).click();
    await target.getByText('Select a file.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Old');
    await page.getByRole('group', { name: 'Source document' }).getByLabel('Language').selectOption('English');
    await target.getByLabel('Language').selectOption('English');
    await choose(page, 'Source document', 'handbook.html', english);
    const other = Array.from({ length: 12 }, (_, index) => `Kapitel ${index + 70} über Gärten.`).join(' ');
    await choose(page, 'Translation', 'garten.txt', other);
    await page.getByRole('button', { name: 'Align' }).click();
    await target.getByText('Select two different languages.').waitFor();
    await target.getByLabel('Language').selectOption('German');
    const refusals = [
      ['garten.txt', other, "These documents don't seem to belong together."],
      ['b.docx', 'no zip', "This file can't be read. Select another one. Reason:"],
      ['b.html', '<p></p>', 'This file has no text.'],
      ['b.html', english, 'These documents have the same language.'],
    ] as const;
    for (const [name, text, message] of refusals) {
      await page
        .getByRole('button', { name: /^Remove/ })
        .last()
        .click();
      await choose(page, 'Translation', name, text);
      await expect.poll(() => target.getByRole('alert').count()).toBe(0);
      await page.getByRole('button', { name: 'Align' }).click();
      await target.getByText(message).waitFor();
    }
  });

  test('corrects links by keyboard, also after a reload, and a translation is served from them', async () => {
    const { page, apiKey } = await signedIn(app, browser, '/app/memories');
    await page.getByRole('link', { name: 'Align documents…' }).click();
    await alignFiles(page, 'House rules');
    const grid = page.getByRole('grid', { name: 'Linked sentences' });
    const active = grid.locator('[data-active]');
    await page.getByText('Figures differ: 22 and 23').waitFor();
    await grid.focus();

    // The next row to check has other figures: its text is corrected.
    await page.keyboard.press('F8');
    await expect.poll(() => active.innerText()).toContain('22:00');
    // Screen readers hear the active row, because the grid refers to it.
    expect(await grid.getAttribute('aria-activedescendant')).toBe(await active.getAttribute('id'));
    await page.keyboard.press('e');
    await page.getByLabel('Translation', { exact: true }).fill('Das Gebäude schließt um 22:00 Uhr.');
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => active.innerText()).not.toContain('Figures differ');

    // A link is divided, one sentence linked again, and everything undone and done again.
    const before = await rowsOf(page);
    const place = before.findIndex((row) => row.includes('Bins are emptied'));
    await page.keyboard.press('Home');
    for (let step = 0; step < place; step++) await page.keyboard.press('ArrowDown');
    await expect.poll(() => active.innerText()).toContain('Bins are emptied');
    await page.keyboard.press('u');
    await expect.poll(() => rowsOf(page)).toHaveLength(before.length + 2);
    await page.keyboard.press('Control+z');
    await expect.poll(async () => (await rowsOf(page)).length).toBe(before.length);
    await page.keyboard.press('u');
    await expect.poll(() => rowsOf(page)).toHaveLength(before.length + 2);
    await page.keyboard.press('l');
    await expect.poll(() => active.innerText()).toMatch(/Bins are emptied[\s\S]*By you[\s\S]*Die Tonnen/);
    await page.keyboard.press('l');
    await expect.poll(() => active.innerText()).toMatch(/Die Tonnen[\s\S]*Freitags ebenso/);

    // The work is on this device, shortly after the last change.
    const changed = await page.evaluate(() => Date.now());
    await expect
      .poll(() =>
        page.evaluate(async (since) => {
          const open = indexedDB.open('lingualoop-drafts');
          await new Promise((done) => {
            open.onsuccess = done;
          });
          const read = open.result.transaction('drafts').objectStore('drafts').getAll();
          await new Promise((done) => {
            read.onsuccess = done;
          });
          const [work] = read.result;
          return work?.changedAt >= since && Object.keys(work).sort();
        }, changed),
      )
      .toEqual(['changedAt', 'work']);
    await page.reload();
    await page.getByText('Das Gebäude schließt um 22:00 Uhr.').waitFor();
    expect((await rowsOf(page)).join()).toContain('By you');

    await page.getByRole('button', { name: /^Add \d+ segments/ }).click();
    await page.waitForURL(/\/app\/memories\/(?!align)/);
    await page.getByRole('heading', { name: 'House rules' }).waitFor();
    await page.getByText('Die Tonnen werden dienstags geleert. Freitags ebenso.').waitFor();
    await page.getByText('handbook.html').first().waitFor();
    const { body } = await app.json('POST', '/api/translations', {
      headers: { 'X-API-Key': apiKey },
      body: { source_text: 'The building closes at 22:00.', source_lang: 'en', target_lang: 'de' },
    });
    expect(body.final_translation).toBe('Das Gebäude schließt um 22:00 Uhr.');

    // Into the same memory again: everything is there already.
    await page.getByRole('link', { name: 'Align documents…' }).click();
    await choose(page, 'Source document', 'handbook.html', english);
    await choose(page, 'Translation', 'handbuch.md', german);
    await page.getByRole('button', { name: 'Align' }).click();
    await page.getByText(/House rules, \d are already there/).waitFor();
  });
});
