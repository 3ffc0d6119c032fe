import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { describeForLog } from '#server/errors.ts';
import { explainUnreachable, joinDatabase } from '#server/platform/database-home.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { recordMaintenance } from '#server/platform/maintenance-runs.ts';
import { serviceVersion } from '#server/platform/service-version.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { foreignStore, isOtherStore } from '#server/storage/store-identity.ts';
import { refuseWrongSecretsKey } from '#server/storage/stored-secrets.ts';
import { Refusal, requireData } from '../refusal.ts';
import { readFormer } from './chain.ts';
import { readArguments, runCommand } from './command.ts';
import { type Source, type Taken, takeBackup } from './take.ts';

const usage = `npm run backup -- [--since FORMER] FILE
npm run backup -- --record

Writes the database and the platform's storage into one file. It can run during normal operation, with the service's own environment. An existing
file is not overwritten. docs/backup.md lists the contents.

--since FORMER writes an incremental backup: all rows, but only those objects that are new or changed since the backup
FORMER, which is a full backup or an incremental one. To restore it, you need all files of the chain.

--record writes no file, but records for the metrics that another tool has just completed a backup.`;

await runCommand(usage, async (stop, print) => {
  const { files, values } = readArguments({ since: { type: 'string' }, record: { type: 'boolean' } });
  const { since, record: isDoneElsewhere = false } = values;
  const [file = '', ...more] = files;
  if (more.length > 0 || isDoneElsewhere === (file !== '') || (isDoneElsewhere && since !== undefined))
    throw new Refusal('expected one file: npm run backup -- [--since FORMER] FILE');
  const settings = readSettings();
  await requireData(settings);
  if (isDoneElsewhere) return recordOther(settings, stop, print);
  const keys = await loadSecretsKeys(settings, { make: false });
  const begun = performance.now();
  const home = await joinDatabase(settings, stop);
  try {
    const source = {
      url: home.ownerUrl,
      storage: openPlatformStore(settings),
      keys,
      keyFile: await keyFileOf(settings),
      service: await serviceVersion(),
      since: since === undefined ? undefined : await readFormer(resolve(since), keys),
    };
    const explain = (error: unknown) => {
      throw explainUnreachable(error, settings, 'owner');
    };
    await refuseOtherDeployment(home.ownerUrl, source, settings).catch(explain);
    const taken = await takeBackup(source, file, stop).catch(explain);
    await recordBackup(home.ownerUrl, print);
    const seconds = (performance.now() - begun) / 1000;
    for (const line of describe(taken, file, seconds, source)) print(line);
  } finally {
    await home.stop();
  }
});

/**
 * Rejects keys that are not those of the stored secrets, because no one could restore such a backup, and a storage that
 * belongs to another database.
 */
async function refuseOtherDeployment(
  url: string,
  { keys, storage }: Pick<Source, 'keys' | 'storage'>,
  settings: Settings,
): Promise<void> {
  const database = openDatabase(url, { size: 1, applicationName: 'lingualoop backup' });
  try {
    if (!settings.ALLOW_UNREADABLE_SECRETS) await refuseWrongSecretsKey(database, keys);
    if (await isOtherStore(database, storage)) throw foreignStore(settings);
  } catch (error) {
    // Ignore a database without tables, or with the tables of an earlier version.
    if (!['42P01', '42703'].includes(String(describeForLog(error).code))) throw error;
  } finally {
    await database.close();
  }
}

/**
 * Returns the path of a key file to include in the backup. A generated key belongs to the service's data; a key in
 * the environment is kept by the operator.
 */
function keyFileOf({ SECRETS_KEY, DATABASE_URL, DATA_DIR }: Settings): Promise<string> | undefined {
  if (SECRETS_KEY !== undefined || DATABASE_URL !== undefined) return undefined;
  return readFile(join(DATA_DIR, 'secrets.key'), 'utf8');
}

/** Records the time of a backup that another tool has made. */
async function recordOther(settings: Settings, stop: AbortSignal, print: (line: string) => void) {
  const home = await joinDatabase(settings, stop);
  try {
    await recordNow(home.ownerUrl).catch((error: unknown) => {
      throw explainUnreachable(error, settings, 'owner');
    });
    print('Recorded a backup by another tool.');
  } finally {
    await home.stop();
  }
}

async function recordNow(url: string): Promise<void> {
  const database = openDatabase(url, { size: 1, applicationName: 'lingualoop backup' });
  try {
    await database.inPlatform((tx) => recordMaintenance(tx, 'backup', null));
  } finally {
    await database.close();
  }
}

/**
 * Records the time of the backup, for the metrics. The backup is complete, so that a failure is only printed.
 * @param print prints a line
 */
async function recordBackup(url: string, print: (line: string) => void): Promise<void> {
  await recordNow(url).catch((error: unknown) => {
    const { code, message } = describeForLog(error);
    const reason = code === '42P01' ? 'the database has the tables of an earlier version' : (message ?? code);
    print(`The time of the backup was not recorded for the metrics: ${reason}`);
  });
}

function* describe(taken: Taken, file: string, seconds: number, source: Source): Generator<string> {
  const { rows, tables, objects, missing, missingCount, accounts, bytes } = taken;
  for (const path of missing) yield `Missing in the storage: ${path}`;
  if (missingCount > 0)
    yield `${missingCount} objects to which database rows refer are missing in the storage. They were removed during the backup, or are lost; npm run verify-store shows which`;
  for (const { tenant_id, address } of accounts)
    yield `Not in the backup: the storage account ${address}, which belongs to tenant ${tenant_id}`;
  yield source.keyFile !== undefined
    ? 'The backup contains the key that decrypts stored secrets: keep the file as secret as DATA_DIR.'
    : 'The backup does not contain SECRETS_KEY: keep this key too, separately from the file.';
  const megabytes = (bytes / 1_000_000).toFixed(1);
  const changed = source.since
    ? ` (${taken.included} of them new or changed since ${source.since.file})`
    : '';
  yield `${file}: ${rows} rows of ${tables} tables, ${objects} objects${changed}, ${megabytes} MB, in ${seconds.toFixed(1)} s`;
}
