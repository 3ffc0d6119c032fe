import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { signOut } from './account.ts';
import { responseOf } from './answers.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, opened, openReview, patient, said, signInAt, waitingJobs } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens the editor with texts that await review. The stub engine translates `Hello` as `[fr] Hello`. */
async function editorOf(texts: string[], { targetLang = 'fr', at = '/app/edit/texts' } = {}) {
  const founder = await found(app);
  const jobs = await waitingJobs(app, founder.key, texts, targetLang);
  const person = await memberAt(browser, founder, at);
  await field(person.page).waitFor();
  const stored = async (n: number) =>
    (await app.json('GET', `/api/translations/${jobs[n]?.id}`, { headers: founder.key })).body;
  const statuses = async () => Promise.all(jobs.map(async (_, n) => (await stored(n)).status));
  /** Acts as another reviewer. */
  const other = async (n: number, body: object) => {
    const path = `/api/translations/${jobs[n]?.id}/review`;
    expect((await app.json('POST', path, { headers: founder.key, body })).status).toBe(200);
  };
  return { founder, jobs, stored, statuses, other, ...person };
}

const typed = async (page: Page, text: string) => {
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
};
/** Opens a text by the bar that says that its review was not saved. */
const openStuck = async (page: Page, number: number) => {
  await page.getByRole('button', { name: `Open segment ${number}` }).waitFor();
  await page.keyboard.press('Alt+o');
};
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const waits = 'awaiting_review';

