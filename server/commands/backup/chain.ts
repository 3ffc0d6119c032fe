import { basename } from 'node:path';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import { Refusal } from '../refusal.ts';
import { readHeader, readParts, verifyFile } from './archive-reader.ts';
import { isAuthentic } from './authentication.ts';
import type { Header, Link, Manifest } from './format.ts';

/*
 * An incremental backup names all backups before it, by the digests of their manifests. So the authentication of the
 * last backup of a chain also covers the others.
 */

/** What is known of a backup after only its start and its end have been read. */
export interface BackupEnd {
  file: string;
  header: Header;
  manifest: Manifest;
  /** The digest of the manifest. It identifies the backup. */
  digest: string;
}

/**
 * Reads start and end of a backup.
 * @throws Refusal if the file is not a complete backup
 */
export async function readEnd(file: string): Promise<BackupEnd> {
  return { file, header: await readHeader(file), ...(await readManifest(file)) };
}

async function readManifest(file: string): Promise<Pick<BackupEnd, 'digest' | 'manifest'>> {
  let found: Pick<BackupEnd, 'digest' | 'manifest'> | undefined;
  const parts = readParts(
    file,
    (manifest, digest) => {
      found = { manifest, digest };
    },
    'tail',
  );
  for await (const _list of parts);
  return found as NonNullable<typeof found>;
}

/**
 * Reads the former backup of an incremental one.
 * @throws Refusal if it was not authenticated with one of the keys: a changed list could hide changed objects
 */
export async function readFormer(file: string, keys: SecretsKeys): Promise<BackupEnd> {
  const end = await readEnd(file);
  if (!isAuthentic(keys, end.manifest))
    throw new Refusal(
      `${file} was not made with this SECRETS_KEY, or someone has changed it; make a full backup, or set SECRETS_KEY_PREVIOUS to its key`,
    );
  return end;
}

/** Returns the chain of an incremental backup whose former backup is this one. */
export function chainAfter({ file, header, digest }: BackupEnd): Link[] {
  return [...header.chain, { file: basename(file), taken_at: header.taken_at, manifest: digest }];
}

/** The files of a chain, in their order: a full backup, then each incremental one. */
export interface Chain {
  /** The headers of the files, by their position. There is at least one. */
  headers: { file: string; header: Header }[];
  last: { file: string; header: Header };
}

/**
 * Reads the ends of the files, and requires that each file belongs to the previous one.
 * @throws Refusal that names the file which is missing, foreign or not in its place
 */
export async function openChain(files: readonly string[]): Promise<Chain> {
  const headers = [];
  for (const file of files) headers.push({ file, header: await readHeader(file) });
  const last = headers.at(-1);
  if (!last) throw new Refusal('expected at least one file');
  if (headers.length > 1 || last.header.chain.length > 0) {
    const digests = [];
    for (const { file } of headers) digests.push((await readManifest(file)).digest);
    try {
      for (const [at, { file, header }] of headers.entries())
        refuseOtherPlace(file, header, at, headers, digests);
    } catch (error) {
      // A damaged manifest looks like that of another backup.
      for (const { file } of headers) await verifyFile(file);
      throw error;
    }
  }
  return { headers, last };
}

function refuseOtherPlace(
  file: string,
  { chain, taken_at }: Header,
  at: number,
  given: Chain['headers'],
  digests: readonly string[],
): void {
  const describe = (link: Link) => `${link.file} (of ${link.taken_at})`;
  if (chain.length === 0) {
    if (at === 0) return;
    throw new Refusal(
      `${file} is a full backup (of ${taken_at}), but is not the first file; a chain has one full backup`,
    );
  }
  for (const [position, link] of chain.entries()) {
    if (position < at && digests[position] === link.manifest) continue;
    const found = digests.indexOf(link.manifest);
    if (found >= 0)
      throw new Refusal(
        `${given[found]?.file} is in the wrong place: as file ${position + 1}, it must precede ${file}`,
      );
    if (position === 0 && at > 0)
      throw new Refusal(
        `${file} belongs to another chain: it is since the full backup ${describe(link)}, not ${given[0]?.file}`,
      );
    throw new Refusal(`${describe(link)} is missing: as file ${position + 1}, it must precede ${file}`);
  }
  const more = given[chain.length];
  if (at > chain.length && more)
    throw new Refusal(
      `${more.file} is not in the chain of ${file}, which is since ${describe(chain.at(-1) as Link)}`,
    );
}
