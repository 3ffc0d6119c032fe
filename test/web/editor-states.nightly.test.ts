import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { addDocument, env, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { viaRpc } from '../contract/call.ts';
import { judgingEngine } from '../reviews/judging-engine.ts';
import { tooWideOn, violationsOn } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { field } from './reviewing.ts';
import { sessionCookie } from './screens.ts';

const app = useTestApp({ env: { ...env, AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: judgingEngine() });
const browser = useBrowser(app);

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

/** A document with a placeholder, a critical segment, and a segment with a minor issue. */
const texts = ['Pay {sum} now.', 'wrong', 'odd', 'plain', 'the end'];

const call = (person: Person, path: string, input: Record<string, unknown>) =>
  viaRpc(app, { path, type: 'mutation' }, { input, headers: person.bearer });

/** Correct the first segment over the API, as a colleague would. */
async function correctFirst(person: Person, id: string): Promise<void> {
  const { body } = await app.json('GET', `/api/documents/${id}/segments`, { headers: person.bearer });
  const { region_id, cell_id } = body.segments[0];
  const corrections = [{ region_id, cell_id, target_text: 'Theirs {sum}' }];
  const review = { headers: person.bearer, body: { corrections } };
  expect((await app.json('POST', `/api/documents/${id}/review`, review)).status).toBe(200);
}

const closeDialog = async (page: Page) => {
  await page.keyboard.press('Escape');
  await page.locator('dialog[open], [role=dialog]').first().waitFor({ state: 'detached' });
};

/** Opens the editor in each of its states. Texts differ by language, so elements are found by their roles and marks. */
async function visitStates(
  page: Page,
  { founder, id, approved }: { founder: Person; id: string; approved: string },
  look: (state: string) => Promise<void>,
): Promise<void> {
  await page.goto(`/app/edit/documents/${id}`);
  await field(page).waitFor();
  await look('open segment');
  const tabs = page.locator('[role=tab][data-tab]');
  const panel = page.locator('[data-panel-button]');
  if (!(await tabs.first().isVisible())) await panel.filter({ visible: true }).first().click();
  for (const tab of await tabs.all())
    if (await tab.isVisible()) {
      await tab.click();
      await page.waitForLoadState('networkidle');
      await look(`tab ${await tab.getAttribute('data-tab')}`);
    }
  const dialog = page.locator('dialog[open], [role=dialog]').first();
  await page.keyboard.press('Escape');
  for (const [name, key] of [
    ['shortcuts', '?'],
    ['palette', 'Control+k'],
    ['replace', 'Control+h'],
  ] as const) {
    await page.locator('[role=grid]').focus();
    await page.keyboard.press(key);
    await dialog.waitFor();
    await look(`dialog ${name}`);
    await closeDialog(page);
  }
  // The buttons above the segments that open dialogs are the last two: to approve, and to delete.
  const actions = page.locator('[data-editor] > :first-child > button');
  for (const [at, name] of [
    [-2, 'approve'],
    [-1, 'delete'],
  ] as const) {
    const count = await actions.count();
    // On a phone, a file is not deleted from its editor.
    if (!(await actions.nth(count + at).isVisible())) continue;
    await actions.nth(count + at).click();
    await dialog.waitFor();
    await look(`dialog ${name}`);
    await closeDialog(page);
  }
  await field(page).focus();
  await page.keyboard.press('Control+Enter');
  await page.locator('textarea[aria-label*="2"]').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.locator('[role=alert] input[type=radio]').first().waitFor();
  await look('blocked');
  await page.keyboard.press('Alt+ArrowUp');
  await page.locator('textarea[aria-label*="1"]').waitFor();
  await correctFirst(founder, id);
  await page.keyboard.type('Mine ');
  await page
    .locator('[role=alert]')
    .filter({ hasNot: page.locator('input') })
    .first()
    .waitFor();
  await page.locator('dl').getByText('Theirs').first().waitFor();
  await look('conflict');
  await page.goto(`/app/edit/documents/${id}?text=nothing+has+this`);
  await page.waitForLoadState('networkidle');
  await look('empty filter');
  await page.goto(`/app/edit/documents/${approved}`);
  await page.locator('[role=grid]').waitFor();
  await page.waitForLoadState('networkidle');
  await look('read-only');
}

describe.skipIf(withoutBrowser)('every state of the editor', { timeout: 120_000 }, () => {
  test.each<[string, PersonOptions]>([
    ['light', { viewport: wide, colorScheme: 'light' }],
    ['dark', { viewport: wide, colorScheme: 'dark' }],
    ['Arabic, dark', { viewport: wide, colorScheme: 'dark', locale: 'ar' }],
    ['phone, light', { viewport: phone, colorScheme: 'light' }],
  ])('is accessible, and needs no sideways scrolling: %s', async (_, options) => {
    const founder = await found(app);
    await join(app, founder);
    const id = await addDocument(app, founder, { source_document: workbookFile(texts) });
    const approved = await addDocument(app, founder, { source_document: workbookFile(['plain']) });
    const { status } = await call(founder, 'documents.approve', { document_id: approved });
    expect(status).toBe(200);
    const { page, context } = await browser.person('/about', options);
    await context.addCookies([await sessionCookie(app, founder)]);
    const faults: string[] = [];
    let states = 0;
    await visitStates(page, { founder, id, approved }, async (state) => {
      states += 1;
      for (const fault of [...(await violationsOn(page)), ...(await tooWideOn(page))])
        faults.push(`${state}: ${fault}`);
    });
    expect(faults).toEqual([]);
    expect(states).toBeGreaterThan(9);
  });
});
