import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { readLines } from '#server/platform/stores/json-lines.ts';
import { isInAccount, type LocatingServices, removeAt } from '#server/storage/destination.ts';

/*
 * A file that goes to a tenant's own account is announced in the platform's storage first. If the process dies before the file's row, the
 * announcement lets the sweep remove it: the account may be shared with others, so it is never searched.
 */

/** A line of a list. */
export interface AnnouncedFile {
  tenant_id: string;
  artifact_id: string;
  address: string;
}

const folder = 'documents/announced';
/** Milliseconds of a list, which is named after its end. */
const span = 3_600_000;
/** Milliseconds after which a list whose account keeps failing is given up: the account may be gone. */
const longestTry = 7 * 86_400_000;

export async function announceFile(
  { storage }: Pick<Services, 'storage'>,
  { tenantId, artifactId, address }: { tenantId: string; artifactId: string; address: string },
): Promise<void> {
  const line: AnnouncedFile = { tenant_id: tenantId, artifact_id: artifactId, address };
  const end = (Math.floor(Date.now() / span) + 1) * span;
  await storage.appendLine(`${folder}/${end}.jsonl`, JSON.stringify(line));
}

/**
 * Removes the announced files that nothing refers to. Best effort: an account that cannot be used now is tried again with the next call.
 * @param oldEnough milliseconds after which the row of a file must exist
 * @param selectUnreferenced which of these files of a tenant nothing refers to
 * @returns how many were removed
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
              'a file without a row was not removed',
            );
            // Of an account that fails, the other files would fail, too.
            break;
          }
        }
      }
    if (!failed || age > longestTry) await storage.remove(path);
  }
  return removed;
}
