import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { inTime, remembered } from './bounded-reading.ts';

/** The state of platform storage. */
export interface StorageState {
  isUp: boolean;
  /** The space of a local directory. Null for other storage, and if the space cannot be read. */
  space: { freeBytes: number; totalBytes: number } | null;
}

/** Milliseconds for which a result is cached. */
const maximumAge = 10_000;

/**
 * Returns a function that reads the state of platform storage.
 * @param isUp whether storage accepts objects
 */
export function watchStorage(
  storage: PlatformStore,
  isUp: () => Promise<boolean>,
): () => Promise<StorageState> {
  return remembered(maximumAge, async () => ({
    isUp: await isUp(),
    space: await inTime(storage.space()).catch(() => null),
  }));
}
