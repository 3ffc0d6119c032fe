import type { Database } from '#db/client.ts';
import { deleteOldImports } from '../queries/imports.ts';

/** B 4.5 lists the newest 50; those of the last days are found by their id beside them. */
const kept = { kept: 50, days: 90 };

/** Rows of one statement: each holds its locks briefly. */
const batch = 5000;

/** Deletes the imports that ended long ago and that no list shows any more. @returns how many */
export async function pruneImports(database: Database): Promise<number> {
  let pruned = 0;
  for (;;) {
    const count = await database.inPlatform((tx) => deleteOldImports(tx, { ...kept, limit: batch }));
    pruned += count;
    if (count < batch) return pruned;
  }
}
