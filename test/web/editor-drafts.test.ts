import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addDocument, found as createWorkspace, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { violationsOn } from './accessibility.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { openDocument, opened, reachable, unreachable } from './document-editor.ts';
import { field, memberAt, patient, signInAt } from './reviewing.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens a document of three segments, whose edits do not reach the service. */
const openEditor = () => openDocument(app, browser, ['One', 'Two', 'Three'], { before: unreachable });
const found = (page: Page) => page.getByRole('region', { name: 'Unsent changes of an earlier visit' });
const pause = (page: Page) => page.waitForTimeout(300);
/** The keys of the drafts in the browser's storage. */
const draftKeys = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const opening = indexedDB.open('lingualoop-drafts');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const all = opening.result.transaction('drafts').objectStore('drafts').getAllKeys();
          all.onsuccess = () => {
            opening.result.close();
            resolve(all.result.map(String));
          };
        };
      }),
  );
const stored = (page: Page, count = 1) =>
  expect.poll(async () => (await draftKeys(page)).length, patient).toBe(count);

async function type(page: Page, number: number, text: string): Promise<void> {
  await page.getByRole('row').nth(number).click();
  await opened(page, number);
  await field(page).fill(text);
}

async function crash({ page, context }: Pick<Awaited<ReturnType<typeof openEditor>>, 'page' | 'context'>) {
  const crashed = page.waitForEvent('crash');
  void (await context.newCDPSession(page)).send('Page.crash').catch(() => undefined);
  await crashed;
}

