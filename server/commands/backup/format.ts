import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Table } from '#db/copy/contents.ts';

/*
 * A backup is a tar file, compressed with zstd, so that other programs can read it (`tar --zstd -tf FILE`). It
 * contains these parts, in this order:
 *
 *   backup.json                              the header
 *   secrets.key                              the key of DATA_DIR, if there is one (decision 62)
 *   database/<schema>.<table>/000001.copy    rows in the text format of COPY; a part ends with a row
 *   database/sequences.json
 *   objects/<path>                           an object of platform storage
 *   pieces/<path>/000001                     a piece of a large object
 *   list/000001.jsonl                        the list of all objects, also of those in former backups of the chain
 *   manifest.json                            the list of all contents
 *
 * After every thousand parts, there is an index, such as index/000001.json, which lists these parts with their digests.
 * The manifest lists the digests of the indexes. So a reader finds missing and changed parts, and neither writer nor
 * reader needs all parts in memory.
 *
 * Objects and list are sorted by path, so that a reader compares them without holding them in memory. The list, its
 * indexes and the manifest are a separate zstd frame, whose position is in the last bytes of the file (locator.ts). So
 * the next incremental backup reads only the end of the file (decision 62).
 */

export const names = {
  header: 'backup.json',
  key: 'secrets.key',
  sequences: 'database/sequences.json',
  manifest: 'manifest.json',
} as const;

/** The version that is written and read. */
export const formatVersion = 2;

/** Maximum parts that one index lists. */
export const partsOfIndex = 1000;

/** Bytes after which a part with rows or lines ends. */
export const partBytes = 4_000_000;

/**
 * Maximum bytes of a part that a reader accepts. An object is one part, and the service itself holds an uploaded file
 * in memory.
 */
export const maxPartBytes = 1_000_000_000;

/**
 * Maximum bytes of a header, key, index or manifest. With a hundred thousand connected accounts, the header has ten
 * million.
 */
export const maxOwnPartBytes = 64_000_000;

/** Bytes up to which an object is one part. Several of these are in memory at the same time. */
export const maxWholeBytes = 8_000_000;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);

const linkShape = z.object({
  /** The name of the file when it was used as the former backup, for messages. */
  file: z.string(),
  taken_at: z.iso.datetime(),
  /** The digest of its manifest. */
  manifest: hash,
});

/** A former backup in the chain of an incremental one. */
export type Link = z.infer<typeof linkShape>;

