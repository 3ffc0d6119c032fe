import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InDoubtError } from '#db/copy/outcome.ts';
import { describeForLog } from '#server/errors.ts';
import { explainUnreachable, rolesOf } from '#server/platform/database-home.ts';
import { loadSecretsKeys, type SecretsKeys } from '#server/platform/encryption.ts';
import { readSettings, type Settings, SettingsError } from '#server/settings.ts';
import { IncompleteError, Refusal } from '../refusal.ts';
import { DamagedError } from './archive-reader.ts';
import { hasKeyOf } from './authentication.ts';
import { openChain } from './chain.ts';
import { readArguments, runCommand } from './command.ts';
import { fillDataDir, refuseUsedFolder } from './embedded-home.ts';
import type { Header } from './format.ts';
import {
  type Destination,
  type Restored,
  refuseUnauthentic,
  restoreBackup,
  type VerifiedBackup,
  verifyBackup,
} from './restore-backup.ts';
import { bringUpToDate, restoreDraft } from './restore-draft.ts';
import { RestoredStorage } from './restored-storage.ts';

const usage = `npm run restore -- FILE [INCREMENTAL...]

Restores a full backup, or a chain: the full backup, then each incremental one, in the order in which they were made. It restores the state of the
last file, into an empty DATA_DIR, or with DATABASE_URL into an empty database and an empty storage, with the service's future environment.
It restores either everything or nothing. docs/backup.md has details.`;

await runCommand(usage, async (stop, print) => {
  const { files } = readArguments({});
  if (files.length === 0) throw new Refusal('expected a file: npm run restore -- FILE [INCREMENTAL...]');
  const settings = readSettings();
  const chain = await openChain(files).catch(nothingRestored);
  const { header } = chain.last;
  const given = await givenKeys(settings);
  refuseOtherKeys(settings, header, given);
  if (settings.DATABASE_URL === undefined) await refuseUsedFolder(settings.DATA_DIR);
  const storage = new RestoredStorage(settings);
  const isElsewhere = settings.PLATFORM_STORAGE_URL !== undefined;
  if (settings.DATABASE_URL !== undefined || isElsewhere) await storage.refuseUsed();
  const begun = performance.now();
  const backup = await verifyBackup(chain, stop).catch(nothingRestored);
  try {
    refuseUnauthentic(settings, backup, given);
  } catch (error) {
    nothingRestored(error);
  }
  const restored =
    settings.DATABASE_URL === undefined
      ? await fillDataDir(settings.DATA_DIR, stop, async ({ folder, ...owner }) => {
          if (!given && backup.keyFile !== undefined)
            await writeFile(join(folder, 'secrets.key'), backup.keyFile, { mode: 0o600 });
          return restoreDraft(
            backup,
            { ...owner, storage: new RestoredStorage(settings, folder) },
            stop,
            isElsewhere,
          );
        })
      : await restoreTo(backup, { ...ownerOf(settings.DATABASE_URL, settings), storage }, stop).catch(
          (error: unknown) => {
            throw explainUnreachable(error, settings, 'owner');
          },
        );
  if (settings.DATABASE_URL === undefined && isElsewhere) await completeElsewhere(storage);
  for (const name of restored.skipped) print(`Skipped table (not part of LinguaLoop): ${name}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  print(
    `Restored the backup of ${header.taken_at}: ${restored.rows} rows, ${restored.objects} objects, in ${seconds} s`,
  );
});

/** The destination's role: only the owner of the tables may create them. */
function ownerOf(url: string, { DATABASE_MIGRATION_URL }: Settings): Omit<Destination, 'storage'> {
  const { ownerUrl, service } = rolesOf(url, DATABASE_MIGRATION_URL);
  return { url: ownerUrl, service };
}

/** Adds to the message about a damaged file that nothing was written. */
function nothingRestored(error: unknown): never {
  if (error instanceof DamagedError)
    throw new Refusal(`${error.message}; nothing was restored`, { cause: error });
  throw error;
}

async function completeElsewhere(storage: RestoredStorage): Promise<void> {
  await storage.complete().catch((error: unknown) => {
    throw new IncompleteError(
      `everything is restored, but the object that marks an unfinished restore could not be removed from PLATFORM_STORAGE_URL (${reasonOf(error)}): run npm run migrate, which removes it`,
      { cause: error },
    );
  });
}

/**
 * Returns the first line of an error's message. In the message of a store, this is the line that describes the error.
 */
function reasonOf(error: unknown): string {
  return String(describeForLog(error).message).replace(/\n.*/s, '');
}

/** Restores into a database that is in use as soon as its rows are committed. */
async function restoreTo(
  backup: VerifiedBackup,
  destination: Destination,
  stop: AbortSignal,
): Promise<Restored> {
  const restored = await restoreBackup(backup, destination, stop).catch((error: unknown) => {
    throw error instanceof InDoubtError ? new IncompleteError(error.message, { cause: error }) : error;
  });
  try {
    await destination.storage.complete();
    await bringUpToDate(destination, stop);
    return restored;
  } catch (error) {
    const why = stop.aborted ? 'stopped' : reasonOf(error);
    throw new IncompleteError(
      `everything is restored, but the tables could not be updated from the version that made the backup (${why}): run npm run migrate`,
      { cause: error },
    );
  }
}

/** Returns the keys in the environment; undefined if the embedded database should get the key in the backup. */
async function givenKeys(settings: Settings): Promise<SecretsKeys | undefined> {
  if (settings.SECRETS_KEY !== undefined) return loadSecretsKeys(settings);
  if (settings.DATABASE_URL === undefined) return undefined;
  throw new SettingsError(
    'SECRETS_KEY: is required with DATABASE_URL; set the key that the backup was made with (docs/backup.md describes how to read a key that the file contains)',
  );
}

/**
 * Rejects keys other than those of the backup: with other keys, members with an authenticator app could not sign in.
 */
function refuseOtherKeys(settings: Settings, header: Header, given: SecretsKeys | undefined): void {
  if (settings.ALLOW_UNREADABLE_SECRETS) return;
  if (given ? hasKeyOf(given, header) : header.secrets_key.included) return;
  throw new SettingsError(
    `SECRETS_KEY: ${given ? 'is not the key of this backup' : 'is not in this backup'}; set the key with the id ${header.secrets_key.ids[0]}, here or as SECRETS_KEY_PREVIOUS (if it is lost: ALLOW_UNREADABLE_SECRETS=true)`,
  );
}