describe.skipIf(withoutBrowser)('a reviewer of texts', { timeout: 60_000 }, () => {
  test('decides by keyboard only, and takes each decision back', async () => {
    const { page, stored, statuses } = await editorOf(['One {name}', 'Two', 'Three', 'Four']);
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
    const { page, stored } = await editorOf(['Pay 2,500 euros now.', 'Two']);
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
    const { page, founder, jobs, statuses, other } = await editorOf([
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
    const { page, stored, other } = await editorOf(['First', 'Second', 'Third']);
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
    const { page, context, stored } = await editorOf(['First', 'Second']);
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
    const { page, context, founder, stored, other, statuses } = await editorOf(['First', long, 'Third']);
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

  test('sees the edits of the former filter, also those that are still being sent', async () => {
    const { page, stored } = await editorOf(['First', 'Second']);
    await page.route('**/trpc/translations.act*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await route.continue();
    });
    await typed(page, 'Premier');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 text', exact: true }).waitFor();
    expect(await field(page).inputValue()).toBe('Premier');
    await page.waitForTimeout(300);
    expect(await page.getByRole('region', { name: 'Unsent changes' }).count()).toBe(0);
    await typed(page, 'Le premier');
    await page.keyboard.press('Control+Enter');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Le premier');
  });

  test('loses nothing while the service cannot be reached', async () => {
    const { page, context, stored, statuses } = await editorOf(['First', 'Second']);
    await context.setOffline(true);
    await typed(page, 'Hors ligne');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await page.getByText('Offline. 1 change is kept on this device.').waitFor();
    expect(await statuses()).toEqual([waits, waits]);
    await context.setOffline(false);
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Hors ligne');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('human_edited');
  });

  test('finds unsent texts again after a crash, as differences, which are never sent automatically', async () => {
    const { page, tab, context, stored } = await editorOf(['The first text', 'Second']);
    await page.route('**/trpc/translations.act*', () => undefined);
    await typed(page, 'Un texte tapé');
    await page.waitForTimeout(300);
    const crashed = page.waitForEvent('crash');
    void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
    await crashed;

    const second = await tab();
    await openReview(second);
    const offered = second.getByRole('region', { name: 'Unsent changes' });
    await offered.getByRole('button', { name: 'Restore' }).waitFor();
    expect(await field(second).inputValue()).toBe('[fr] The first text');
    // Another text does not replace it.
    await typed(second, 'Un autre');
    await second.waitForTimeout(300);
    await second.reload();
    await expect.poll(() => offered.count(), patient).toBeGreaterThan(0);
    expect(await offered.locator('ins').allTextContents()).toContain('texte tapé');
    await offered.filter({ hasText: 'tapé' }).getByRole('button', { name: 'Restore' }).click();
    expect(await field(second).inputValue()).toBe('Un texte tapé');
    await field(second).press('Control+Enter');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Un texte tapé');
  });

  test('keeps the text of an earlier visit if the next one types before its key is loaded', async () => {
    const { page, tab, context } = await editorOf(['The first text', 'Second']);
    await page.route('**/trpc/translations.act*', () => undefined);
    await typed(page, 'Un texte ancien');
    await page.waitForTimeout(300);
    const crashed = page.waitForEvent('crash');
    void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
    await crashed;

    const second = await tab();
    await second.route('**/trpc/translations.act*', () => undefined);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await second.route(/draftKeys/i, async (route) => {
      await asked;
      await route.continue();
    });
    await openReview(second);
    await typed(second, 'Un texte nouveau');
    await second.waitForTimeout(300);
    answer();
    await second.getByRole('region', { name: 'Unsent changes' }).waitFor();
    await second.waitForTimeout(300);
    await second.reload();
    const offered = second.getByRole('region', { name: 'Unsent changes' });
    await offered.filter({ hasText: 'ancien' }).waitFor();
    await offered.filter({ hasText: 'nouveau' }).waitFor();
  });

  test('continues after signing in again when the session has ended', async () => {
    const { page, founder, stored } = await editorOf(['First', 'Second']);
    await typed(page, 'Avant la fin');
    await openSuperuser(app.superuserUrl)`delete from tokens where tenant_id = ${founder.tenantId}`;
    await page.keyboard.press('Control+s');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await signInAt(page, founder);
    expect(await field(page).inputValue()).toBe('Avant la fin');
    await page.keyboard.press('Control+s');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('Avant la fin');
  });

  test('is asked at sign-out about texts that could not be sent', async () => {
    const { page } = await editorOf(['First', 'Second']);
    await page.route('**/trpc/translations.act*', () => undefined);
    await typed(page, 'Pas encore');
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Second');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('Pas encore').waitFor();
  });

  test('does not get the text that another reviewer has open', async () => {
    const { page, founder } = await editorOf(['First text', 'Second text', 'Third text']);
    await opened(page, 'First text');
    const other = await join(app, founder);
    await expect
      .poll(async () => {
        const [claims] = await openSuperuser(app.superuserUrl)`
          select count(*)::int as count from review_claims where tenant_id = ${founder.tenantId}`;
        return claims?.['count'];
      }, patient)
      .toBe(2);
    const { page: theirs } = await memberAt(browser, other, '/app');
    await openReview(theirs);
    // The first is open, and the second is next, in the other browser. Both can still be opened.
    await opened(theirs, 'Third text');
    const first = row(theirs, 'First text');
    await first.getByText(`${founder.email} is editing`).waitFor();
    await first.click();
    await opened(theirs, 'First text');
    await theirs.getByRole('list', { name: 'Also in this document' }).getByText(founder.email).waitFor();
  });
});

describe.skipIf(withoutBrowser)('the field of a text', { timeout: 60_000 }, () => {
  test('leaves the keys of an input method alone', async () => {
    const { page, context, stored } = await editorOf(['Japan', 'Another one'], { targetLang: 'ja' });
    await field(page).fill('');
    const input = await context.newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    // The Enter key that ends a composition, in the form in which Chromium and Safari report it.
    await field(page).evaluate((element) => {
      const enter = { key: 'Enter', code: 'Enter', ctrlKey: true, bubbles: true, cancelable: true };
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, isComposing: true }));
      element.dispatchEvent(new KeyboardEvent('keydown', { ...enter, keyCode: 229 }));
    });
    await input.send('Input.insertText', { text: '日本' });
    await opened(page, 'Japan');
    expect((await stored(0)).status).toBe(waits);
    await page.keyboard.press('Control+Enter');
    await opened(page, 'Another one');
    await expect.poll(async () => (await stored(0)).final_translation, patient).toBe('日本');
  });

  test('decides once while a key is held', async () => {
    const { page, statuses } = await editorOf(['One', 'Two', 'Three']);
    await page.keyboard.down('Control');
    for (const _ of [1, 2, 3]) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.up('Control');
    await opened(page, 'Two');
    await expect.poll(statuses, patient).toEqual(['published', waits, waits]);
    await page.waitForTimeout(500);
    expect(await statuses()).toEqual(['published', waits, waits]);
  });

  test('has the direction of the translation', async () => {
    const { page } = await editorOf(['Welcome to {city}'], { targetLang: 'ar' });
    const direction = await field(page).evaluate((element) => [
      element.lang,
      getComputedStyle(element).direction,
    ]);
    expect(direction).toEqual(['ar', 'rtl']);
  });

  test('gets missing placeholders and TM matches by a key', async () => {
    const { page, other } = await editorOf([
      'The door is open.',
      'The door is open now.',
      'Dear {name}, hello.',
    ]);
    await other(0, { action: 'approve', final_translation: 'La porte est ouverte.' });
    await page.goto('/app/edit/texts');
    await page.getByRole('tab', { name: 'Memory' }).click();
    await page
      .getByRole('button', { name: /^Insert/ })
      .last()
      .waitFor();
    await field(page).focus();
    await page.keyboard.press('Alt+1');
    expect(await field(page).inputValue()).toBe('La porte est ouverte.');
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Dear');
    await typed(page, 'Bonjour ');
    await page.keyboard.press('Control+.');
    expect(await field(page).inputValue()).toBe('Bonjour {name}');
  });
});

