import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import type { TestApp } from '#test/setup/app.ts';
import { refreshCookie } from './browser.ts';

/** The URLs of all screens, which are read from the source of the router, so that new screens are visited, too. */
const screens = readFileSync(join(import.meta.dirname, '../../web/app/router.tsx'), 'utf8')
  .matchAll(/\bpath: '([^']+)'/g)
  .map(([, path]) => path as string)
  .toArray();

export const withSession = screens.filter((path) => !path.startsWith('/signin'));
export const withoutSession = screens.filter((path) => path.startsWith('/signin'));

/** A cookie with a session of a member, so that the browser needs no sign-in. */
export async function sessionCookie(
  app: TestApp,
  { tenantId, userId }: { tenantId: string; userId: string },
) {
  const { refreshToken } = await app.database.inTenant(tenantId, async (tx) => {
    const member = await lockMember(tx, tenantId, userId);
    if (!member) throw new Error('no such member');
    return startSession(tx, member, app.services.settings, newFamily({ secondFactor: true }));
  });
  return refreshCookie(app, refreshToken);
}

/** Goes to a URL within the application, like a link. */
export async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    document.querySelector('main h1')?.setAttribute('data-before', '');
    history.pushState({}, '', to);
  }, address);
  // A screen that is updating its URL may replace this one. Going to the URL again then works.
  await page
    .waitForFunction(() => document.querySelector('main h1:not([data-before])'), null, { timeout: 10_000 })
    .catch(() => {
      console.log(`${address} did not follow ${page.url()}, and is loaded anew.`);
      return page.goto(address);
    });
}

/** Waits until a screen has loaded all its data. */
export async function settled(page: Page, asked: Set<unknown>): Promise<void> {
  const isRead = () =>
    !!document.querySelector('main h1:not([data-before])') && !document.querySelector('[aria-busy=true]');
  await page.waitForFunction(isRead);
  await expect.poll(() => asked.size, { interval: 20, timeout: 10_000 }).toBe(0);
  await page.waitForFunction(isRead);
}

/** The requests of a page that have no response yet. */
export function openRequests(page: Page): Set<unknown> {
  const asked = new Set<unknown>();
  page.on('request', (request) => asked.add(request));
  page.on('requestfinished', (request) => asked.delete(request));
  page.on('requestfailed', (request) => asked.delete(request));
  return asked;
}
