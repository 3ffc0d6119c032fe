import type { Readable } from 'node:stream';

/**
 * Checks the path of an object or folder in a store. A valid path has two or more parts of letters, digits and `_-.`.
 * No part consists only of dots, and the first does not begin with a dot. So a path cannot lead out of the store, and
 * needs no escaping in URLs.
 * @returns the path
 * @throws {Error} for an invalid path
 */
export function checkedPath(path: string): string {
  if (!path.includes('/')) throw notAPath();
  return checkedFolder(path);
}

/**
 * Checks the path of a folder in the same way, except that a single part is allowed, because the folder may be at the
 * top of the store.
 */
export function checkedFolder(path: string): string {
  if (!/^[\w-][\w.-]*(\/[\w.-]+)*$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw notAPath();
  return path;
}

/** Whether this may be the name of a folder. Other folders, such as `.incoming`, are the store's own. */
export function isFolderName(name: string): boolean {
  return /^[\w-][\w.-]*$/.test(name);
}

function notAPath(): Error {
  return new Error('the path is not valid for the storage');
}

/** Returns a stream that is destroyed when its reader stops, even before the first read. */
export function releasedStream(
  stream: Readable,
  toError: (thrown: unknown) => unknown = (thrown) => thrown,
): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return {
        next: () =>
          pieces.next().catch((error: unknown) => {
            throw toError(error);
          }),
        async return() {
          stream.destroy();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
