/** A process that deletes the tenants whose deletion is due, until none is left. A test kills it again and again. */

import { openDatabase } from '#db/client.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { listDeletions } from '#server/retention/tenant-deletions.ts';
import { readSettings } from '#server/settings.ts';

const settings = readSettings(process.env);
const database = openDatabase(settings.DATABASE_URL!, { size: 2 });
const accountStores = openAccountStores(settings, await loadSecretsKeys(settings));
const print = (fields: object, message: string) => console.log(message, JSON.stringify(fields));
const log = { debug: print, info: print, warn: print, error: print };
console.log('begun');
const isUnfinished = async () => (await listDeletions(database)).some(({ finishedAt }) => !finishedAt);
while (await isUnfinished())
  await deleteDueTenants({ settings, database, storage: openPlatformStore(settings), accountStores, log });
await database.close();