export const headerShape = z.object({
  format: z.number(),
  service: z.string(),
  /** When the snapshot of the database was taken. */
  taken_at: z.iso.datetime(),
  schema: z.object({ migration: count, jobQueue: count }),
  tables: z.array(z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
  secrets_key: z.object({
    /** The ids of the keys: that of SECRETS_KEY, then that of SECRETS_KEY_PREVIOUS if it was set. */
    ids: z.array(z.string()).min(1),
    /** Whether the backup contains the key itself. */
    included: z.boolean(),
  }),
  /** The tenants' own accounts. Objects in these accounts are not part of the backup. */
  accounts: z.array(z.object({ tenant_id: z.string(), address: z.string() })),
  /** The full backup and each incremental one before this backup. Empty in a full backup. */
  chain: z.array(linkShape),
});

export type Header = z.infer<typeof headerShape>;

const partShape = z.object({ name: z.string(), bytes: count, sha256: hash });

export const indexShape = z.array(partShape);

/** The description of a part in an index. */
export type Part = z.infer<typeof partShape>;

export const manifestShape = z.object({
  /** The digests of the indexes, in their order. */
  indexes: z.array(hash),
  /** The number of rows of each table. */
  rows: z.record(z.string(), count),
  /** The number of objects in the list. */
  objects: count,
  /** The number of objects to which rows refer but which were missing: removed during the backup, or lost before. */
  missing: count,
  /** A hash of all fields above, made with the key of stored secrets. */
  authentication: hash,
});

export type Manifest = z.infer<typeof manifestShape>;

export const listedObjectShape = z.object({
  path: z.string(),
  bytes: count,
  sha256: hash,
  /** The position in the chain of the backup that contains the object: 0 is the full backup. */
  backup: count,
  /**
   * A digest of the version that the store reported. Missing if a later change might not change this version. The
   * next backup does not read an object whose version is the same.
   */
  version: z.string().optional(),
});

/** A line of the list. */
export type ListedObject = z.infer<typeof listedObjectShape>;

/** Returns the name of a table as the manifest and the names of parts contain it. */
export function tableName({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${schema}.${name}`;
}

export function tablePart(table: Table, number: number): string {
  return `database/${tableName(table)}/${numbered(number)}.copy`;
}

export function piecesPart(path: string, number: number): string {
  return `pieces/${path}/${numbered(number)}`;
}

export function listPart(number: number): string {
  return `list/${numbered(number)}.jsonl`;
}

export function indexPart(number: number): string {
  return `index/${numbered(number)}.json`;
}

function numbered(number: number): string {
  return String(number).padStart(6, '0');
}

/** An object of which a part contains all or a piece. */
export interface ObjectPart {
  path: string;
  kind: 'objects' | 'pieces';
}

/** Returns the object of a part from the part's name; undefined for parts with other contents. */
export function objectOfPart(name: string): ObjectPart | undefined {
  const whole = /^objects\/(.+)$/.exec(name)?.[1];
  if (whole !== undefined) return { path: whole, kind: 'objects' };
  // Versions before 1.0 wrote the pieces of manifests as `lines`.
  const path = /^(?:pieces|lines)\/(.+)\/\d{6,}$/.exec(name)?.[1];
  return path === undefined ? undefined : { path, kind: 'pieces' };
}

/** Returns the name of a table from the name of one of its parts; undefined for all other parts. */
export function nameOfTable(name: string): string | undefined {
  return /^database\/([^/]+)\/\d{6,}\.copy$/.exec(name)?.[1];
}

/*
 * The last bytes of a backup: a skippable frame of zstd, which other programs ignore. It contains the position of the
 * frame with list and manifest, and a digest of all bytes before. So a reader finds any damaged byte, even one that
 * changes no content.
 */

const skippable = 0x184d2a50;
const mark = Buffer.from('LLBACKUP');
/** Magic number and length of the frame, then the mark, the position and the digest. */
const locatorBytes = 8 + mark.length + 8 + 32;

export interface Locator {
  /** The position of the frame with list and manifest. */
  tail: number;
  /** The position of the locator: the end of that frame. */
  end: number;
  /** A digest of all bytes before the locator and of the position of the tail. */
  digest: Buffer;
}

/** Computes the digest of a file that is read or written from its start. */
export class FileDigest {
  readonly #hash = createHash('sha256');

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  end(tail: number): Buffer {
    return this.#hash.update(position(tail)).digest();
  }
}

export function locatorFrame(tail: number, digest: Buffer): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(skippable, 0);
  start.writeUInt32LE(locatorBytes - start.length, 4);
  return Buffer.concat([start, mark, position(tail), digest]);
}

/** Reads the locator of a file. Returns undefined if the file does not end with one. */
export async function readLocator(file: string): Promise<Locator | undefined> {
  await using opened = await open(file);
  const end = (await opened.stat()).size - locatorBytes;
  if (end < 0) return undefined;
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(locatorBytes), 0, locatorBytes, end);
  const tail = Number(buffer.readBigUInt64LE(8 + mark.length));
  const digest = buffer.subarray(locatorBytes - 32);
  if (bytesRead < locatorBytes || !buffer.equals(locatorFrame(tail, digest)) || tail >= end) return undefined;
  return { tail, end, digest };
}

function position(bytes: number): Buffer {
  const written = Buffer.alloc(8);
  written.writeBigUInt64LE(BigInt(bytes));
  return written;
}
