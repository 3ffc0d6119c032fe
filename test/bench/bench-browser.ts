import type { BrowserContext } from 'playwright-core';
import type { BenchTenant } from './bench-service.ts';

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

/** Prints a figure with its limit. If the figure exceeds the limit, the benchmark fails. */
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
