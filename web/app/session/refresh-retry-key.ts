import { newIdempotencyKey } from '#sdk/random-key.ts';

/**
 * The name of the key in `localStorage`, which all tabs share, like the cookie. The key is useless without the cookie.
 */
const storageKey = 'lingualoop-refresh-retry';

/** The key, if the browser does not allow the page to store it. */
let unstored: string | undefined;

/**
 * Returns the retry key of the next refresh. The key is stored before the refresh is sent, and stays the same until a
 * response has arrived. A tab that lost the response, was closed or crashed can therefore repeat the refresh with the
 * same key.
 */
export function refreshRetryKey(): string {
  try {
    const begun = localStorage.getItem(storageKey);
    if (begun !== null) return begun;
    const key = newIdempotencyKey();
    localStorage.setItem(storageKey, key);
    return key;
  } catch {
    unstored ??= newIdempotencyKey();
    return unstored;
  }
}

/** Deletes the key, after a response to the refresh or if the session has ended. */
export function forgetRefreshRetryKey(): void {
  unstored = undefined;
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // The key was not stored.
  }
}
