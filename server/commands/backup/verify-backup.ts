import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { explainUnreachable, joinDatabase } from '#server/platform/database-home.ts';
import { loadSecretsKeys, type SecretsKeys } from '#server/platform/encryption.ts';
import { recordMaintenance } from '#server/platform/maintenance-runs.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings, type Settings, SettingsError } from '#server/settings.ts';
import { Refusal, requireData } from '../refusal.ts';
import { compareStore } from '../verify-store/compare.ts';
import { Report } from '../verify-store/report.ts';
import { hasKeyOf } from './authentication.ts';
import { type Chain, openChain } from './chain.ts';
import { readArguments, runCommand } from './command.ts';
import { fillDataDir } from './embedded-home.ts';
import { refuseUnauthentic, type VerifiedBackup, verifyBackup } from './restore-backup.ts';
import { restoreDraft } from './restore-draft.ts';
import { RestoredStorage } from './restored-storage.ts';

const usage = `npm run verify-backup -- FILE [INCREMENTAL...] [--restore] [--record]

Reads a full backup, or a chain in the order of its files, and checks the authentication, all checksums, all rows and that no object is missing. It
needs SECRETS_KEY, or a backup that contains its key. It changes nothing.

--restore also restores the chain into a temporary directory (TMPDIR) with an embedded PostgreSQL, compares the restored database with the restored
storage, and removes the directory.

--record records the success in the service's database, for the metrics.

The exit code is 0 if everything is correct, otherwise 1 after a line with the first damaged part.`;

await runCommand(usage, async (stop, print) => {
  const { files, values } = readArguments({ restore: { type: 'boolean' }, record: { type: 'boolean' } });
  if (files.length === 0)
    throw new Refusal('expected a file: npm run verify-backup -- FILE [INCREMENTAL...]');
  const settings = readSettings();
  if (values.record) await requireData(settings);
  const begun = performance.now();
  const chain = await openChain(files);
  const keys = await knownKeys(settings);
  if (!settings.ALLOW_UNREADABLE_SECRETS) refuseUnknownKey(chain, keys);
  const backup = await verifyBackup(chain, stop);
  // A known key that is not that of the backup does not count, because the backup may contain its own.
  const given = keys && hasKeyOf(keys, backup.header) ? keys : undefined;
  refuseUnauthentic(settings, backup, given);
  for (const line of describe(chain, backup, given !== undefined)) print(line);
  if (values.restore) await tryRestore(settings, backup, given, stop, print);
  if (values.record) await recordVerified(settings, stop);
  print(`No damage found, in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
});

/** Returns the keys of the service; undefined if this machine has no keys. */
async function knownKeys(settings: Settings): Promise<SecretsKeys | undefined> {
  try {
    return await loadSecretsKeys(settings, { make: false });
  } catch (error) {
    if (settings.SECRETS_KEY === undefined && error instanceof SettingsError) return undefined;
    throw error;
  }
}

function refuseUnknownKey({ last }: Chain, keys: SecretsKeys | undefined): void {
  const { ids, included } = last.header.secrets_key;
  if (included || (keys && hasKeyOf(keys, last.header))) return;
  throw new SettingsError(
    `SECRETS_KEY: ${keys ? 'is not the key of this backup' : 'is not in this backup'}; set the key with the id ${ids[0]} to check the authentication (if it is lost: ALLOW_UNREADABLE_SECRETS=true)`,
  );
}

function* describe({ headers }: Chain, backup: VerifiedBackup, hasKey: boolean): Generator<string> {
  for (const { file, header } of headers)
    yield `${file}: ${header.chain.length > 0 ? 'incremental' : 'full'} backup of ${header.taken_at}, by version ${header.service}`;
  const { manifest, header, objectBytes } = backup;
  const rows = Object.values(manifest.rows).reduce((sum, count) => sum + count, 0);
  const megabytes = (objectBytes / 1_000_000).toFixed(1);
  yield `A restore gives ${rows} rows of ${header.tables.length} tables, and ${manifest.objects} objects with ${megabytes} MB.`;
  if (manifest.missing > 0)
    yield `${manifest.missing} objects to which rows refer were missing in the storage when the backup was made.`;
  if (!hasKey)
    yield 'The authentication was checked only with the key in the backup. Set SECRETS_KEY to detect a file that someone else made.';
}

/** Restores into a temporary directory, and compares the restored database with the restored storage. */
async function tryRestore(
  settings: Settings,
  backup: VerifiedBackup,
  given: SecretsKeys | undefined,
  stop: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'lingualoop-verify-'));
  try {
    const differences = await fillDataDir(temporary, stop, async ({ url, service, folder }) => {
      const own: Settings = {
        ...settings,
        DATA_DIR: folder,
        DATABASE_URL: undefined,
        PLATFORM_STORAGE_URL: undefined,
      };
      const restored = await restoreDraft(
        backup,
        { url, service, storage: new RestoredStorage(own, folder) },
        stop,
        false,
      );
      print(`Restored ${restored.rows} rows and ${restored.objects} objects for this check.`);
      // Do not read or change workspaces' own accounts.
      return compareRestored(url, { ...own, STORAGE_BINDING_ENABLED: false }, given, stop, print);
    });
    if (differences > 0)
      throw new Refusal(`${backup.file}: the restored database and storage have ${differences} differences`);
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function compareRestored(
  url: string,
  settings: Settings,
  given: SecretsKeys | undefined,
  stop: AbortSignal,
  print: (line: string) => void,
): Promise<number> {
  const database = openDatabase(url, { size: 2, applicationName: 'lingualoop verify-backup' });
  const report = new Report(async (line) => print(line));
  const keys = given ?? { current: Buffer.alloc(0), previous: null };
  try {
    await compareStore({
      ...{ database, settings, report, stop, quick: false, repair: false },
      storage: openPlatformStore(settings),
      accountStores: openAccountStores(settings, keys),
    });
    await report.summarize();
    return report.differences;
  } finally {
    await database.close();
  }
}

/** Records the time of the verification, for the metrics. */
async function recordVerified(settings: Settings, stop: AbortSignal): Promise<void> {
  const home = await joinDatabase(settings, stop);
  try {
    const database = openDatabase(home.ownerUrl, { size: 1, applicationName: 'lingualoop verify-backup' });
    try {
      await database.inPlatform((tx) => recordMaintenance(tx, 'verify_backup', null));
    } finally {
      await database.close();
    }
  } catch (error) {
    throw explainUnreachable(error, settings);
  } finally {
    await home.stop();
  }
}
