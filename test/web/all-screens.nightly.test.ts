import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { operatorEnv } from '#test/factories/operators.ts';
import { tooWideOn, violationsOn } from './accessibility.ts';
import { type PersonOptions, useBrowser, withoutBrowser } from './browser.ts';
import { type FullWorkspace, fillWorkspace } from './full-workspace.ts';
import { cutWords, servePseudoLocale, wordsInNoCatalog } from './interface-words.ts';
import { watchTokens } from './kept-tokens.ts';
import { follow, openRequests, sessionCookie, settled, withoutSession, withSession } from './screens.ts';

/** All features of the deployment are enabled and the member is an operator, so that each screen has all its parts. */
const billing = useBillingApp({
  ...operatorEnv,
  BASE_URL: '',
  STORAGE_BINDING_ENABLED: 'true',
  MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}',
});
const { app } = billing;
const browser = useBrowser(app);

const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 800 };

let workspace: FullWorkspace;
beforeAll(async () => {
  if (!withoutBrowser) workspace = await fillWorkspace(billing);
});

/** Opens a browser without a session. @param prepare changes the browser before it loads the application */
async function opened(options: PersonOptions, prepare?: typeof servePseudoLocale) {
  const { page, context } = await browser.person('/about', { viewport: wide, ...options });
  await prepare?.(context);
  return { page, context };
}

/**
 * Visits all screens, and collects the errors.
 * @param look returns the errors of the current screen
 */
async function visitAll(
  page: Page,
  look: (visit: { isSignedIn: boolean }) => Promise<string[]>,
): Promise<string[]> {
  const faults: string[] = [];
  const asked = openRequests(page);
  const visit = async (path: string, isSignedIn: boolean) => {
    await settled(page, asked);
    // The content of disclosures is checked, too.
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
  await page.context().addCookies([await sessionCookie(app, workspace.operator)]);
  await page.goto('/app/settings/members');
  await settled(page, asked);
  for (const path of withSession) {
    await follow(page, workspace.addressOf(path));
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

  test('has all its texts from the catalogs, and has space for longer ones', async () => {
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
