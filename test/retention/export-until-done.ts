/** A process that continues the export of a tenant until it is finished. A test kills it again and again. */

import { openDatabase } from '#db/client.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings } from '#server/settings.ts';
import { runExport } from '#server/workspace-export/run-export.ts';

const [tenantId, exportId] = process.argv.slice(2) as [string, string];
const settings = readSettings(process.env);
const database = openDatabase(settings.DATABASE_URL!, { size: 2 });
const accountStores = openAccountStores(settings, await loadSecretsKeys(settings));
const print = (fields: object, message: string) => console.log(message, JSON.stringify(fields));
const log = { debug: print, info: print, warn: print, error: print };
// Small parts, so that there are many moments between two of them.
const limits = { runMs: 600_000, partBytes: 16 * 1024 * 1024, partMs: 10 };
await runExport(
  { settings, database, storage: openPlatformStore(settings), accountStores, log },
  { tenantId, exportId },
  limits,
);
await database.close();
