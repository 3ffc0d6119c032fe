/** Stores records and files as objects. Paths are relative, with `/` between their parts. */
export interface BlobStore {
  /** Whether it costs about the same to read an object twice as to keep a copy of it. */
  readonly isLocal: boolean;
  /**
   * Writes an object, and replaces an existing one. The write is atomic: readers see all of the new content or none
   * of it.
   */
  put(path: string, content: Uint8Array | string): Promise<void>;
  /**
   * Appends a line to a text object, which is created if it does not exist. Several processes may append to the same
   * object: each line is written completely and exactly once.
   */
  appendLine(path: string, line: string): Promise<void>;
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

/** A record that is to be written. */
export interface NewRecord {
  /** The folder of the records, such as `<tenant>/golden`. */
  folder: string;
  /** The name of the record, such as `<job>.json`. Several records may have the same name. */
  name: string;
  at: Date;
  /** A text without line breaks. */
  content: string;
  /**
   * A line that is appended to a text object before the record is written. If that fails, the record is not written.
   * `{record}` in the line stands for the path of the record below `folder`.
   */
  announced: { path: string; line: string };
}

/** The storage of the platform. Paths of a tenant's objects begin with the id of the tenant. */
export interface PlatformStore extends BlobStore {
  /**
   * Writes a record. A store may keep many records in one file. The other functions accept the path of a record, except
   * `put`.
   * @returns the path of the record below the folder
   */
  putRecord(record: NewRecord): Promise<string>;
  /** Like `walk`, but yields the path of a file with many records once, instead of those of its records. */
  walkFiles(folder: string): AsyncIterable<string>;
  /** Removes a folder with everything in it. Nothing happens if it does not exist. */
  removeFolder(folder: string): Promise<void>;
  /** Lists the first parts of all paths: the ids of tenants, and the platform's own folders. */
  listTop(): Promise<string[]>;
  /**
   * Returns the time since which written objects may be missing or damaged, because the system below the store has
   * stopped suddenly, for example by a power failure. Null if all objects are intact.
   */
  doubtfulSince(): Promise<Date | null>;
  /** Records that all doubtful objects have been checked and, if necessary, written again. */
  settleDoubt(): Promise<void>;
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
