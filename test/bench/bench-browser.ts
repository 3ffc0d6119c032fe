import type { BrowserContext } from 'playwright-core';
import type { BenchTenant } from './bench-service.ts';

/** What is there when a screen can be used: an element, and words in it. */
export interface Ready {
  selector: string;
  text?: string;
}

/**
 * A script for the page: notes in `usableAfter` how many milliseconds after the navigation began the frame was painted that shows
 * the element. The page does so itself, since a locator that waits looks every half second only.
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

/** Puts the refresh token of a new session into the browser's cookies, as the sign-in screen does. */
export async function signInTo(
  context: BrowserContext,
  { address }: { address: string },
  { email }: BenchTenant,
) {
  const response = await context.request.post(`${address}/signin/token`, {
    data: { grant_type: 'password', username: email, password: 'a long enough passphrase' },
  });
  if (!response.ok()) throw new Error(`the sign-in answered ${response.status()}`);
}

/** Prints a figure with its limit, and lets the bench fail beyond it. */
export function report(
  print: (line: string) => void,
  what: string,
  value: number,
  most: number,
  unit: string,
): void {
  const missed = value > most;
  if (missed) process.exitCode = 1;
  print(
    `${what.padEnd(36)} ${value.toFixed(unit === 's' ? 2 : 0).padStart(6)} ${unit}   (at most ${most})${missed ? '   MISSED' : ''}`,
  );
}
