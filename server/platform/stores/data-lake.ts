import type { Readable } from 'node:stream';
import type { DataLakeFileClient, DataLakeFileSystemClient } from '@azure/storage-file-datalake';
import type { AccountStore, ObjectStore } from './blob-store.ts';
import {
  checkedFolder,
  checkedPath,
  isFolderName,
  lineBatches,
  releasedStream,
  requestsOf,
} from './blob-store.ts';
import { isMissing, isOtherVersion, toStoreError } from './data-lake/failures.ts';
import type { FilesystemOptions } from './data-lake/filesystem.ts';
import { appendLines, putObject, readBytes } from './data-lake/writes.ts';
import type { DataLakeAddress, DataLakeCredential } from './data-lake-address.ts';

export interface DataLakeOptions extends FilesystemOptions {
  /** The folder in the filesystem that contains all objects. Omitted if they are at the top. */
  folder?: string;
}

/** The objects in a filesystem of an Azure Data Lake (Gen2) account. */
type DataLake = AccountStore & ObjectStore;

/**
 * Opens a store in a Data Lake filesystem. Makes no request yet. Use the same store as long as URL and credential
 * stay the same: appended lines are combined into one write only within one store.
 *
 * All errors are a `StoreError`, except the error for an invalid path.
 */
export function openDataLake(
  address: DataLakeAddress,
  credential: DataLakeCredential,
  options: DataLakeOptions = {},
): DataLake {
  const folder = options.folder ? `${options.folder}/` : '';
  let opened: Promise<DataLakeFileSystemClient> | undefined;

  /**
   * Opens the filesystem when it is used for the first time, and again if that has failed. The packages for it take
   * 0.3 seconds and 50 MB, so a service without a Data Lake does not load them.
   */
  const filesystem = () => {
    opened ??= import('./data-lake/filesystem.ts')
      .then(({ openFilesystem }) => openFilesystem(address, credential, options))
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const withFile = async <T>(path: string, work: (file: DataLakeFileClient) => Promise<T>): Promise<T> => {
    const name = folder + checkedPath(path);
    return asStoreError(async () => work((await filesystem()).getFileClient(name)));
  };
  /** Returns the objects and folders directly in a folder. */
  const entries = (path: string) =>
    asStoreError(async () => {
      const found: { name: string; isDirectory: boolean }[] = [];
      const listed = (await filesystem()).listPaths({ path, recursive: false });
      await ifThere(async () => {
        for await (const { name = '', isDirectory = false } of listed)
          found.push({ name: name.slice(name.lastIndexOf('/') + 1), isDirectory });
      });
      return found;
    });
  const append = lineBatches((path, lines) => withFile(path, (file) => appendLines(file, lines)));

  return {
    isLocal: false,
    put: (path, content) => withFile(path, (file) => putObject(file, bytesOf(content))),
    appendLine: async (path, line) => append(checkedPath(path), line),
    read: (path, from, max) => withFile(path, (file) => ifThere(() => readBytes(file, from, max))),
    stream: (path, version) =>
      withFile(path, (file) =>
        ifThere(async () => {
          const conditions = version === undefined ? {} : { ifMatch: version };
          const { readableStreamBody } = await file.read(0, undefined, { maxRetryRequests: 2, conditions });
          return releasedStream(readableStreamBody as Readable, toStoreError);
        }),
      ),
    version: (path) =>
      withFile(path, (file) => ifThere(async () => (await file.getProperties()).etag ?? null)),
    async list(path) {
      const found = await entries(folder + checkedPath(path));
      return found.filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
    },
    async listFolders(path) {
      const found = await entries(path === undefined ? folder.slice(0, -1) : folder + checkedFolder(path));
      return found
        .filter(({ name, isDirectory }) => isDirectory && isFolderName(name))
        .map(({ name }) => name);
    },
    async removeFolder(path) {
      const below = folder + checkedFolder(path);
      await asStoreError(async () => {
        const directory = (await filesystem()).getDirectoryClient(below);
        await ifThere(() => directory.delete(true));
      });
    },
    async *walk(path) {
      const below = folder + checkedFolder(path);
      const found = await asStoreError(async () =>
        (await filesystem()).listPaths({ path: below, recursive: true })[Symbol.asyncIterator](),
      );
      const next = () => ifThere(() => found.next());
      // The package requests the names in pages of some thousands.
      for (let step = await next(); step && !step.done; step = await next()) {
        const { name = '', isDirectory = false } = step.value;
        if (!isDirectory) yield name.slice(folder.length);
      }
    },
    lastWritten: (path) =>
      withFile(path, (file) => ifThere(async () => (await file.getProperties()).lastModified ?? null)),
    remove: (path) => withFile(path, async (file) => (await ifThere(() => file.delete())) !== null),
  };
}

/** Returns the content as bytes. The content is not copied if it has bytes already. */
function bytesOf(content: Uint8Array | string): Buffer {
  if (typeof content === 'string') return Buffer.from(content);
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

const { asStoreError, ifThere } = requestsOf(
  toStoreError,
  (error) => isMissing(error) || isOtherVersion(error),
);
