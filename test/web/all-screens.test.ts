import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { lockMember, newFamily, startSession } from '#server/access/sessions.ts';
import { subscriptionEvent, useBillingApp } from '#test/billing/billing-app.ts';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import {
  addDocument,
  addGlossary,
  addMemory,
  inviting,
  type Person,
  queueDocument,
  submit,
} from '#test/factories.ts';
import { tooWideOn, violationsOn } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { cutWords, servePseudoLocale, wordsInNoCatalog } from './interface-words.ts';
import { watchTokens } from './kept-tokens.ts';

/** Everything that a deployment can have is on, and the person is an operator: so that every screen has all its parts. */
const billing = useBillingApp({ ...operatorEnv, BASE_URL: '', STORAGE_BINDING_ENABLED: 'true' });
const { app } = billing;
const browser = useBrowser(app);

const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 800 };

/** The addresses of all screens, from the source of the router: a new screen is visited without a word here. */
const screens = readFileSync(join(import.meta.dirname, '../../web/app/router.tsx'), 'utf8')
  .matchAll(/\bpath: '([^']+)'/g)
  .map(([, path]) => path as string)
  .toArray();
const [withSession, withoutSession] = [
  screens.filter((path) => !path.startsWith('/signin')),
  screens.filter((path) => path.startsWith('/signin')),
];

/** What the parameters of an address stand for. */
const ids: Record<string, string> = {};
let operatorId = '';

/** A workspace with some of everything. */
beforeAll(async () => {
  if (withoutBrowser) return;
  await openOperators(app);
  await billing.deliver(subscriptionEvent('created', operatorWorkspace, { id: 'sub_sweep' }));
  const person = await addAdministrator(app, 'first@ops.example');
  operatorId = person.userId;
  const operator = { ...person, tenantId: operatorWorkspace } as Person;
  const job = await submit(app, operator, { domain: 'legal', source_text: 'Sign {name} here.' });
  await submit(app, operator, { domain: 'legal', target_lang: 'ar' });
  const review = async (body: object) => {
    const id = await submit(app, operator, { domain: 'legal', source_text: 'Good morning' });
    const path = `/api/translations/${id}/review`;
    expect((await app.json('POST', path, { headers: person.bearer, body })).status).toBe(200);
  };
  await review({ action: 'modify', final_translation: 'Salut' });
  await review({ action: 'reject', notes: 'Not what was asked for' });
  const failed = await submit(app, operator, { source_text: 'A text that fails' });
  await billing.sql`update translation_jobs set status = 'failed' where job_id = ${failed}`;
  const waiting = await submit(app, operator, { source_text: 'A text that waits' });
  await billing.sql`update translation_jobs set status = 'pending' where job_id = ${waiting}`;
  Object.assign(ids, {
    jobId: job,
    documentId: await addDocument(app, operator),
    glossaryId: await addGlossary(app, operator),
    memoryId: await addMemory(app, operator),
  });
  await queueDocument(app, operator);
  const team = inviting(app, person.bearer);
  await team.join();
  await team.invite({ email: 'newcomer@example.org' });
});

/** Opens a browser, signed out. @param prepare what the browser is taught before it loads the application */
async function opened(options: PersonOptions, prepare?: typeof servePseudoLocale) {
  const { page, context } = await browser.person('/about', { viewport: wide, ...options });
  await prepare?.(context);
  return { page, context };
}

/** The cookie of a new session of the operator. */
async function sessionCookie() {
  const { refreshToken } = await app.database.inTenant(operatorWorkspace, async (tx) => {
    const member = await lockMember(tx, operatorWorkspace, operatorId);
    if (!member) throw new Error('no such member');
    return startSession(tx, member, app.services.settings, newFamily({ secondFactor: true }));
  });
  const url = new URL('/signin', app.address).href;
  return { name: 'll_refresh', value: refreshToken, url, httpOnly: true, sameSite: 'Strict' as const };
}

/** Waits until a screen has read all that it shows. */
async function settled(page: Page, asked: Set<unknown>): Promise<void> {
  const isRead = () =>
    !!document.querySelector('main h1:not([data-before])') && !document.querySelector('[aria-busy=true]');
  await page.waitForFunction(isRead);
  await expect.poll(() => asked.size, { interval: 20, timeout: 10_000 }).toBe(0);
  await page.waitForFunction(isRead);
}

/** The requests of a page that have no response yet. */
function openRequests(page: Page): Set<unknown> {
  const asked = new Set<unknown>();
  page.on('request', (request) => asked.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const)
    page.on(end, (request) => asked.delete(request));
  return asked;
}

/**
 * Visits every screen, and collects what is wrong on each.
 * @param look returns what is wrong on the screen that is shown
 */
async function visitAll(
  page: Page,
  look: (visit: { isSignedIn: boolean }) => Promise<string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  const asked = openRequests(page);
  const visit = async (path: string, isSignedIn: boolean) => {
    await settled(page, asked);
    // What is behind a disclosure is looked at, too.
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
    });
    await settled(page, asked);
    await page.setViewportSize(narrow);
    for (const fault of await tooWideOn(page)) faults.push(`${path}, at 320 px: ${fault}`);
    await page.setViewportSize(wide);
    for (const fault of await look({ isSignedIn })) faults.push(`${path}: ${fault}`);
  };
  for (const path of withoutSession) {
    await page.goto(path);
    await visit(path, false);
  }
  await page.context().addCookies([await sessionCookie()]);
  await page.goto('/app/members');
  await settled(page, asked);
  for (const path of withSession) {
    const address = path.replace(/\$(\w+)/g, (_, name) => {
      if (!ids[name]) throw new Error(`${path}: there is no ${name} in the workspace of this test`);
      return ids[name];
    });
    // As a link does it: the application goes there itself.
    await page.evaluate((to) => {
      document.querySelector('main h1')?.setAttribute('data-before', '');
      history.pushState({}, '', to);
    }, address);
    await visit(path, true);
  }
  return faults;
}

describe.skipIf(withoutBrowser)('every screen', { timeout: 60_000 }, () => {
  test.each<[string, PersonOptions]>([
    ['English, light', { locale: 'en', colorScheme: 'light' }],
    ['Arabic, dark', { locale: 'ar', colorScheme: 'dark' }],
  ])('is accessible, fits into 320 px, and lets nobody read a token: %s', async (_, options) => {
    const { page, context } = await opened(options);
    const tokens = watchTokens(context);
    const faults = await visitAll(page, async ({ isSignedIn }) => [
      ...(await violationsOn(page)),
      ...(isSignedIn ? await tokens.readableOn(page) : []),
    ]);
    expect(faults).toEqual([]);
  });

  test('has all its words from the catalogs, and has room for longer ones', async () => {
    const { page } = await opened({ locale: 'en' }, servePseudoLocale);
    const faults = await visitAll(page, async () => {
      const found = [...(await wordsInNoCatalog(page)), ...(await cutWords(page))];
      await page.setViewportSize(narrow);
      found.push(...(await cutWords(page)));
      await page.setViewportSize(wide);
      return found;
    });
    expect(faults).toEqual([]);
  });
});
