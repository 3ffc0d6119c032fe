import type { BrowserContext, Page } from 'playwright-core';
import type { BenchTenant } from '../service.ts';

/** Defines when a screen can be used: an element exists and contains a text. */
export interface Ready {
  selector: string;
  text?: string;
}

/**
 * A script for the page. It stores in `usableAfter` the milliseconds from the start of the navigation until the element
 * was painted. The page measures this itself, because a waiting locator checks only every half second.
 */
export function noteWhenReady({ selector, text = '' }: Ready): string {
  return `
    new MutationObserver((_changes, observer) => {
      const found = [...document.querySelectorAll(${JSON.stringify(selector)})];
      if (!found.some((one) => one.textContent.includes(${JSON.stringify(text)}))) return;
      observer.disconnect();
      requestAnimationFrame(() => setTimeout(() => (globalThis.usableAfter = performance.now())));
    }).observe(document, { childList: true, subtree: true, characterData: true });`;
}

/** Adds the refresh token of a new session to the browser's cookies, like the sign-in screen. */
export async function signInTo(context: BrowserContext, { address, email }: BenchTenant): Promise<void> {
  const response = await context.request.post(`${address}/signin/token`, {
    data: { grant_type: 'password', username: email, password: 'a long enough passphrase' },
  });
  if (!response.ok()) throw new Error(`the sign-in answered ${response.status()}`);
}

/** Waits until the screen can be used. @returns the seconds from the start of the navigation */
export async function usableAfter(page: Page): Promise<number> {
  const noted = await page.waitForFunction(() => (globalThis as { usableAfter?: number }).usableAfter);
  return ((await noted.jsonValue()) as number) / 1000;
}
