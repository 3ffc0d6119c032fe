import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { openTeam } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectAccessible } from './accessibility.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { sendDocument } from './document-files.ts';
import { memberAt, patient, signInAt } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens a translated document of three segments in the browsers of two members. */
async function atDocument() {
  const team = await openTeam(app);
  const colleague = await team.join();
  const { founder } = team;
  const id = await sendDocument(app, founder, workbookFile(['Hello', 'Goodbye', 'Thanks']));
  const path = `/app/edit/documents/${id}`;
  const person = await memberAt(browser, founder, path);
  const headers = founder.bearer;
  const segments = async () =>
    (await app.json('GET', `/api/documents/${id}/segments`, { headers })).body.segments;
  return {
    ...person,
    founder,
    colleague,
    path,
    targets: async () => (await segments()).map((one: { target_text: string }) => one.target_text),
    /** Corrects a segment over the API, as a program of a colleague would. */
    async correct(index: number, target_text: string) {
      const { region_id, cell_id } = (await segments())[index];
      const body = { corrections: [{ region_id, cell_id, target_text }] };
      expect((await app.json('POST', `/api/documents/${id}/review`, { headers, body })).status).toBe(200);
    },
  };
}

const left = (page: Page) => page.getByRole('region', { name: 'Unapplied corrections' });
const field = (page: Page, number: number) =>
  page.getByRole('textbox', { name: `Translation of segment ${number}` });

async function type(page: Page, number: number, text: string): Promise<void> {
  await page.getByRole('button', { name: `Open segment ${number}`, exact: true }).click();
  await field(page, number).fill(text);
}

/** After 300 ms, a text is in the browser's storage. */
const stored = (page: Page) => page.waitForTimeout(300);

/** Waits until this many texts are listed at sign-out, and then cancels the sign-out. */
async function signOutLists(page: Page, texts: readonly string[]): Promise<void> {
  await signOut(page);
  const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
  await dialog
    .getByRole('listitem')
    .nth(texts.length - 1)
    .waitFor();
  for (const text of texts) expect(await dialog.getByText(text, { exact: true }).count()).toBe(1);
  expect(await dialog.getByRole('listitem').count()).toBe(texts.length);
  await dialog.getByRole('button', { name: 'Stay signed in' }).click();
}

