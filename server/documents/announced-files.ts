import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { readLines } from '#server/platform/stores/json-lines.ts';
import { isInAccount, type LocatingServices, removeAt } from '#server/storage/destination.ts';

/*
 * Before a file is written to a tenant's own account, it is announced in a list in platform storage. If the process
 * dies before it inserts the file's row, the sweep finds the announcement and removes the file. The account itself is
 * never searched, because it may also contain files that do not belong to the service.
 */

/** A line of an announcement list. */
export interface AnnouncedFile {
  tenant_id: string;
  artifact_id: string;
  address: string;
}

const folder = 'documents/announced';
/** Milliseconds that a list covers; its name is the time at which it ends. */
const span = 3_600_000;
/** Milliseconds after which a list is deleted if its account keeps failing: the account may no longer exist. */
const maxTryMs = 7 * 86_400_000;

export async function announceFile(
  { storage }: Pick<Services, 'storage'>,
  { tenantId, artifactId, address }: { tenantId: string; artifactId: string; address: string },
): Promise<void> {
  const line: AnnouncedFile = { tenant_id: tenantId, artifact_id: artifactId, address };
  const end = (Math.floor(Date.now() / span) + 1) * span;
  await storage.addLine(`${folder}/${end}`, JSON.stringify(line));
}

/**
 * Removes announced files to which nothing refers. Best effort: if an account cannot be used now, the next call tries
 * again.
 * @param oldEnough milliseconds after which the row of a file must exist
 * @param selectUnreferenced returns those of the given files of a tenant to which nothing refers
 * @returns the number of removed files
 */
export async function removeAnnouncedFiles(
  services: LocatingServices & Pick<Services, 'log'>,
  oldEnough: number,
  selectUnreferenced: (tenantId: string, files: readonly AnnouncedFile[]) => Promise<AnnouncedFile[]>,
): Promise<number> {
  const { storage } = services;
  let removed = 0;
  for (const name of await storage.list(folder)) {
    const age = Date.now() - Number.parseInt(name, 10);
    if (age < oldEnough) continue;
    const path = `${folder}/${name}`;
    let failed = false;
    for await (const lines of readLines<AnnouncedFile>(storage, path))
      for (const [tenantId, files] of Map.groupBy(lines, ({ tenant_id }) => tenant_id)) {
        for (const { artifact_id, address } of await selectUnreferenced(tenantId, files)) {
          if (!isInAccount(address)) continue;
          try {
            if (await removeAt(services, tenantId, address)) removed += 1;
          } catch (error) {
            failed = true;
            services.log.warn(
              { artifact_id, error: describeForLog(error) },
              'a file to which no database row refers could not be removed',
            );
            // The account has failed, so its other files would fail too.
            break;
          }
        }
      }
    if (!failed || age > maxTryMs) await storage.remove(path);
  }
  return removed;
}
