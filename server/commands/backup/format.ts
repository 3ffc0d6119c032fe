import { z } from 'zod';
import type { Table } from '#db/copy/contents.ts';

/*
 * A backup is a tar file, compressed with zstd, so that other programs can read it (`tar --zstd -tf FILE`). In this
 * order:
 *
 *   backup.json                              the header
 *   secrets.key                              the key of DATA_DIR, if there is one (decision 62)
 *   database/<schema>.<table>/000001.copy    rows in the text format of COPY; a part ends with a row
 *   database/sequences.json
 *   objects/<path>                           an object of platform storage
 *   lines/<path>/000001                      a text object that grows by lines; a part ends with a line
 *   manifest.json                            the list of all contents
 *
 * index/000001.json comes after every thousand parts and lists them with their digests; the manifest lists the
 * digests of the indexes. So neither the writer nor the reader has all parts in memory, and missing or changed parts
 * are found.
 */

export const names = {
  header: 'backup.json',
  key: 'secrets.key',
  sequences: 'database/sequences.json',
  manifest: 'manifest.json',
} as const;

/** The only version so far. A reader rejects others. */
export const formatVersion = 1;

/** Parts that one index lists. */
export const partsOfIndex = 1000;

/** Bytes after which a part of rows or lines ends. */
export const partBytes = 4_000_000;

/**
 * Bytes of the largest part that a reader accepts: an object is one part, and the service itself holds an uploaded
 * file in memory.
 */
export const maxPartBytes = 1_000_000_000;

/**
 * Bytes of the largest header, key, index or manifest. The header of a hundred thousand bound accounts has ten
 * million.
 */
export const maxOwnPartBytes = 64_000_000;

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().min(0);

export const headerShape = z.object({
  format: z.number(),
  service: z.string(),
  /** When the snapshot of the database was taken. */
  taken_at: z.iso.datetime(),
  schema: z.object({ migration: count, jobQueue: count }),
  tables: z.array(z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()) })),
  secrets_key: z.object({
    /** The id of SECRETS_KEY, then of SECRETS_KEY_PREVIOUS if it was set. */
    ids: z.array(z.string()).min(1),
    /** Whether the key itself is in the backup. */
    included: z.boolean(),
  }),
  /** Tenants' own accounts, whose objects stay there. */
  accounts: z.array(z.object({ tenant_id: z.string(), address: z.string() })),
});

export type Header = z.infer<typeof headerShape>;

const partShape = z.object({ name: z.string(), bytes: count, sha256: hash });

export const indexShape = z.array(partShape);

/** A part, as an index lists it. */
export type Part = z.infer<typeof partShape>;

export const manifestShape = z.object({
  /** The digest of each index, in order. */
  indexes: z.array(hash),
  /** Rows by table. */
  rows: z.record(z.string(), count),
  objects: count,
  /** Objects of rows that were missing: removed during the backup, or lost before. */
  missing: count,
  /** A hash of all fields above with the key of stored secrets. */
  authentication: hash,
});

export type Manifest = z.infer<typeof manifestShape>;

/** A table's name in the manifest and in the names of its parts. */
export function tableName({ schema, name }: Pick<Table, 'schema' | 'name'>): string {
  return `${schema}.${name}`;
}

export function tablePart(table: Table, number: number): string {
  return `database/${tableName(table)}/${numbered(number)}.copy`;
}

export function linesPart(path: string, number: number): string {
  return `lines/${path}/${numbered(number)}`;
}

export function indexPart(number: number): string {
  return `index/${numbered(number)}.json`;
}

function numbered(number: number): string {
  return String(number).padStart(6, '0');
}

/** The path of an object from the name of its part; undefined for another part. */
export function objectPath(name: string): string | undefined {
  return /^objects\/(.+)$/.exec(name)?.[1];
}

/** The path of a text object from the name of one of its parts; undefined for another part. */
export function linesPath(name: string): string | undefined {
  return /^lines\/(.+)\/\d{6,}$/.exec(name)?.[1];
}

/** The table's name from the name of one of its parts; undefined for another part. */
export function nameOfTable(name: string): string | undefined {
  return /^database\/([^/]+)\/\d{6,}\.copy$/.exec(name)?.[1];
}
