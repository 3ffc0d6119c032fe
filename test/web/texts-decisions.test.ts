import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, opened, openReview, patient, said } from './reviewing.ts';
import { openTexts, row, typed, waits } from './texts-editor.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens a text by the bar that reports that its review was not saved. */
const openStuck = async (page: Page, number: number) => {
  await page.getByRole('button', { name: `Open segment ${number}` }).waitFor();
  await page.keyboard.press('Alt+o');
};

describe.skipIf(withoutBrowser)('a reviewer of texts', () => {
  test('decides by keyboard only, and takes each decision back', async () => {
    const { page, stored, statuses } = await openTexts(app, browser, ['One {name}', 'Two', 'Three', 'Four']);
    const { keyboard } = page;
    await opened(page, 'One');
    await typed(page, 'Un {name}');
    await keyboard.press('Control+Enter');
    await opened(page, 'Two');
    await said(page, 'Segment 1 confirmed.');
    await keyboard.press('Control+Enter');
    await opened(page, 'Three');
    await keyboard.press('Escape');
    await keyboard.press('r');
    await page.getByRole('dialog').waitFor();
    await keyboard.type('Not what was asked for');
    await keyboard.press('Control+Enter');
    await opened(page, 'Four');
    await expect.poll(statuses, patient).toEqual(['human_edited', 'published', 'rejected', waits]);
    expect((await stored(0)).final_translation).toBe('Un {name}');
    expect((await stored(2)).agent_run.human_review_task.metadata.notes).toBe('Not what was asked for');
    await page.getByText('3 of 4').waitFor();

    await keyboard.press('Escape');
    for (const left of [2, 1, 0]) {
      await keyboard.press('Control+z');
      await page.getByText(`${left} of 4`).waitFor();
    }
    expect(await statuses()).toEqual([waits, waits, waits, waits]);
    expect((await stored(0)).final_translation).toBe('Un {name}');
    await page.getByRole('button', { name: /^Drafts 1/ }).waitFor();
    await keyboard.press('Control+Shift+z');
    await page.getByText('1 of 4').waitFor();
    expect((await stored(0)).status).toBe('human_edited');
  });

  test('confirms a critical finding only with a reason, which is stored with the review', async () => {
    const { page, stored } = await openTexts(app, browser, ['Pay 2,500 euros now.', 'Two']);
    await typed(page, 'Payez 2 050 euros.');
    await page.keyboard.press('Control+Enter');
    // The next text is opened before the finding is known.
    await openStuck(page, 1);
    await page.getByText('Not confirmed.').waitFor();
    await page.keyboard.press('Control+Enter');
    expect((await stored(0)).status).toBe(waits);
    await page.getByRole('radio', { name: 'Requested by the client' }).check();
    await page.getByLabel('Note (at least 10 characters)').fill('The client changed the amount.');
    await page.keyboard.press('Control+Shift+Enter');
    await opened(page, 'Two');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
    expect((await stored(0)).agent_run.human_review_task.metadata).toMatchObject({
      confirmed_critical: true,
      notes: 'Requested by the client: The client changed the amount.',
    });
  });

  test('approves all at once, except what a colleague has open and what is critical', async () => {
    const { page, founder, jobs, statuses, other } = await openTexts(app, browser, [
      'One',
      'Pay 2,500 euros',
      'Three',
      'Four',
    ]);
    const colleague = await join(app, founder);
    await other(1, { action: 'save', final_translation: 'Payez 2 050 euros' });
    await app.request('/trpc/reviews.claim', {
      method: 'POST',
      headers: { ...colleague.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ json: { kind: 'job', id: jobs[2]?.id } }),
    });
    await openReview(page);
    await page.getByRole('button', { name: 'Approve all' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve all texts?' });
    await dialog.getByText('1 text that a colleague has open is left').waitFor();
    await dialog.getByRole('button', { name: 'Approve 3 texts' }).click();
    await said(page, '2 texts approved, 2 left.');
    expect(await statuses()).toEqual(['published', waits, waits, 'published']);
    await page.getByRole('button', { name: /^Critical 1/ }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone: 2 segments.');
    expect(await statuses()).toEqual([waits, waits, waits, waits]);
  });

  test('never overwrites what someone else has saved or decided since', async () => {
    const { page, stored, other } = await openTexts(app, browser, ['First', 'Second', 'Third']);
    await other(0, { action: 'save', final_translation: 'Leur texte' });
    await typed(page, 'Mon texte');
    await page.keyboard.press('Control+Enter');
    await openStuck(page, 1);
    await page.getByText('Someone else changed this translation').waitFor();
    expect((await stored(0)).final_translation).toBe('Leur texte');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Mon texte');

    await row(page, 'Second').click();
    await opened(page, 'Second');
    await other(1, { action: 'approve' });
    await typed(page, 'Mon deuxième');
    await page.keyboard.press('Control+Enter');
    await row(page, 'Second').click();
    await page.getByRole('button', { name: 'Use theirs' }).click();
    expect((await stored(1)).final_translation).toBe('[fr] Second');
    await page.getByText('2 of 3').waitFor();
  });

  test('is not told that a decision failed whose response was lost, although the list already has it', async () => {
    const { page, context, stored } = await openTexts(app, browser, ['First', 'Second']);
    let isLost = true;
    await page.route('**/trpc/translations.act*', async (route) => {
      if (!isLost) return route.continue();
      await route.fetch().catch(() => undefined);
      const { pathname } = new URL(route.request().url());
      await route.fulfill(responseOf({ code: 'transient_error', detail: 'lost' }, pathname));
    });
    await typed(page, 'Premier');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
    await context.setOffline(true);
    await page.getByText('Offline. 1 change is kept on this device.').waitFor();
    await context.setOffline(false);
    await page.getByText('1 of 2').waitFor();
    await page.getByText('Not saved. Trying again.').waitFor();
    isLost = false;
    await page.getByText('Not saved. Trying again.').waitFor({ state: 'detached' });
    await opened(page, 'Second');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await said(page, 'Undone.');
    expect((await stored(0)).status).toBe(waits);
  });

  test('redoes only what no one has changed since, and undoes only an own decision', async () => {
    const long = 'Long text. '.repeat(500);
    const { page, context, founder, stored, other, statuses } = await openTexts(app, browser, [
      'First',
      long,
      'Third',
    ]);
    const { keyboard } = page;
    await page.getByRole('button', { name: 'Approve all' }).click();
    await page.getByRole('button', { name: 'Approve 3 texts' }).click();
    await said(page, '3 texts approved.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await said(page, 'Undone: 3 segments.');
    await keyboard.press('Escape');
    await keyboard.press('Control+Shift+z');
    await said(page, 'Redone: 3 segments.');
    expect(await statuses()).toEqual(['published', 'published', 'published']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(statuses, patient).toEqual([waits, waits, waits]);
    await page.getByText('0 of 3').waitFor();

    await other(0, { action: 'save', final_translation: 'Leur texte' });
    await page.reload();
    await field(page).waitFor();
    await row(page, 'Third').click();
    await opened(page, 'Third');
    await keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(2)).status, patient).toBe('published');
    await keyboard.press('Escape');
    await keyboard.press('Control+z');
    await expect.poll(async () => (await stored(2)).status, patient).toBe(waits);
    await other(2, { action: 'save', final_translation: 'Non lu' });
    await context.setOffline(true);
    await page.getByText('Offline. Everything is saved.').first().waitFor();
    await context.setOffline(false);
    await row(page, 'Non lu').waitFor();
    await keyboard.press('Control+Shift+z');
    await said(page, /changed/);
    expect((await stored(2)).status).toBe(waits);

    await row(page, 'First').click();
    await keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
    await app.request('/trpc/reviews.reopen', {
      method: 'POST',
      headers: { ...founder.bearer, 'content-type': 'application/json' },
      body: JSON.stringify({ json: { kind: 'job', id: (await stored(0)).id } }),
    });
    await other(0, { action: 'approve', final_translation: 'Décidé par un autre' });
    await keyboard.press('Escape');
    await keyboard.press('Control+z');
    await said(page, /changed/);
    expect((await stored(0)).final_translation).toBe('Décidé par un autre');
    expect((await stored(0)).status).toBe('human_edited');
  });
});
