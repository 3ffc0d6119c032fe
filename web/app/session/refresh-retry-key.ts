import { newIdempotencyKey } from '#sdk/random-key.ts';

/** In `localStorage`, for all tabs, which share the cookie too. Without the cookie the key is worth nothing. */
const storageKey = 'lingualoop-refresh-retry';

/** The key where the browser refuses to store anything. */
let unstored: string | undefined;

/**
 * The retry key of the refresh that is about to be sent. It is stored first, and stays the same until the response has arrived: a
 * tab that lost the response, or was closed or killed, repeats the refresh with it.
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

/** Forgets the key: the refresh was answered, or there is no session any longer. */
export function forgetRefreshRetryKey(): void {
  unstored = undefined;
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // It was not stored either.
  }
}
