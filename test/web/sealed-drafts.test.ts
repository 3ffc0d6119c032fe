import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { signOut } from './account.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, patient, signInAt, waitingJobs } from './reviewing.ts';
import { readSealed } from './stored-drafts.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const browser = useBrowser(app);

/** Opens the first of two jobs, and types into the field. */
async function typed() {
  const founder = await found(app);
  const jobs = await waitingJobs(app, founder.key, ['A private source', 'Another source']);
  const person = await memberAt(browser, founder, '/app/edit/texts');
  await field(person.page).waitFor();
  // The text stays on the device: no review is answered.
  await person.page.route('**/trpc/translations.act*', () => undefined);
  await field(person.page).fill('Un secret tapé');
  await expect.poll(async () => (await readSealed(person.page)).length, patient).toBe(1);
  return { founder, jobs, ...person };
}

/** Runs code in the page that changes the browser's only record. The code receives the record and its key. */
function changeRecord(page: Page, change: string): Promise<void> {
  return page.evaluate(async (code) => {
    const answer = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const database = await answer(indexedDB.open('lingualoop-drafts'));
    const store = database.transaction('drafts', 'readwrite').objectStore('drafts');
    const [key] = await answer(store.getAllKeys());
    const record = await answer(store.get(key as string));
    const changes: Record<string, () => unknown> = {
      expire: () => store.put({ ...record, changedAt: Date.now() - 15 * 86_400_000 }, key),
      unseal: () =>
        store.put(
          {
            text: 'Un vieux texte',
            base: 'x',
            language: 'fr',
            source: 'A private source',
            changedAt: Date.now(),
          },
          key,
        ),
    };
    const [from, to = ''] = code.split(' to ');
    if (changes[code]) changes[code]();
    else {
      store.put(record, String(key).replace(String(from), to));
      store.delete(key as string);
    }
    await new Promise((resolve) => {
      store.transaction.oncomplete = resolve;
    });
    database.close();
  }, change);
}

/** Moves the browser's only record to the key of another member or job. */
const moveRecord = (page: Page, from: string, to: string) => changeRecord(page, `${from} to ${to}`);

/** Opens a job by its ID, because a job that another member may have claimed is not opened automatically. */
async function openJob(page: Page, id: string | undefined): Promise<void> {
  await page.goto('/app/edit/texts');
  await page.goto(`/app/edit/texts?item=${id}`);
  await field(page).waitFor();
}

const unreadable = "1 unsent change on this device can't be opened";

const offered = (page: Page) => page.getByRole('region', { name: 'Unsent changes' });

async function expectOffered(page: Page, text: string): Promise<void> {
  await offered(page).getByRole('button', { name: 'Restore' }).click();
  expect(await field(page).inputValue()).toBe(text);
}

/** The contents of the browser's database. Bytes are converted to text. */
async function storedText(page: Page): Promise<string> {
  return (await readSealed(page))
    .map(({ key, iv, sealed }) => key + Buffer.from([...iv, ...sealed]).toString('latin1'))
    .join();
}

describe.skipIf(withoutBrowser)('a draft in the browser', () => {
  test('has no readable text, and is restored for its member', async () => {
    const { page } = await typed();
    expect(await storedText(page)).not.toMatch(/secret|tap|private|source|text/);
    await page.reload();
    await expectOffered(page, 'Un secret tapé');
  });

  test('is deleted at sign-out, unless it is kept', async () => {
    const { page, founder } = await typed();
    const dialog = page.getByRole('dialog');
    await signOut(page);
    await dialog.getByRole('button', { name: 'Keep and sign out' }).click();
    await page.waitForURL('**/signin*');
    expect(await readSealed(page)).toHaveLength(1);
    await signInAt(page, founder);
    await page.locator('#main h1').waitFor();
    await signOut(page);
    await dialog.getByText('Un secret tapé').waitFor();
    await dialog.getByRole('button', { name: 'Delete and sign out' }).click();
    await page.waitForURL('**/signin*');
    expect(await readSealed(page)).toEqual([]);
  });

  test("cannot be opened by another member in the same browser, even under their record's key", async () => {
    const { page, founder, jobs } = await typed();
    const other = await join(app, founder);
    await signOut(page);
    await page.getByRole('button', { name: 'Keep and sign out' }).click();
    await page.waitForURL('**/signin*');
    await signInAt(page, other);
    await page.locator('#main h1').waitFor();
    await openJob(page, jobs[0]?.id);
    expect(await offered(page).count()).toBe(0);
    expect(await page.getByText(unreadable).count()).toBe(0);

    await moveRecord(page, founder.userId, other.userId);
    await openJob(page, jobs[0]?.id);
    await page.getByText(unreadable).waitFor();
    expect(await offered(page).count()).toBe(0);
  });

  test('has a key for its member, the same at each request', async () => {
    const founder = await found(app);
    const other = await join(app, founder);
    const keysOf = async (headers: Record<string, string>) =>
      (await app.json('GET', '/trpc/auth.draftKeys', { headers })).body;
    expect(await keysOf(founder.bearer)).not.toEqual(await keysOf(other.bearer));
    expect(await keysOf(founder.bearer)).toEqual(await keysOf(founder.bearer));
  });

  test('does not prevent a sign-out if its keys cannot be loaded', async () => {
    const { page } = await typed();
    await page.route('**/trpc/auth.draftKeys*', () => undefined);
    await page.reload();
    await signOut(page);
    await page.waitForURL('**/signin*');
    expect(await readSealed(page)).toHaveLength(1);
  });

  test("that was moved to another one's key is reported as unreadable and stays", async () => {
    const { page, jobs } = await typed();
    await moveRecord(page, String(jobs[0]?.id), String(jobs[1]?.id));
    await openJob(page, jobs[1]?.id);
    await page.getByText(unreadable).waitFor();
    expect(await offered(page).count()).toBe(0);
    expect(await readSealed(page)).toHaveLength(1);
  });

  test('is deleted at the next start when it is older than 14 days', async () => {
    const { page } = await typed();
    await changeRecord(page, 'expire');
    await page.reload();
    await expect.poll(() => readSealed(page), patient).toEqual([]);
  });

  test('of an earlier version of the application is encrypted at the next start', async () => {
    const { page } = await typed();
    await changeRecord(page, 'unseal');
    await page.reload();
    await expectOffered(page, 'Un vieux texte');
    await expect.poll(async () => (await readSealed(page))[0]?.sealed.length, patient).toBeGreaterThan(0);
    expect(await storedText(page)).not.toMatch(/vieux|private/);
  });

  test("that was encrypted with the service's previous key is decrypted, and encrypted with the current one", async () => {
    const { page, founder } = await typed();
    const [before] = await readSealed(page);
    const { secretsKeys } = app.services;
    const previous = secretsKeys.current;
    Object.assign(secretsKeys, { current: randomBytes(32), previous });
    try {
      await page.reload();
      const signIn = page.locator('input[name=username]');
      await offered(page).or(signIn).first().waitFor();
      if ((await signIn.count()) > 0) await signInAt(page, founder);
      await expectOffered(page, 'Un secret tapé');
      await expect.poll(async () => (await readSealed(page))[0]?.iv, patient).not.toEqual(before?.iv);
    } finally {
      Object.assign(secretsKeys, { current: previous, previous: null });
    }
  });
});
