import { newIdempotencyKey } from '#sdk/random-key.ts';

/** In `localStorage`, for all tabs, which share the cookie, too. Without the cookie, the key is useless. */
const storageKey = 'lingualoop-refresh-retry';

/** The key if the browser blocks storage. */
let unstored: string | undefined;

/**
 * The retry key of the next refresh. It is stored first, and stays the same until the response has arrived: a tab that lost
 * the response, or was closed or killed, repeats the refresh with it.
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

/** Deletes the key after a response to the refresh, or if there is no longer a session. */
export function forgetRefreshRetryKey(): void {
  unstored = undefined;
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // It was not stored.
  }
}