describe.skipIf(withoutBrowser)('the list of texts', { timeout: 60_000 }, () => {
  test('has all pages; a page that fails is requested again on demand', async () => {
    const founder = await found(app);
    await waitingJobs(
      app,
      founder.key,
      Array.from({ length: 103 }, (_, n) => `Sentence ${n + 1}`),
    );
    const { page } = await memberAt(browser, founder, '/app');
    let refused = 0;
    await page.route(
      (url) => url.href.includes('/trpc/reviews.texts') && url.href.includes('cursor'),
      (route) => {
        refused += 1;
        const failure = { code: 'forbidden', detail: 'the list cannot be read on' };
        return route.fulfill(responseOf(failure, new URL(route.request().url()).pathname));
      },
    );
    await openReview(page);
    await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor();
    await page.getByRole('heading', { name: 'More than 100 texts' }).waitFor();
    expect(refused).toBe(1);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('heading', { name: '103 texts' }).waitFor();
  });

  test('is that of a group of the inbox, and can be filtered by status', async () => {
    const founder = await found(app);
    for (const [source_text, domain] of [
      ['One', 'legal'],
      ['Two', 'legal'],
      ['Three', undefined],
    ])
      await app.json('POST', '/api/translations', {
        headers: founder.key,
        body: { source_text, domain, target_lang: 'fr', metadata: { sensitive: true } },
      });
    const { page } = await memberAt(browser, founder, '/app');
    await page.getByRole('link', { name: '2 texts' }).click();
    await page.getByRole('heading', { name: '2 texts' }).waitFor();
    await opened(page, 'One');
    await typed(page, 'Un');
    await page.keyboard.press('Alt+ArrowDown');
    await opened(page, 'Two');
    await page.getByRole('button', { name: /^Drafts 1/ }).click();
    await opened(page, 'One');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Remove filter: legal' }).click();
    await page.getByRole('heading', { name: '3 texts' }).waitFor();
  });

  test('begins with the text of the URL, also with one that is decided, which is read-only', async () => {
    const { page, jobs, other } = await editorOf(['One', 'Two', 'Three']);
    await other(1, { action: 'approve' });
    await page.goto(`/app/edit/texts?item=${jobs[1]?.id}`);
    await opened(page, 'Two');
    await page.getByRole('heading', { name: '3 texts' }).waitFor();
    expect(await field(page).isEditable()).toBe(false);
  });

  test('leaves open what was opened before the service has named a first text', async () => {
    const { page } = await editorOf(['One', 'Two']);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/trpc/reviews.next*', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto('/app/edit/texts');
    await row(page, 'Two').click();
    await opened(page, 'Two');
    const answered = page.waitForResponse('**/trpc/reviews.next*');
    answer();
    await answered;
    await page.waitForTimeout(300);
    await opened(page, 'Two');
  });

  test('leaves the focus in the search while a long text is loaded, and shows a failure with a retry', async () => {
    const { page } = await editorOf([`${'A long text. '.repeat(400)}`, 'Two']);
    const path = '**/api/translations/*';
    await page.route(path, (route) =>
      route.fulfill(
        responseOf({ code: 'transient_error', detail: 'not now' }, new URL(route.request().url()).pathname),
      ),
    );
    await page.reload();
    const open = page.getByRole('row').filter({ has: field(page) });
    await open.getByRole('button', { name: 'Try again' }).waitFor();
    await page.unroute(path);
    const { promise: asked, resolve: answer } = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      await asked;
      await route.continue();
    });
    await open.getByRole('button', { name: 'Try again' }).click();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('l');
    answer();
    await expect.poll(() => field(page).isEditable(), patient).toBe(true);
    expect(await page.evaluate(() => document.activeElement?.matches('input'))).toBe(true);
  });

  test('loads the whole of a long text before it can be edited', async () => {
    const long = `${'A long text. '.repeat(400)}The end.`;
    const { page, stored } = await editorOf([long, 'Two']);
    await expect.poll(() => field(page).inputValue(), patient).toBe(`[fr] ${long}`);
    await field(page).press('Control+Enter');
    await opened(page, 'Two');
    await expect.poll(async () => (await stored(0)).status, patient).toBe('published');
    expect((await stored(0)).final_translation).toBe(`[fr] ${long}`);
  });
});
