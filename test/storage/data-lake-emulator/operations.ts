import type { IncomingHttpHeaders } from 'node:http';
import { type Conditions, type EmulatedFilesystem, Refused, type StoredFile } from './filesystem.ts';

/** The operations that the emulator supports. */
export type Operation = 'create' | 'append' | 'flush' | 'properties' | 'read' | 'delete' | 'list' | 'lease';

export interface Asked {
  operation: Operation;
  /** The path in the filesystem; for a listing, the directory. */
  path: string;
  query: URLSearchParams;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: Buffer | string;
}

/** For each operation, the letters of a SAS token's permissions, of which one is sufficient. */
export const permissions: Record<Operation, string> = {
  create: 'cw',
  append: 'w',
  flush: 'w',
  properties: 'r',
  read: 'r',
  delete: 'd',
  list: 'l',
  lease: 'w',
};

/** Operations of the blob endpoint, which returns errors as XML. */
export const blobOperations: ReadonlySet<Operation> = new Set(['properties', 'read', 'lease']);

/** The operation of a request; undefined if the emulator does not support it. */
export function operationOf(
  method: string | undefined,
  query: URLSearchParams,
  path: string,
): Operation | undefined {
  const by: Record<string, Operation | undefined> = {
    PUT: query.get('comp') === 'lease' ? 'lease' : query.get('resource') === 'file' ? 'create' : undefined,
    PATCH: (['append', 'flush'] as const).find((action) => action === query.get('action')),
    HEAD: 'properties',
    GET: query.get('resource') === 'filesystem' ? 'list' : path ? 'read' : undefined,
    DELETE: path ? 'delete' : undefined,
  };
  return by[method ?? ''];
}

/** Headers with a single value each, by names in lower case. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Executes an operation. @throws {Refused} */
export function perform(filesystem: EmulatedFilesystem, asked: Asked, pageSize: number): Answer {
  return handlers[asked.operation](filesystem, asked, pageSize);
}

type Handler = (filesystem: EmulatedFilesystem, asked: Asked, pageSize: number) => Answer;

const handlers: Record<Operation, Handler> = {
  create: (filesystem, { path, headers }) => ({
    status: 201,
    headers: versionOf(filesystem.create(path, conditionsOf(headers))),
  }),
  append(filesystem, { path, query, headers, body }) {
    const position = Number(query.get('position'));
    filesystem.append(path, position, body, conditionsOf(headers));
    if (query.get('flush') !== 'true') return { status: 202 };
    try {
      const { leaseId } = conditionsOf(headers);
      return { status: 202, headers: versionOf(filesystem.flush(path, position + body.length, { leaseId })) };
    } catch (error) {
      filesystem.existing(path).appended.delete(position);
      throw error;
    }
  },
  flush: (filesystem, { path, query, headers }) => ({
    status: 200,
    headers: versionOf(filesystem.flush(path, Number(query.get('position')), conditionsOf(headers))),
  }),
  properties(filesystem, { path, headers }) {
    const file = filesystem.read(path, conditionsOf(headers));
    return { status: 200, headers: { ...versionOf(file), 'content-length': String(file.content.length) } };
  },
  read(filesystem, { path, headers }) {
    const file = filesystem.read(path, conditionsOf(headers));
    const range = /^bytes=(\d+)-(\d*)$/.exec(headers['x-ms-range'] ?? headers['range'] ?? '');
    if (!range) return { status: 200, headers: versionOf(file), body: file.content };
    const from = Number(range[1]);
    const to = Math.min(range[2] ? Number(range[2]) + 1 : file.content.length, file.content.length);
    if (from >= file.content.length)
      throw new Refused(
        416,
        'InvalidRange',
        'The range specified is invalid for the current size of the resource.',
      );
    const contentRange = `bytes ${from}-${to - 1}/${file.content.length}`;
    return {
      status: 206,
      headers: { ...versionOf(file), 'content-range': contentRange },
      body: file.content.subarray(from, to),
    };
  },
  delete(filesystem, { path, query, headers }) {
    if (query.get('recursive') === 'true') filesystem.removeFolder(path);
    else filesystem.remove(path, conditionsOf(headers));
    return { status: 200 };
  },
  list(filesystem, { query }, pageSize) {
    const all = filesystem.list(query.get('directory') ?? '', query.get('recursive') === 'true');
    const from = Number(query.get('continuation') ?? 0);
    const page = all.slice(from, from + pageSize);
    const paths = page.map(({ name, file }) => ({
      name,
      ...(file
        ? { contentLength: String(file.content.length), lastModified: file.lastModified.toUTCString() }
        : { isDirectory: 'true' }),
    }));
    const next = from + pageSize < all.length ? { 'x-ms-continuation': String(from + pageSize) } : {};
    return {
      status: 200,
      headers: { ...next, 'content-type': 'application/json' },
      body: JSON.stringify({ paths }),
    };
  },
  lease(filesystem, { path, headers }) {
    const { id, status } = filesystem.lease(path, headers['x-ms-lease-action'] ?? '', headers);
    return { status, headers: { ...versionOf(filesystem.existing(path)), 'x-ms-lease-id': id } };
  },
};

function conditionsOf(headers: Record<string, string>): Conditions {
  return {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
    leaseId: headers['x-ms-lease-id'],
  };
}

function versionOf({ etag, lastModified }: StoredFile): Record<string, string> {
  return { etag, 'last-modified': lastModified.toUTCString() };
}
