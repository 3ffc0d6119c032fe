import { readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Owner } from './account.ts';
import type { DataFolder } from './folder.ts';

const maxBytes = 10 * 1024 * 1024;
const tailLines = 8;

/** Opens PostgreSQL's log for appending; truncates it first if it is larger than 10 MB. Call it only before a start. */
export async function openLog(folder: DataFolder, owner: Owner | undefined): Promise<FileHandle> {
  const log = await open(folder.log, 'a', 0o600);
  if ((await log.stat()).size > maxBytes) await log.truncate(0);
  if (owner) await log.chown(owner.uid, owner.gid);
  return log;
}

/** Returns an Error with one sentence, the log's path and its last lines. */
export function failure(message: string, folder: DataFolder): Error {
  const lines = readLog(folder, 0).trimEnd().split('\n').slice(-tailLines);
  const tail = lines.join('\n') === '' ? 'is empty' : `ends:\n${lines.join('\n')}`;
  return new Error(`${message} The log ${folder.log} ${tail}`);
}

/** Returns the text of the log from a byte offset on; empty without a log. */
export function readLog(folder: DataFolder, offset: number): string {
  try {
    return readFileSync(folder.log).subarray(offset).toString('utf8');
  } catch {
    return '';
  }
}
