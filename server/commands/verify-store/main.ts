import { parseArgs } from 'node:util';
import { isTenantId, openDatabase } from '#db/client.ts';
import { describeForLog } from '#server/errors.ts';
import { joinDatabase } from '#server/platform/database-home.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { listenForStop } from '#server/platform/stop-signals.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings, type Settings } from '#server/settings.ts';
import { foreignStore, matchStore } from '#server/storage/store-identity.ts';
import { Refusal, requireData } from '../refusal.ts';
import { compareStore, isTenant } from './compare.ts';
import { Report } from './report.ts';

const usage = `npm run verify-store [-- --tenant <id>] [--quick] [--repair]

Compares the store with the database and prints the differences. It may run during normal operation. Without --repair,
it changes nothing.

  --tenant <id>   compares one tenant only
  --quick         checks only names and sizes, not the contents of records and files
  --repair        writes lost and damaged records and manifest lines again from the database, and removes records, files
                  and lines to which the database does not refer. If the database was restored to an earlier time, this
                  removes what was stored after that time.

Exit codes: 0 without differences, 1 with differences that are not repaired, 2 if it could not compare.`;

interface Asked {
  help: boolean;
  tenant: string | undefined;
  quick: boolean;
  repair: boolean;
}

function readArguments(): Asked {
  const { values } = parseArgs({
    options: {
      tenant: { type: 'string' },
      quick: { type: 'boolean', default: false },
      repair: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.tenant !== undefined && !isTenantId(values.tenant))
    throw new Refusal('--tenant is not a valid tenant ID');
  const { help, tenant, quick, repair } = values;
  return { help, tenant, quick, repair };
}

// Handle signals: a signal ends the comparison between two pages. A process that has started the embedded database
// must also stop it.
const { stop } = listenForStop();

/**
 * Compares storage and database, and prints the differences.
 * @returns the number of differences that were not repaired
 */
async function verify(settings: Settings, { tenant, quick, repair }: Asked): Promise<number> {
  await requireData(settings);
  const storage = openPlatformStore(settings);
  // Only tenants' own accounts need secrets.
  const secretsKeys = settings.STORAGE_BINDING_ENABLED
    ? await loadSecretsKeys(settings, { make: false })
    : { current: Buffer.alloc(0), previous: null };
  const home = await joinDatabase(settings, stop);
  try {
    const database = openDatabase(() => home.ownerUrl, {
      size: 2,
      applicationName: 'lingualoop verify-store',
    });
    try {
      if (tenant !== undefined && !(await isTenant({ database }, tenant)))
        throw new Refusal(`--tenant: unknown tenant ${tenant}`);
      if ((await matchStore(database, storage)) === 'foreign') throw foreignStore(settings);
      const report = new Report(print);
      const accountStores = openAccountStores(settings, secretsKeys);
      await compareStore({ database, storage, accountStores, settings, report, quick, repair, stop }, tenant);
      await report.summarize();
      return report.differences;
    } finally {
      await database.close();
    }
  } finally {
    await home.stop();
  }
}

function print(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/** Describes an error. The message of a driver's error is not used, because it contains SQL and parameters. */
function describe(error: unknown): string {
  if (error instanceof Refusal || (error as { name?: string })?.name === 'SettingsError')
    return (error as Error).message;
  if (stop.aborted) return 'stopped before the end';
  const { name, code, message } = describeForLog(error);
  return [name, code, message].filter(Boolean).join(' ');
}

try {
  const asked = readArguments();
  if (asked.help) await print(usage);
  else process.exitCode = (await verify(readSettings(), asked)) > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`lingualoop: could not compare: ${describe(error).split('\n')[0]}\n`);
  process.exitCode = 2;
}
