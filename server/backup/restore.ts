import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { migrate } from '#db/migrate.ts';
import { explainUnreachable } from '#server/database-home.ts';
import { loadSecretsKeys, type SecretsKeys } from '#server/encryption.ts';
import { readSettings, type Settings, SettingsError } from '#server/settings.ts';
import { openPlatformStore } from '#server/storage/platform-store.ts';
import { readHeader } from './archive-reader.ts';
import { hasKeyOf } from './authentication.ts';
import { fileArgument, runCommand } from './command.ts';
import { fillDataDir, refuseUsedFolder } from './embedded-home.ts';
import type { Header } from './format.ts';
import { Refusal } from './refusal.ts';
import {
  type Destination,
  type Restored,
  refuseForged,
  restoreBackup,
  verifyBackup,
} from './restore-backup.ts';

const usage = `npm run restore -- FILE

Restores a backup into an empty DATA_DIR, or with DATABASE_URL into an empty database and an empty storage, with the environment that the service will
have. Everything is restored, or nothing is. docs/backup.md says more.`;

await runCommand(usage, async (stop, print) => {
  const file = resolve(fileArgument());
  const settings = readSettings();
  const header = await readHeader(file);
  const given = await givenKeys(settings);
  refuseOtherKeys(settings, header, given);
  if (settings.DATABASE_URL === undefined) await refuseUsedFolder(settings.DATA_DIR);
  if (settings.DATABASE_URL !== undefined || settings.PLATFORM_STORAGE_URL !== undefined)
    await refuseUsedStorage(settings);
  const begun = performance.now();
  const backup = await verifyBackup(file, header, stop);
  const ownKey =
    backup.keyFile === undefined
      ? undefined
      : { current: Buffer.from(backup.keyFile, 'base64'), previous: null };
  const keys = given ?? ownKey;
  if (keys && hasKeyOf(keys, header)) refuseForged(backup, keys);

  const restoreTo = async (destination: Destination): Promise<Restored> => {
    const restored = await restoreBackup(backup, destination, stop);
    // What later versions have changed.
    await migrate(destination.url, stop);
    return restored;
  };
  const restored =
    settings.DATABASE_URL === undefined
      ? await fillDataDir(settings.DATA_DIR, stop, async ({ url, folder }) => {
          if (!given && backup.keyFile !== undefined)
            await writeFile(join(folder, 'secrets.key'), backup.keyFile, { mode: 0o600 });
          return restoreTo({ url, storage: openPlatformStore({ ...settings, DATA_DIR: folder }) });
        })
      : await restoreTo({ url: settings.DATABASE_URL, storage: openPlatformStore(settings) }).catch(
          (error: unknown) => {
            throw explainUnreachable(error, settings);
          },
        );
  for (const name of restored.leftOut) print(`Left out, as it is not the service's own: the table ${name}`);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  print(
    `Restored what there was at ${header.taken_at}: ${restored.rows} rows, ${restored.objects} objects, in ${seconds} s`,
  );
});

/** The keys of the environment; undefined if the embedded database is to have the one of the backup. */
async function givenKeys(settings: Settings): Promise<SecretsKeys | undefined> {
  if (settings.SECRETS_KEY !== undefined) return loadSecretsKeys(settings);
  if (settings.DATABASE_URL === undefined) return undefined;
  throw new SettingsError(
    'SECRETS_KEY: is required with DATABASE_URL; set the key that the backup was made with (docs/backup.md says how to read one that is in the file)',
  );
}

/** Refuses other keys than the backup's: members with an authenticator could not sign in. */
function refuseOtherKeys(settings: Settings, header: Header, given: SecretsKeys | undefined): void {
  if (settings.ALLOW_UNREADABLE_SECRETS) return;
  if (given ? hasKeyOf(given, header) : header.secrets_key.included) return;
  throw new SettingsError(
    `SECRETS_KEY: ${given ? 'is not the key of this backup' : 'is not in this backup'}; set the key with the id ${header.secrets_key.ids[0]}, here or as SECRETS_KEY_PREVIOUS (if it is lost: ALLOW_UNREADABLE_SECRETS=true)`,
  );
}

async function refuseUsedStorage(settings: Settings): Promise<void> {
  const [used] = await openPlatformStore(settings).listTop();
  if (used !== undefined)
    throw new Refusal(
      `${settings.PLATFORM_STORAGE_URL === undefined ? 'DATA_DIR' : 'PLATFORM_STORAGE_URL'}: the storage is not empty (it has ${used}), and nothing in it is overwritten`,
    );
}
