import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import {
  addDocument,
  addGlossary,
  addMemory,
  addStyleGuide,
  openTeam,
  submitHeld,
  withAuthenticator,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { tooWideOn, violationsOn } from './accessibility.ts';
import { signOut } from './account.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { field } from './reviewing.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', STORAGE_BINDING_ENABLED: 'true' } });
const browser = useBrowser(app);

const ways: [string, PersonOptions][] = [
  ['English, light', { locale: 'en', colorScheme: 'light' }],
  ['Arabic, dark, 320 px', { locale: 'ar', colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
];

/** Creates a workspace with a member who has an authenticator, and opens a browser of the workspace's creator. */
async function atWork(options: PersonOptions) {
  const team = await openTeam(app);
  const { page, context } = await browser.person('/about', options);
  await context.addCookies([await sessionCookie(app, team.founder)]);
  const faults: string[] = [];
  /** Checks the current page. */
  const look = async (what: string) => {
    for (const fault of [...(await violationsOn(page)), ...(await tooWideOn(page))])
      faults.push(`${what}: ${fault}`);
  };
  /** Opens a dialog, checks it, and closes it with Escape. */
  const dialog = async (what: string, open: () => Promise<unknown>) => {
    await open();
    await page.locator('dialog[open]').last().waitFor();
    await look(what);
    const before = await page.locator('dialog[open]').count();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog[open]').count()).toBe(before - 1);
  };
  return { team, page, context, faults, look, dialog };
}

/** Opens all disclosures. */
const disclose = (page: Page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>('main details')) one.open = true;
  });

describe.skipIf(withoutBrowser).each(ways)(
  'dialogs and menus over a screen are accessible: %s',
  (_, options) => {
    test('members, invites, the API key, storage', async () => {
      const { team, page, faults, look, dialog } = await atWork(options);
      const colleague = await withAuthenticator(app, await team.join());
      await page.goto('/app/settings/members');
      const row = page.locator('[aria-labelledby=roster] tr', { hasText: colleague.email });
      await row.locator('button').click();
      await page.locator('dialog[open]').waitFor();
      await look('a member');
      const actions = page.locator('dialog[open] .actions').first().locator('button');
      await dialog('the authenticator', () => actions.nth(1).click());
      await dialog('revoking', () => page.locator('dialog[open] button.danger').click());
      await actions.first().click();
      await page.locator('dialog input[readonly]').waitFor();
      await look('a link for a password');
      await page.keyboard.press('Escape');
      await disclose(page);
      await page.locator('details form button[type=submit]').click();
      await page.locator('main input[readonly]').waitFor();
      await look('an invite');
      await dialog('withdrawing', () =>
        page.locator('section[aria-labelledby=invites] table button').first().click(),
      );

      await page.goto('/app/settings/api-keys');
      await page.locator('section[aria-labelledby=api-keys] table').waitFor();
      await page.locator('section[aria-labelledby=api-keys] button.primary').click();
      await page.locator('dialog[open]').waitFor();
      await look('creating a key');
      await page.locator('dialog form input').first().fill('A key');
      await page.locator('dialog input[type=password]').fill(team.founder.password);
      await page.locator('dialog button.primary').click();
      await page.locator('dialog input[readonly]').waitFor();
      await look('a new key');
      await page.locator('dialog button.primary').click();
      const buttons = page.locator('section[aria-labelledby=api-keys] tbody tr:last-child button');
      for (const [n, name] of ['editing a key', 'rotating a key', 'revoking a key'].entries())
        await dialog(name, () => buttons.nth(n).click());

      await addStyleGuide(app, team.founder);
      await page.goto('/app/style-guides');
      const guides = page.locator('section[aria-labelledby=guide-all] button');
      for (const [n, name] of ['editing a guide', 'deleting a guide'].entries())
        await dialog(name, () => guides.nth(n).click());

      await page.goto('/app/settings/security');
      await page.locator('section[aria-labelledby=own-authenticator] button.primary').click();
      await page.getByRole('img').waitFor();
      await look('enrollment');

      await page.goto('/app/settings/storage');
      await page.locator('section[aria-labelledby=binding] details').waitFor();
      await disclose(page);
      const binding = page.locator('section[aria-labelledby=binding]');
      await binding.locator('input[type=url]').fill('https://account.dfs.core.windows.net');
      await binding.locator('form input[dir=ltr]').nth(1).fill('lingualoop');
      await binding.locator('input[type=password]').fill('sv=2024&sig=abc');
      await binding.locator('form button[type=submit]').click();
      await dialog('leaving the account', () =>
        page.locator('section[aria-labelledby=binding] .actions button.danger').click(),
      );
      expect(faults).toEqual([]);
    });

    test('a job, documents, glossaries and memories', async () => {
      const { team, page, faults, look, dialog } = await atWork(options);
      const job = await submitHeld(app, team.founder);
      const removal = () => page.locator('main button.danger').last().click();
      await page.goto(`/jobs/${job}`);
      await dialog('deleting a job', removal);
      for (const [screen, id] of [
        ['glossaries', await addGlossary(app, team.founder)],
        ['memories', await addMemory(app, team.founder)],
      ]) {
        await page.goto(`/app/${screen}/${id}`);
        await dialog(`deleting one of the ${screen}`, removal);
        await page.goto(`/app/${screen}`);
        await page.locator('main table').waitFor();
        await disclose(page);
        await page.locator('input[type=file]').setInputFiles({
          name: screen === 'glossaries' ? 'terms.csv' : 'units.tmx',
          mimeType: 'text/plain',
          buffer: Buffer.from('one,"two\nthree'),
        });
        await page
          .locator('details form')
          .locator('input[type=text], input:not([type])')
          .first()
          .fill('Name');
        for (const select of await page.locator('details form select').all()) await select.selectOption('fr');
        await page.locator('details form button[type=submit]').click();
        await page.locator('main [role=alert]').first().waitFor();
        await look(`a wrong file for the ${screen}`);
      }

      await addDocument(app, team.founder);
      await page.goto('/app/files');
      await page.locator('tbody input[type=checkbox]').first().check();
      await dialog('approving several documents', () => page.locator('main section > b + button').click());
      expect(faults).toEqual([]);
    });

    test('the editor of texts, and signing out', async () => {
      const { team, page, faults, look, dialog } = await atWork(options);
      await submitHeld(app, team.founder);
      const other = await submitHeld(app, team.founder);
      await page.goto('/app/edit/texts');
      await field(page).waitFor();
      await disclose(page);
      await look('all filters');
      await page.keyboard.press('Escape');
      await dialog('a reason', () => page.keyboard.press('r'));
      await dialog('the keys', () => page.keyboard.press('?'));
      await dialog('the commands', () => page.keyboard.press('Control+k'));
      await dialog('what an approval of all does', () =>
        page.locator('[data-editor] button:has(.lucide-check-check)').click(),
      );
      await dialog('what a rejection of all does', () =>
        page.locator('[data-editor] button:has(.lucide-circle-slash)').first().click(),
      );

      await page.goto(`/app/edit/texts?item=${other}`);
      await field(page).fill('Mine');
      const save = { action: 'save', final_translation: 'Theirs' };
      const path = `/api/translations/${other}/review`;
      const { status } = await app.json('POST', path, { headers: team.admin, body: save });
      expect(status).toBe(200);
      await page.keyboard.press('Control+Enter');
      // The next text is opened before the conflict is known. The bar leads back to this one.
      await page.locator('[data-editor] button:has(kbd)').filter({ hasText: /O$/ }).click();
      await page.locator('[role=gridcell] dl').waitFor();
      await look('two texts of one job');
      // The next visit sends confirmations, and offers other edits.
      await field(page).fill('Mine, too');
      await page.locator('[data-editor] a[href$="/app"]').click();
      await page.locator('h1').waitFor();
      await dialog('texts that were not sent', () => signOut(page));
      await page.goto(`/app/edit/texts?item=${other}`);
      await page.locator('[data-found] ins').first().waitFor();
      await look('a text that is found again');
      expect(faults).toEqual([]);
    });
  },
);
