import type { Readable } from 'node:stream';
import type { ListObjectsV2CommandInput, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import type { PlatformStore } from './blob-store.ts';
import {
  checkedFolder,
  checkedPath,
  isFolderName,
  linesInParts,
  releasedStream,
  requestsOf,
  StoreError,
} from './blob-store.ts';
import type { Problem } from './data-lake-address.ts';

/** A bucket of a service with the S3 API, and how to access it. */
export interface S3Bucket {
  bucket: string;
  /** The folder in the bucket that contains all objects; empty if they are at the top. */
  folder: string;
  region: string | undefined;
  /** The URL of another service than AWS. */
  endpoint: string | undefined;
  /** Whether the bucket is a part of the path instead of the host. */
  pathStyle: boolean;
  /** Server-side encryption: `AES256` or `aws:kms`. By default, the setting of the bucket decides. */
  encryption: 'AES256' | 'aws:kms' | undefined;
  kmsKey: string | undefined;
}

const options = ['region', 'endpoint', 'path_style', 'encryption', 'kms_key'];

/**
 * Reads PLATFORM_STORAGE_URL: `s3://<bucket>[/folder][?region=…&endpoint=…&path_style=…&encryption=…&kms_key=…]`.
 * Credentials are never in the URL: the package of AWS finds them in the environment, in its file or at the machine.
 */
export function parseS3Url(text: string): S3Bucket | Problem {
  const { hostname, port, pathname, searchParams, hash, username, password } = new URL(text);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(hostname) || port || hash || username || password)
    return { problem: 'must be s3://<bucket>, with or without a folder and a query' };
  const folder = pathname.split('/').filter(Boolean).join('/');
  if (!/^([\w-][\w.-]*(\/[\w-][\w.-]*)*)?$/.test(folder))
    return { problem: 'the folder may have only letters, digits, "_", "-" and "."' };
  for (const name of searchParams.keys())
    if (!options.includes(name)) return { problem: `the query may have only ${options.join(', ')}` };
  const option = (name: string) => searchParams.get(name) || undefined;
  const endpoint = option('endpoint');
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint))
    return { problem: 'the endpoint must be an http or https URL without path and query' };
  const pathStyle = option('path_style') ?? String(endpoint !== undefined);
  if (pathStyle !== 'true' && pathStyle !== 'false') return { problem: 'path_style must be true or false' };
  const encryption = option('encryption');
  if (encryption !== undefined && encryption !== 'AES256' && encryption !== 'aws:kms')
    return { problem: 'encryption must be AES256 or aws:kms' };
  const kmsKey = option('kms_key');
  if (kmsKey !== undefined && encryption !== 'aws:kms')
    return { problem: 'kms_key needs encryption=aws:kms' };
  const region = option('region') ?? (endpoint === undefined ? undefined : 'us-east-1');
  return {
    ...{ bucket: hostname, folder, region, endpoint, encryption, kmsKey },
    pathStyle: pathStyle === 'true',
  };
}

/** The slowest upload that does not time out, in bytes a millisecond. */
const bytesPerMs = 100;

const maxResponseMs = 20_000;

/** Timeouts and retries of requests; tests shorten them. */
interface S3Times {
  /** Maximum milliseconds to connect. */
  connect?: number;
  /** Maximum milliseconds until a response. A body may pause 15 times as long, because its reader may be slow. */
  response?: number;
  /** Attempts of a request that fails because of the service or the connection. */
  attempts?: number;
}

interface S3 {
  client: S3Client;
  s3: typeof import('@aws-sdk/client-s3');
}

/**
 * Returns a function that opens the client of a bucket at its first call. The package takes 0.1 seconds and 20 MB, so a
 * service without a bucket does not load it.
 */
