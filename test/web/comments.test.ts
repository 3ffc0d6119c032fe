import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { openTeam, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { expectAccessible } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { signedIn } from './founder.ts';
import { field, memberAt, patient, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

async function atComments() {
  const founder = await signedIn(app, browser, '/app/files');
  const id = await sendDocument(app, founder, workbookFile(['One', 'Two']));
  await founder.page.goto(`/app/edit/documents/${id}`);
  await field(founder.page).waitFor();
  await founder.page.getByRole('tab', { name: 'Comments' }).click();
  return founder.page;
}

const comment = (page: Page) => page.getByRole('textbox', { name: 'Write a comment' });
const listed = (page: Page) => page.getByRole('tabpanel').getByRole('listitem');
const options = (page: Page) => page.getByRole('listbox').getByRole('option');
const selected = (page: Page) => page.getByRole('listbox').getByRole('option', { selected: true });

/** A workspace with colleagues of these names, whose creator has opened the comments on the first segment. */
async function withColleagues(names: readonly string[], options: PersonOptions = {}) {
  const team = await openTeam(app);
  const unique = Math.random().toString(36).slice(2);
  const colleagues: Person[] = [];
  for (const name of names) colleagues.push(await team.join({}, `${name}@${unique}.example.org`));
  const id = await sendDocument(app, team.founder, workbookFile(['One', 'Two']));
  const { page } = await memberAt(browser, team.founder, `/app/edit/documents/${id}`, options);
  await field(page).waitFor();
  return { team, page, id, colleagues };
}

/** The comments that mention a member. */
async function mentionsOf({ bearer: headers }: Person): Promise<{ body: string }[]> {
  const { body } = await viaRpc(app, { path: 'reviews.mentions', type: 'query' }, { input: {}, headers });
  return body.mentions;
}

describe.skipIf(withoutBrowser)('comments on a segment', () => {
  test('keep a half-written text when another segment is opened', async () => {
    const page = await atComments();
    await comment(page).fill('Half a sen');
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByRole('textbox', { name: 'Translation of segment 2' }).waitFor();
    // The panel follows after the field.
    const shown = () => comment(page).inputValue();
    await expect.poll(shown, patient).toBe('');
    await page.keyboard.press('Alt+ArrowUp');
    await page.getByRole('textbox', { name: 'Translation of segment 1' }).waitFor();
    await expect.poll(shown, patient).toBe('Half a sen');
  });

  test('keep what is typed while a comment is sent, and are not sent while an input method composes', async () => {
    const page = await atComments();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/trpc/reviews.comment', async (route) => {
      await released;
      await route.continue();
    });
    await comment(page).fill('First');
    await comment(page).evaluate((element) =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, isComposing: true, bubbles: true }),
      ),
    );
    expect(await comment(page).inputValue()).toBe('First');
    await comment(page).press('Control+Enter');
    await page.keyboard.type('Second');
    release();
    await listed(page).getByText('First').waitFor();
    expect(await comment(page).inputValue()).toBe('Second');
    expect(await listed(page).count()).toBe(1);
  });
});

describe.skipIf(withoutBrowser)('mentions in comments', () => {
  test('are selected without a mouse, and the colleague finds the comment', async () => {
    const { page, colleagues } = await withColleagues(['anna', 'bert', 'berta']);
    const [anna, bert, berta] = colleagues as [Person, Person, Person];
    await page.getByRole('tab', { name: 'Comments' }).press('Enter');
    await comment(page).focus();
    await page.keyboard.type('Please look, @');
    await expect.poll(() => options(page).allTextContents()).toEqual([anna.email, bert.email, berta.email]);
    await expectAccessible(page);
    expect(await comment(page).getAttribute('aria-activedescendant')).toBe(
      await selected(page).getAttribute('id'),
    );
    await page.keyboard.type('BER');
    await expect.poll(() => options(page).allTextContents()).toEqual([bert.email, berta.email]);
    await page.keyboard.press('ArrowDown');
    expect(await selected(page).allTextContents()).toEqual([berta.email]);
    await page.keyboard.press('ArrowDown');
    expect(await selected(page).allTextContents()).toEqual([bert.email]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await expect.poll(() => options(page).count()).toBe(0);
    await page.keyboard.type('and @an');
    await selected(page).getByText(anna.email).waitFor();
    await page.keyboard.press('Tab');
    const text = `Please look, @${berta.email} and @${anna.email} `;
    expect(await comment(page).inputValue()).toBe(text);
    await page.keyboard.press('Control+Enter');
    await listed(page).getByText(`@${berta.email}`).waitFor();
    await expectAccessible(page);
    for (const member of [anna, berta])
      expect(await mentionsOf(member)).toMatchObject([{ body: text.trim() }]);
    expect(await mentionsOf(bert)).toEqual([]);
  });

  test('are not offered after Escape, and are left out if the name was deleted', async () => {
    const { page, colleagues } = await withColleagues(['anna']);
    const [anna] = colleagues as [Person];
    await page.getByRole('tab', { name: 'Comments' }).click();
    await comment(page).focus();
    await page.keyboard.type('See x@an');
    await page.keyboard.type(' or @an');
    await options(page).waitFor();
    await page.keyboard.press('Escape');
    expect(await options(page).count()).toBe(0);
    await page.keyboard.type('n');
    expect(await options(page).count()).toBe(0);
    expect(await comment(page).inputValue()).toBe('See x@an or @ann');
    await comment(page).fill('@');
    await options(page).click();
    expect(await comment(page).inputValue()).toBe(`@${anna.email} `);
    expect(await comment(page).evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Enter');
    await listed(page).first().waitFor();
    expect(await mentionsOf(anna)).toEqual([]);
  });

  test('fit on a phone and into an Arabic interface, also for comments on a text', async () => {
    const { page, team, colleagues } = await withColleagues(['anna', 'bert'], {
      locale: 'ar',
      viewport: { width: 390, height: 844 },
    });
    await waitingJobs(app, team.founder.key, ['A text']);
    await page.goto('/app/edit/texts');
    await field(page).waitFor();
    await page.getByRole('button', { name: 'اللوحة الجانبية' }).click();
    await page.getByRole('tab', { name: 'التعليقات' }).click();
    const body = page.getByRole('tabpanel').getByRole('textbox');
    await body.pressSequentially('انظر @be');
    await options(page).waitFor();
    await expectAccessible(page);
    const box = await options(page).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
    await options(page).click();
    expect(await body.inputValue()).toBe(`انظر @${colleagues[1]?.email} `);
  });
});
