import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Stores records and files as objects. Paths are relative, with `/` between their parts. Each object has
 * its own path and is written once; a second `put` repeats a write whose response was lost, or repairs a damaged object.
 */
export interface BlobStore {
  /** Whether it costs about the same to read an object twice as to keep a copy of it. */
  readonly isLocal: boolean;
  /** Writes an object. The write is atomic: readers see all of the content or none of it. */
  put(path: string, content: Uint8Array | string): Promise<void>;
  /** Reads up to `max` bytes of an object, beginning with byte `from`; null if the object does not exist. */
  read(path: string, from: number, max: number): Promise<Uint8Array | null>;
  /**
   * Reads an object in pieces. Null if the object does not exist, or if it is not this version. A reader that stops
   * early, even before its first read, must release the object with `return` of the iterator.
   */
  stream(path: string, version?: string): Promise<AsyncIterable<Uint8Array> | null>;
  /**
   * Returns the version of an object, which changes each time that the object is written, also by other programs.
   * Null if the object does not exist.
   */
  version(path: string): Promise<string | null>;
  /** Lists the names of the objects directly in a folder; empty if the folder does not exist. */
  list(folder: string): Promise<string[]>;
  /**
   * Iterates over the paths of all objects below a folder, at any depth and in any order. Yields nothing if the
   * folder does not exist. The paths are never all in memory.
   */
  walk(folder: string): AsyncIterable<string>;
  /** Returns when an object was last written; null if the object does not exist. */
  lastWritten(path: string): Promise<Date | null>;
  /** Removes an object. Returns whether it existed. */
  remove(path: string): Promise<boolean>;
}

/** The account of a tenant. Other programs read its manifests, so each manifest is one object. */
export interface AccountStore extends BlobStore {
  /**
   * Appends a line to a text object, which is created if it does not exist. Several processes may append to the same
   * object: each line is written completely and exactly once.
   */
  appendLine(path: string, line: string): Promise<void>;
}

/** Objects in several folders at the top, which can be listed and removed. */
export interface ObjectStore extends BlobStore {
  /** Lists the names of the folders directly in a folder, or those at the top of the store. */
  listFolders(folder?: string): Promise<string[]>;
  /** Removes a folder with everything in it. Nothing happens if it does not exist. */
  removeFolder(folder: string): Promise<void>;
}

/** The storage of the platform. Paths of a tenant's objects begin with the id of the tenant. */
export interface PlatformStore extends ObjectStore {
  /**
   * Writes a line of a list. Lists consist of immutable parts, since an object store cannot append: lines that arrive
   * during a write become one object together, `<path>.<part>.jsonl`.
   * @param path the start of the parts' paths, such as `golden/announced/<time>`
   * @param pauseMs milliseconds between two parts with the same path
   */
  addLine(path: string, line: string, pauseMs?: number): Promise<void>;
  /** Removes what interrupted writes have left. */
  tidy(): Promise<void>;
  /**
   * Checks whether objects could be written now, without writing one. It must be cheap, because it is called every
   * few seconds.
   * @throws an error that describes the problem
   */
  check(): Promise<void>;
  /** Returns the space of the file system of a local folder. Null for other storage, which has no fixed size. */
  space(): Promise<{ freeBytes: number; totalBytes: number } | null>;
}

/**
 * The service of a store rejected a request, or did not respond. The error has the service's own message, but nothing
 * else of the request or response: no URL, header or cause, because these could contain a secret.
 */
export class StoreError extends Error {
  override name = 'StoreError';
  /**
   * The service's code, such as `AuthorizationFailure`, or a code for the failure of the connection, such as
   * `timeout`.
   */
  readonly code: string;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;

  constructor(message: string, code: string, status: number | null = null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/**
 * Returns functions around the requests of a provider's package.
 * @param convert converts any error of the package
 * @param isAbsent whether an error means that the object, or the requested version, does not exist
 */
export function requestsOf(
  convert: (thrown: unknown) => StoreError,
  isAbsent: (error: StoreError) => boolean,
) {
  const asStoreError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw convert(error);
    }
  };
  /** Returns the result of `work`; null if the object does not exist. */
  const ifThere = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await asStoreError(work);
    } catch (error) {
      if (isAbsent(error as StoreError)) return null;
      throw error;
    }
  };
  return { asStoreError, ifThere };
}

/** The start of the names of this process's parts, which is followed by a number. */
const ownName = randomBytes(9).toString('base64url');
let parts = 0;

/**
 * Returns a function that adds lines to lists as `PlatformStore.addLine` does: the first line is written at once; lines of
 * the same list that arrive during a write become the next part together.
 */
export function linesInParts(put: BlobStore['put']): PlatformStore['addLine'] {
  return lineBatches((path, lines) => put(`${path}.${ownName}${(parts++).toString(36)}.jsonl`, lines));
}

/**
 * Returns a function that writes lines, with one write at a time for each path. Lines that arrive during a write are
 * written together by the next one, after a pause.
 * @param write writes complete lines, each with its newline
 */
export function lineBatches(write: (path: string, lines: string) => Promise<void>) {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that will contain the waiting lines; undefined if no lines wait. It begins after `writing`. */
    next: Promise<void> | undefined;
  }
  const queues = new Map<string, Queue>();
  return (path: string, line: string, pauseMs = 0): Promise<void> => {
    const queue = queues.get(path) ?? { lines: [], writing: Promise.resolve(), next: undefined };
    queues.set(path, queue);
    queue.lines.push(line);
    queue.next ??= queue.writing
      .catch(() => {})
      .then(() => {
        const lines = queue.lines.splice(0);
        queue.next = undefined;
        const written = write(path, lines.map((text) => `${text}\n`).join(''));
        const paused = pauseMs > 0 ? written.then(() => sleep(pauseMs)) : written;
        queue.writing = paused.finally(() => {
          if (queue.next === undefined) queues.delete(path);
        });
        queue.writing.catch(() => {});
        return written;
      });
    return queue.next;
  };
}

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