function clientOf(
  { endpoint, region, pathStyle }: S3Bucket,
  { connect = 5000, response = maxResponseMs, attempts = 4 }: S3Times,
): () => Promise<S3> {
  let opened: Promise<S3> | undefined;
  return () => {
    opened ??= import('@aws-sdk/client-s3')
      .then((s3) => {
        const client = new s3.S3Client({
          ...(region !== undefined && { region }),
          ...(endpoint !== undefined && { endpoint }),
          forcePathStyle: pathStyle,
          maxAttempts: attempts,
          // Other services do not know the additional checksums of AWS.
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
          requestHandler: {
            connectionTimeout: connect,
            requestTimeout: response,
            throwOnRequestTimeout: true,
            socketTimeout: 15 * response,
            // More than there are slots of downloads, so that slow readers delay no other request.
            httpsAgent: { keepAlive: true, maxSockets: 512 },
            httpAgent: { keepAlive: true, maxSockets: 512 },
          },
        });
        return { client, s3 };
      })
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
}

/** Sends a request with the opened client. @throws StoreError */
type Send = <T>(request: (s3: S3) => Promise<T>) => Promise<T>;

/** Yields the pages of a listing. */
async function* pagesOf(send: Send, query: ListObjectsV2CommandInput & { Prefix: string }) {
  let ContinuationToken: string | undefined;
  do {
    const page = await send(({ client, s3 }) =>
      client.send(new s3.ListObjectsV2Command({ ...query, ContinuationToken })),
    );
    yield {
      keys: (page.Contents ?? []).map(({ Key = '' }) => Key).filter((key) => !key.endsWith('/')),
      folders: (page.CommonPrefixes ?? []).map(({ Prefix = '' }) => Prefix.slice(query.Prefix.length, -1)),
    };
    ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined;
  } while (ContinuationToken !== undefined);
}

/**
 * Opens a store in a bucket. Makes no request yet. All errors are a `StoreError`, except the error for an invalid path. A
 * request whose response is lost is repeated: that is harmless, because an object never changes.
 */
export function openS3(address: S3Bucket, times: S3Times = {}): PlatformStore {
  const { bucket: Bucket, encryption, kmsKey } = address;
  const root = address.folder ? `${address.folder}/` : '';
  const encrypted: Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'> = {
    ...(encryption && { ServerSideEncryption: encryption }),
    ...(kmsKey && { SSEKMSKeyId: kmsKey }),
  };
  const open = clientOf(address, times);
  const send: Send = (request) => asStoreError(async () => request(await open()));
  const put: PlatformStore['put'] = async (path, content) => {
    const Key = root + checkedPath(path);
    const Body = typeof content === 'string' ? Buffer.from(content) : content;
    // The time includes that of the upload.
    const requestTimeout = (times.response ?? maxResponseMs) + Body.length / bytesPerMs;
    await send(({ client, s3 }) =>
      client.send(new s3.PutObjectCommand({ Bucket, Key, Body, ...encrypted }), { requestTimeout }),
    );
  };
  const get = async (path: string, options: { Range?: string; IfMatch?: string }) => {
    const Key = root + checkedPath(path);
    return send(({ client, s3 }) => client.send(new s3.GetObjectCommand({ Bucket, Key, ...options })));
  };
  const head = async (path: string) => {
    const Key = root + checkedPath(path);
    return ifThere(() => send(({ client, s3 }) => client.send(new s3.HeadObjectCommand({ Bucket, Key }))));
  };
  const remove: PlatformStore['remove'] = async (path) => {
    if (!(await head(path))) return false;
    const Key = root + path;
    await send(({ client, s3 }) => client.send(new s3.DeleteObjectCommand({ Bucket, Key })));
    return true;
  };
  /** With `isFlat`, only what is directly in the folder. */
  const pages = (Prefix: string, isFlat: boolean, MaxKeys = 1000) =>
    pagesOf(send, { Bucket, Prefix, MaxKeys, ...(isFlat && { Delimiter: '/' }) });
  async function* walk(folder: string) {
    for await (const { keys } of pages(`${root}${checkedFolder(folder)}/`, false))
      for (const key of keys) yield key.slice(root.length);
  }

  return {
    isLocal: false,
    put,
    addLine: linesInParts(put),
    async read(path, from, max) {
      // Request at least one byte, because an empty range would be invalid.
      const Range = `bytes=${from}-${from + Math.max(max, 1) - 1}`;
      try {
        const found = await ifThere(() => get(path, { Range }));
        const bytes = await asStoreError(async () => found?.Body?.transformToByteArray());
        return bytes?.subarray(0, max) ?? null;
      } catch (error) {
        // The range begins at the end of the object or behind it.
        if (error instanceof StoreError && error.status === 416) return Buffer.alloc(0);
        throw error;
      }
    },
    async stream(path, version) {
      const found = await ifThere(() => get(path, version === undefined ? {} : { IfMatch: version }));
      return found && releasedStream(found.Body as Readable, toStoreError);
    },
    version: async (path) => (await head(path))?.ETag ?? null,
    async list(folder) {
      const prefix = `${root}${checkedPath(folder)}/`;
      const names: string[] = [];
      for await (const { keys } of pages(prefix, true))
        names.push(...keys.map((key) => key.slice(prefix.length)));
      return names;
    },
    async listFolders(folder) {
      const names: string[] = [];
      for await (const { folders } of pages(
        folder === undefined ? root : `${root}${checkedFolder(folder)}/`,
        true,
      ))
        names.push(...folders.filter(isFolderName));
      return names;
    },
    walk,
    lastWritten: async (path) => (await head(path))?.LastModified ?? null,
    remove,
    async removeFolder(folder) {
      let paths: string[] = [];
      const removeThem = () => Promise.all(paths.map(remove));
      // One by one: some services do not have the request that removes several objects.
      for await (const path of walk(folder)) {
        if (paths.push(path) < 16) continue;
        await removeThem();
        paths = [];
      }
      await removeThem();
    },
    tidy: async () => {},
    // A single request that succeeds only if the bucket and the permission to list it exist.
    async check() {
      for await (const _ of pages(`${root}lingualoop-readiness`, true, 1)) break;
    },
    space: async () => null,
  };
}

const { asStoreError, ifThere } = requestsOf(
  toStoreError,
  // A missing bucket is a failure; a response to HEAD does not say which of the two is missing.
  ({ status, code }) => (status === 404 && code !== 'NoSuchBucket') || status === 412,
);

/** Maximum characters of the service's message. */
const maxMessageLength = 1000;

/** Converts an error of the package: it also contains the request, whose headers have a signature. */
function toStoreError(thrown: unknown): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const { name, code, message, $metadata } = thrown as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const said = (message || String(thrown)).slice(0, maxMessageLength);
  return new StoreError(said, code ?? name ?? 'unknown', $metadata?.httpStatusCode ?? null);
}
