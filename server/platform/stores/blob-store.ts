/** The storage of records and files. Paths are relative, with `/` between their parts. */
export interface BlobStore {
  /** Whether reading an object twice costs about as much as keeping a copy of it. */
  readonly isLocal: boolean;
  /** Writes an object completely or not at all; replaces an existing one. */
  put(path: string, content: Uint8Array | string): Promise<void>;
  /**
   * Appends a line to a text object; creates the object if it does not exist. Several processes may append to one
   * object: each line is written once and completely.
   */
  appendLine(path: string, line: string): Promise<void>;
  /** Reads up to `max` bytes of an object, starting at byte `from`; null if it does not exist. */
  read(path: string, from: number, max: number): Promise<Uint8Array | null>;
  /**
   * Reads an object piece by piece; null if it does not exist, or not this version of it. A reader that stops early releases it,
   * even before it has begun (`return` of its iterator).
   */
  stream(path: string, version?: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Changes whenever an object is written, even by someone else; null if it does not exist. */
  version(path: string): Promise<string | null>;
  /** The names of the objects directly in a folder; none if the folder does not exist. */
  list(folder: string): Promise<string[]>;
  /**
   * The paths of all objects below a folder, however deep, one after the other and in any order; none if the folder does not exist. Never has
   * all of them in memory.
   */
  walk(folder: string): AsyncIterable<string>;
  /** When an object was last written; null if it does not exist. */
  lastWritten(path: string): Promise<Date | null>;
  /** Removes an object. Returns whether it existed. */
  remove(path: string): Promise<boolean>;
}

/** The store of the platform itself. The paths of a tenant begin with its id. */
export interface PlatformStore extends BlobStore {
  /** Appends the line of `announced` first, and writes no object if that fails. */
  put(path: string, content: Uint8Array | string, announced?: { path: string; line: string }): Promise<void>;
  /** The first parts of all paths: the ids of tenants, and the platform's own folders. */
  listTop(): Promise<string[]>;
  /**
   * The time from which objects may be missing or damaged, because the system under the store stopped suddenly (a power cut);
   * null if all objects are intact.
   */
  doubtfulSince(): Promise<Date | null>;
  /** Declares all doubtful objects as checked, and rewritten where needed. */
  settleDoubt(): Promise<void>;
  /** Removes the remains of interrupted writes. */
  tidy(): Promise<void>;
  /**
   * Checks whether objects could be written now, without writing one; it must be cheap, since it runs every few
   * seconds.
   * @throws an error that describes the problem
   */
  check(): Promise<void>;
}