describe.skipIf(withoutBrowser)('edits that are only on this device', () => {
  test('are offered after a crash, never sent before that, and stored after Restore', async () => {
    const at = await openEditor();
    await type(at.page, 1, 'Un');
    await type(at.page, 3, 'Trois');
    await stored(at.page, 2);
    await crash(at);
    const page = await at.tab();
    await page.goto(at.path);
    await found(page).getByText('2 changes of an earlier visit').click();
    expect(await found(page).locator('ins').allTextContents()).toEqual(
      expect.arrayContaining(['Un', 'Trois']),
    );
    expect(await violationsOn(page)).toEqual([]);
    await page.reload();
    await found(page).getByText('2 changes of an earlier visit').waitFor();
    expect(await at.targets()).toEqual(['[fr] One', '[fr] Two', '[fr] Three']);
    await found(page).getByRole('button', { name: 'Restore all' }).click();
    await expect.poll(at.targets, patient).toEqual(['Un', '[fr] Two', 'Trois']);
    await found(page).waitFor({ state: 'detached' });
    await page.reload();
    await opened(page, 1);
    await pause(page);
    expect(await found(page).count()).toBe(0);
  });

  test('show a conflict after Restore if the translation has changed since', async () => {
    const at = await openEditor();
    await type(at.page, 1, 'Mine');
    await stored(at.page);
    await crash(at);
    await at.correct(0, 'Theirs');
    const page = await at.tab();
    await page.goto(at.path);
    await found(page).getByRole('button', { name: 'Restore it' }).click();
    const conflict = page.getByRole('row').filter({ hasText: 'Keep mine' });
    await conflict.getByText('Theirs', { exact: true }).first().waitFor();
    expect((await at.targets())[0]).toBe('Theirs');
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await expect.poll(async () => (await at.targets())[0], patient).toBe('Mine');
  });

  test('are offered when the document is opened again on the same page, and deleted by Discard', async () => {
    const { page, path, targets } = await openEditor();
    await type(page, 2, 'Deux');
    await page.getByRole('link', { name: 'Back to the inbox' }).click();
    // The address changes before the inbox replaces the editor.
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await page.goBack();
    await found(page).getByRole('button', { name: 'Discard it' }).click();
    await found(page).waitFor({ state: 'detached' });
    await page.goto(path);
    await opened(page, 1);
    await pause(page);
    expect(await found(page).count()).toBe(0);
    expect((await targets())[1]).toBe('[fr] Two');
  });

  test('are sent once after the tab was closed offline if they are confirmations, in their order; typed text is offered', async () => {
    const { page, path, tab, context, segments, correct } = await openDocument(app, browser, [
      'One',
      'Two',
      'Three',
      'Four',
    ]);
    // The parts of the page that load after the editor.
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);
    await type(page, 3, 'Trois');
    // The second one is confirmed as it is, before the first one.
    for (const [number, text] of [
      [2, '[fr] Two'],
      [1, 'Un'],
      [4, 'Mine'],
    ] as const) {
      await type(page, number, text);
      await page.keyboard.press('Control+Enter');
    }
    await page.getByText('Offline. 4 changes are kept on this device.').waitFor();
    await stored(page, 4);
    await page.close();
    await context.setOffline(false);
    await correct(3, 'Theirs');

    const sent: string[] = [];
    const next = await tab();
    next.on('request', (request) => {
      if (!request.url().includes('documents.save')) return;
      const [found] = /\[fr\] Two|Un|Mine/.exec(request.postData() ?? '') ?? [];
      sent.push(found ?? 'another');
    });
    await next.goto(path);
    const state = async () =>
      (await segments()).map((one) => [one.target_text, one.confirmed_at !== null] as const);
    await expect.poll(state, patient).toEqual([
      ['Un', true],
      ['[fr] Two', true],
      ['[fr] Three', false],
      ['Theirs', false],
    ]);
    await next.getByRole('button', { name: 'Open segment 4' }).click();
    await next.getByRole('row').filter({ hasText: 'Keep mine' }).getByText('Theirs').first().waitFor();
    await found(next).getByText('1 change of an earlier visit').click();
    expect(await found(next).locator('ins').allTextContents()).toEqual(['Trois']);
    expect(sent).toEqual(['[fr] Two', 'Un', 'Mine']);
    // The conflict and the offered text stay on the device; what the service has does not.
    await stored(next, 2);
    sent.length = 0;
    await next.reload();
    await next
      .getByRole('button', { name: /Open segment 4|Keep mine/ })
      .first()
      .waitFor();
    expect(sent).toEqual(['Mine']);
  });

  test('can be restored and discarded one by one', async () => {
    const { page, path, targets } = await openEditor();
    await type(page, 1, 'Un');
    await type(page, 2, 'Deux');
    await stored(page, 2);
    await page.goto(path);
    await found(page).getByText('2 changes of an earlier visit').click();
    const item = (text: string) => found(page).getByRole('listitem').filter({ hasText: text });
    await item('Deux').getByRole('button', { name: 'Discard' }).click();
    await found(page).getByText('1 change of an earlier visit').waitFor();
    await reachable(page);
    await found(page).getByRole('button', { name: 'Restore it' }).click();
    await expect.poll(targets, patient).toEqual(['Un', '[fr] Two', '[fr] Three']);
  });

  test('of an open tab are neither offered nor deleted in another tab', async () => {
    const { page, tab, path } = await openEditor();
    await type(page, 1, 'From the first tab');
    await stored(page);
    const second = await tab();
    await unreachable(second);
    await second.goto(path);
    await type(second, 1, 'From the second tab');
    await stored(second, 2);
    expect(await found(second).count()).toBe(0);
    const third = await tab();
    await third.goto(path);
    await opened(third, 1);
    await pause(third);
    expect(await found(third).count()).toBe(0);
    // The edits of a tab are offered as soon as it ends.
    await second.close();
    await found(third).getByText('1 change of an earlier visit').click();
    expect((await found(third).locator('ins').allTextContents()).join(' ')).toBe('From the second tab');
    await found(third).getByRole('button', { name: 'Discard it' }).click();
    await found(third).waitFor({ state: 'detached' });
    await page.close();
    await found(third).getByText('1 change of an earlier visit').waitFor();
  });

  test('are listed at a sign-out with their source, but not those that the service gets before', async () => {
    const { page, targets } = await openEditor();
    await type(page, 1, 'Kept on the device');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('Kept on the device').waitFor();
    await dialog.getByText('One', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Stay signed in' }).click();
    await reachable(page);
    await field(page).fill('Sent before');
    await signOut(page);
    await page.waitForURL('**/signin*');
    expect((await targets())[0]).toBe('Sent before');
  });

  test('are deleted in all tabs at a sign-out, and never offered to the next member', async () => {
    const founder = await createWorkspace(app);
    const colleague = await join(app, founder);
    const path = `/app/edit/documents/${await addDocument(app, founder)}`;
    const { page, tab } = await memberAt(browser, founder, path);
    await unreachable(page);
    await type(page, 1, 'Confidentiel');
    await stored(page);
    const other = await tab();
    await other.goto('/app');
    await signOut(other);
    const dialog = other.getByRole('dialog', { name: 'Unsent changes' });
    await dialog.getByText('Confidentiel').waitFor();
    // The other tab still has the edit, and must not store it again.
    await field(page).pressSequentially(' plus');
    await dialog.getByRole('button', { name: 'Delete and sign out' }).click();
    await page.waitForURL('**/signin*');
    // Longer than the pause until an edit is sent again.
    await page.waitForTimeout(4000);
    expect(await draftKeys(page)).toEqual([]);
    await page.goto(path);
    await signInAt(page, colleague);
    await opened(page, 1);
    expect(await found(page).count()).toBe(0);
  });

  test('are deleted at the next start when they are older than 14 days, or encrypted by version 1.0', async () => {
    const { page, path } = await openEditor();
    await type(page, 1, 'Un');
    await stored(page);
    for (const code of ['expire', 'seal']) {
      await page.evaluate(async (change) => {
        const answer = <T>(request: IDBRequest<T>) =>
          new Promise<T>((resolve, reject) => {
            request.onsuccess = () => resolve(request.result);
            request.onerror = () => reject(request.error);
          });
        const database = await answer(indexedDB.open('lingualoop-drafts'));
        const store = database.transaction('drafts', 'readwrite').objectStore('drafts');
        const old = {
          text: 'x',
          base: null,
          language: 'fr',
          source: 'x',
          changedAt: Date.now() - 15 * 86_400_000,
        };
        const sealed = { iv: new Uint8Array(12), sealed: new ArrayBuffer(40), changedAt: Date.now() };
        const key = `one:two:segment:${change}`;
        await answer(store.put(change === 'expire' ? old : sealed, key));
        database.close();
      }, code);
    }
    await page.goto(path);
    await found(page).getByText('1 change of an earlier visit').waitFor();
    await stored(page);
  });

  test('leave without a question, because they are on this device; if they are not, leaving asks', async () => {
    const { page, path } = await openEditor();
    await type(page, 1, 'Un');
    await stored(page);
    // A question would stop this navigation.
    await page.reload();
    await found(page).waitFor();
    await page.addInitScript(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('the disk is full', 'QuotaExceededError');
      };
    });
    await page.goto(path);
    await type(page, 2, 'Deux');
    await pause(page);
    const asked = page.waitForEvent('dialog');
    const leaving = page.getByRole('link', { name: 'Back to the inbox' }).click();
    const dialog = await asked;
    expect(dialog.message()).toContain('1 change is not saved');
    await dialog.dismiss();
    await leaving;
    expect(await field(page).inputValue()).toBe('Deux');
    const warned = page.waitForEvent('dialog').then((dialog) => {
      expect(dialog.type()).toBe('beforeunload');
      return dialog.accept();
    });
    // A browser that is closed during the reload may never end.
    await Promise.all([warned, page.reload()]);
  });
});