describe.skipIf(withoutBrowser)(
  'corrections of a document that were not applied',
  { timeout: 40_000 },
  () => {
    test('are offered as differences after a crash and a reload, never applied automatically, and deleted after that', async () => {
      const { page, tab, context, path, targets } = await atDocument();
      await type(page, 1, 'Salut');
      await type(page, 3, 'Merci');
      await stored(page);
      const crashed = page.waitForEvent('crash');
      void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
      await crashed;

      const second = await tab();
      await second.goto(path);
      await left(second).getByText('You have 2 unapplied corrections').waitFor();
      expect(await left(second).locator('ins').allTextContents()).toEqual(
        expect.arrayContaining(['Merci', 'Salut']),
      );
      expect(await second.getByRole('region', { name: 'Corrections', exact: true }).count()).toBe(0);
      await second.reload();
      await left(second).getByText('You have 2 unapplied corrections').waitFor();
      expect(await targets()).toEqual(['[fr] Hello', '[fr] Goodbye', '[fr] Thanks']);
      await expectAccessible(second);
      // A document cannot be approved while it has unapplied corrections.
      expect(await second.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
      await signOutLists(second, ['Salut', 'Merci']);

      const thanks = left(second).getByRole('listitem').filter({ hasText: 'Merci' });
      await thanks.getByRole('button', { name: 'Discard' }).click();
      await left(second).getByText('You have 1 unapplied correction').waitFor();
      await left(second).getByRole('button', { name: 'Restore it' }).click();
      await left(second).waitFor({ state: 'detached' });
      await second.getByRole('button', { name: 'Apply 1 correction' }).click();
      await expect.poll(targets, patient).toEqual(['Salut', '[fr] Goodbye', '[fr] Thanks']);
      await second.getByRole('region', { name: 'Corrections', exact: true }).waitFor({ state: 'detached' });
      await signOut(second);
      await second.waitForURL('**/signin*');
    });

    test('are kept when the document is closed, and include the translation that they replace', async () => {
      const { page, correct, targets } = await atDocument();
      await type(page, 1, 'Mine');
      await type(page, 2, 'Au revoir');
      await page.getByRole('link', { name: 'All files' }).click();
      await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
      await correct(0, 'Theirs');
      await page.goBack();
      await left(page).getByText('The translation has changed since.').waitFor();
      await left(page).getByRole('button', { name: 'Restore all' }).click();
      const conflict = page.getByRole('alert');
      for (const text of ['[fr] Hello', 'Theirs', 'Mine'])
        await conflict.getByText(text, { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Apply 2 corrections' }).isDisabled()).toBe(true);
      await conflict.getByRole('button', { name: 'Keep theirs' }).click();
      await page.getByRole('button', { name: 'Apply 1 correction' }).click();
      await expect.poll(targets, patient).toEqual(['Theirs', 'Au revoir', '[fr] Thanks']);
    });

    test('are never shown to another member in the same browser', async () => {
      const { page, path, founder, colleague } = await atDocument();
      await type(page, 1, 'Confidentiel');
      const leave = async () => {
        await signOut(page);
        const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
        await dialog.getByRole('button', { name: 'Keep and sign out' }).click();
        await page.waitForURL('**/signin*');
      };
      await leave();
      await page.goto(path);
      await signInAt(page, colleague);
      await page.getByText('3 segments', { exact: true }).waitFor();
      await type(page, 2, 'A correction of the colleague');
      await stored(page);
      await page.reload();
      await left(page).getByText('You have 1 unapplied correction').waitFor();
      expect(await page.getByText('Confidentiel').count()).toBe(0);
      await leave();
      await page.goto(path);
      await signInAt(page, founder);
      await left(page).getByText('You have 1 unapplied correction').waitFor();
      expect(await left(page).locator('ins').allTextContents()).toContain('Confidentiel');
    });

    test('are shown as not saved if the browser blocks storage, and leaving asks first', async () => {
      const { page, path, targets } = await atDocument();
      await page.addInitScript(() => {
        IDBObjectStore.prototype.put = () => {
          throw new DOMException('the disk is full', 'QuotaExceededError');
        };
      });
      await page.goto(path);
      await type(page, 1, 'Salut');
      await page.getByText("This browser can't save drafts").waitFor();
      const asked = page.waitForEvent('dialog');
      const leaving = page.getByRole('link', { name: 'All files' }).click();
      const dialog = await asked;
      expect(dialog.message()).toContain('1 correction is not applied and will be lost.');
      await dialog.dismiss();
      await leaving;
      expect(await field(page, 1).inputValue()).toBe('Salut');
      // The corrections can still be applied.
      await page.getByRole('button', { name: 'Apply 1 correction' }).click();
      await expect.poll(targets, patient).toEqual(['Salut', '[fr] Goodbye', '[fr] Thanks']);
    });

    test('of two tabs are separate, and each is offered only after its tab was closed', async () => {
      const { page, tab, path } = await atDocument();
      await type(page, 1, 'From the first tab');
      await stored(page);
      const second = await tab();
      await second.goto(path);
      await type(second, 1, 'From the second tab');
      expect(await left(second).count()).toBe(0);
      await signOutLists(second, ['From the first tab', 'From the second tab']);
      expect(await field(page, 1).inputValue()).toBe('From the first tab');
      await page.close();
      await second.reload();
      await left(second).getByText('You have 2 unapplied corrections').waitFor();
      // Of each segment, only the latest text is restored; the other one is still offered.
      await left(second).getByRole('button', { name: 'Restore all' }).click();
      await left(second).getByText('You have 1 unapplied correction').waitFor();
      await second.getByRole('button', { name: 'Open segment 1', exact: true }).click();
      expect(await field(second, 1).inputValue()).toBe('From the second tab');
      await left(second).getByRole('button', { name: 'Discard it' }).click();
      await left(second).waitFor({ state: 'detached' });
      await signOutLists(second, ['From the second tab']);
    });
  },
);
