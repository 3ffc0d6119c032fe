/** An error response of the service. */
export class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string, message = `${code}.`) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Lease {
  id: string;
  /** Milliseconds. */
  length: number;
  until: number;
}

export interface StoredFile {
  /** The content that was flushed. */
  content: Buffer;
  /** Data that was appended and not flushed yet, by position. */
  appended: Map<number, Buffer>;
  etag: string;
  lastModified: Date;
  lease: Lease | null;
}

/** The conditions of a request. */
export interface Conditions {
  ifMatch?: string | undefined;
  ifNoneMatch?: string | undefined;
  leaseId?: string | undefined;
}

/** A filesystem with a hierarchical namespace that behaves like the service according to its documentation. */
export class EmulatedFilesystem {
  readonly files = new Map<string, StoredFile>();
  /** Counts up, so that each ETag is new. */
  #version = 0;
  readonly #leaseMilliseconds: number | undefined;

  /** @param leaseMilliseconds the duration of all leases, instead of the requested duration */
  constructor(leaseMilliseconds?: number) {
    this.#leaseMilliseconds = leaseMilliseconds;
  }

  create(path: string, conditions: Conditions): StoredFile {
    const existing = this.files.get(path);
    if (existing && conditions.ifNoneMatch === '*')
      throw new Refused(409, 'PathAlreadyExists', 'The specified path already exists.');
    if (existing) this.#check(existing, conditions);
    const file: StoredFile = {
      content: Buffer.alloc(0),
      appended: new Map(),
      lease: existing?.lease ?? null,
      ...this.#changed(),
    };
    this.files.set(path, file);
    return file;
  }

  append(path: string, position: number, bytes: Buffer, conditions: Conditions): StoredFile {
    const file = this.existing(path);
    // An append does not support If-Match.
    this.#check(file, { leaseId: conditions.leaseId });
    if (bytes.length === 0) throw new Refused(400, 'InvalidHeaderValue', 'Content-Length must not be zero.');
    if (position < file.content.length) throw invalidPosition();
    file.appended.set(position, bytes);
    return file;
  }

  flush(path: string, position: number, conditions: Conditions): StoredFile {
    const file = this.existing(path);
    this.#check(file, conditions);
    const parts = [file.content];
    let length = file.content.length;
    for (let part = file.appended.get(length); part; part = file.appended.get(length)) {
      parts.push(part);
      length += part.length;
    }
    if (length !== position) throw invalidPosition();
    file.content = Buffer.concat(parts);
    file.appended.clear();
    return Object.assign(file, this.#changed());
  }

  read(path: string, conditions: Conditions): StoredFile {
    const file = this.existing(path);
    // A file with a lease can be read without the lease.
    this.#check(file, { ...conditions, leaseId: conditions.leaseId ?? activeLease(file)?.id });
    return file;
  }

  remove(path: string, conditions: Conditions): void {
    this.#check(this.existing(path), conditions);
    this.files.delete(path);
  }

  removeFolder(folder: string): void {
    for (const { name } of this.list(folder, true)) this.files.delete(name);
  }

  /** The content of a directory; with `recursive`, also of its subdirectories. An empty name is the root. */
  list(folder: string, recursive = false): { name: string; file: StoredFile | null }[] {
    const prefix = folder && `${folder}/`;
    const found = new Map<string, StoredFile | null>();
    for (const [path, file] of this.files) {
      if (!path.startsWith(prefix)) continue;
      const parts = path.slice(prefix.length).split('/');
      for (let depth = 1; depth <= (recursive ? parts.length : 1); depth++)
        found.set(`${prefix}${parts.slice(0, depth).join('/')}`, depth < parts.length ? null : file);
    }
    if (folder && found.size === 0) throw pathNotFound();
    return [...found].map(([name, file]) => ({ name, file })).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  lease(path: string, action: string, headers: Record<string, string>): { id: string; status: number } {
    const file = this.existing(path);
    const held = activeLease(file);
    const id = headers['x-ms-lease-id'] ?? headers['x-ms-proposed-lease-id'] ?? '';
    if (action === 'acquire') {
      if (held && held.id !== id)
        throw new Refused(409, 'LeaseAlreadyPresent', 'There is already a lease present.');
      const seconds = Number(headers['x-ms-lease-duration']);
      if (!(seconds >= 15 && seconds <= 60)) throw new Refused(400, 'InvalidHeaderValue');
      const length = this.#leaseMilliseconds ?? seconds * 1000;
      file.lease = { id, length, until: Date.now() + length };
      return { id, status: 201 };
    }
    if (file.lease?.id !== id)
      throw new Refused(409, 'LeaseIdMismatchWithLeaseOperation', 'The lease ID did not match.');
    if (action === 'renew') file.lease.until = Date.now() + file.lease.length;
    else if (action === 'release') file.lease = null;
    else throw new Refused(400, 'InvalidHeaderValue');
    return { id, status: 200 };
  }

  existing(path: string): StoredFile {
    const file = this.files.get(path);
    if (!file) throw pathNotFound();
    return file;
  }

  #check(file: StoredFile, { ifMatch, leaseId }: Conditions): void {
    if (ifMatch !== undefined && ifMatch !== file.etag)
      throw new Refused(
        412,
        'ConditionNotMet',
        'The condition specified using HTTP conditional header(s) is not met.',
      );
    const held = activeLease(file);
    if (held && leaseId === undefined)
      throw new Refused(
        412,
        'LeaseIdMissing',
        'There is currently a lease on the resource and no lease ID was specified.',
      );
    if (held && leaseId !== held.id) throw new Refused(412, 'LeaseIdMismatchWithBlobOperation');
    if (!held && leaseId !== undefined)
      throw new Refused(412, 'LeaseLost', 'A lease ID was specified, but the lease has expired.');
  }

  #changed(): { etag: string; lastModified: Date } {
    this.#version += 1;
    return { etag: `"0x8DE${this.#version.toString(16).padStart(12, '0')}"`, lastModified: new Date() };
  }
}

function activeLease({ lease }: StoredFile): Lease | null {
  return lease && lease.until > Date.now() ? lease : null;
}

function pathNotFound(): Refused {
  return new Refused(404, 'PathNotFound', 'The specified path does not exist.');
}

function invalidPosition(): Refused {
  return new Refused(
    400,
    'InvalidFlushPosition',
    'The uploaded data is not contiguous or the position query parameter value is not equal to the length of the file after appending the uploaded data.',
  );
}
