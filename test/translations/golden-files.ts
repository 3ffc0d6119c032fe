import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { createBackgroundWork } from '#server/platform/background-work.ts';
import { openFolder } from '#server/platform/stores/folder-store.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { publishParkedJobs } from '#server/texts/parked-jobs.ts';
import { checkGoldenRecords } from '#test/factories/golden-check.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

interface Tenant {
  tenantId: string;
}

const goldenFolder = ({ services }: TestApp, { tenantId }: Tenant) =>
  join(services.settings.DATA_DIR, 'storage', tenantId, 'golden');

/** The paths (below golden/) and texts of all the tenant's records. A worker may remove one after it was listed. */
export async function goldenFiles(app: TestApp, tenant: Tenant): Promise<Map<string, string>> {
  const store = openFolder(join(app.services.settings.DATA_DIR, 'storage'));
  const below = `${tenant.tenantId}/golden`;
  const found = new Map<string, string>();
  for await (const path of store.walk(below)) {
    const bytes = await store.read(path, 0, 10_000_000);
    if (bytes) found.set(path.slice(below.length + 1), Buffer.from(bytes).toString());
  }
  return found;
}

/** The parsed records that contain `id`. */
export async function recordsOf(app: TestApp, tenant: Tenant, id: string) {
  return [...(await goldenFiles(app, tenant))]
    .filter(([path, text]) => path.includes(id) || text.includes(id))
    .map(([path, text]) => ({ path, text }));
}

/**
 * The tenant's manifest lines that contain `id`, and the name of each manifest below golden/. Waits up to three seconds
 * for the first line, because a line is written after the response.
 */
export async function manifestLinesOf(app: TestApp, tenant: Tenant, id: string) {
  const until = performance.now() + 3000;
  for (;;) {
    const lines = await manifestLinesNow(app, tenant, id);
    if (lines.length > 0 || performance.now() > until) return lines;
    await delay(20);
  }
}

export async function manifestLinesNow({ services }: TestApp, { tenantId }: Tenant, id: string) {
  const folder = join(services.settings.DATA_DIR, 'storage', 'golden');
  const manifests = join(folder, 'manifest');
  const lines: { path: string; line: string }[] = [];
  // The folder does not exist before the first line is written.
  for (const entry of await readdir(manifests, { recursive: true, withFileTypes: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    for (const line of (await readFile(path, 'utf8')).split('\n'))
      if (line.includes(id) && JSON.parse(line).tenant_id === tenantId)
        lines.push({ path: path.slice(folder.length + 1), line });
  }
  return lines;
}

/**
 * Replaces the directory by a file, so that no user can write below it, not even root. Returns a function that restores
 * the directory.
 */
export async function breakGoldenStore(app: TestApp, tenant: Tenant): Promise<() => Promise<void>> {
  const folder = goldenFolder(app, tenant);
  await rename(folder, `${folder}.away`);
  await writeFile(folder, 'no folder');
  return async () => {
    await rm(folder);
    await rename(`${folder}.away`, folder);
  };
}

/** Moves the clock of this process forward until the current test ends. Timers and the database keep their time. */
export function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true, now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Checks the records after a while, repeatedly until no announcement is left in `folder`. Returns the number of records
 * that were removed.
 */
export async function checkUntilDone({ services, settled }: TestApp, folder = 'announced'): Promise<number> {
  const { DATA_DIR, STALE_PENDING_SECONDS, SWEEP_INTERVAL_SECONDS } = services.settings;
  // A process that is about to add a line does not look whether the check has added it.
  await settled();
  passTime((STALE_PENDING_SECONDS + SWEEP_INTERVAL_SECONDS) * 1000);
  let removed = 0;
  await poll(async () => {
    removed += (await checkGoldenRecords(services)).removed;
    return (await readdir(join(DATA_DIR, 'storage/golden', folder))).length === 0;
  });
  return removed;
}

/** The services of a process that was started after an earlier one had checked the records for the last time. */
export async function restartSystem({ services, superuserUrl }: TestApp, lastCheck = new Date()) {
  await openSuperuser(superuserUrl)`
    insert into maintenance_runs (name, finished_at, every_seconds) values ('check_golden_records', ${lastCheck}, 1)
    on conflict (name) do update set finished_at = excluded.finished_at`;
  return { ...services, storage: openPlatformStore(services.settings) };
}

/** The file with the golden record of a job or document. */
export async function recordFile({ services, superuserUrl }: TestApp, tenantId: string, id: string) {
  const [row] = await openSuperuser(superuserUrl)<{ uri: string }[]>`
    select golden_uri as uri from translation_jobs where job_id = ${id}
    union all select golden_uri from document_jobs where document_id = ${id}`;
  return join(services.settings.DATA_DIR, 'storage', tenantId, row!.uri);
}

/**
 * Prepares a published job to be published again, by a process that stands still between the job's row and the line in the
 * manifest while `others` runs. The returned function publishes it, and ends when the process has nothing left to do.
 */
export async function standingStill(
  { services, superuserUrl }: TestApp,
  tenantId: string,
  jobId: string,
  others: () => Promise<void>,
): Promise<() => Promise<void>> {
  const sql = openSuperuser(superuserUrl);
  await sql`
    update translation_jobs set status = 'approved', publish_as = 'published', golden_uri = null, attempt = attempt + 1,
      updated_at = now() - interval '1 hour' where job_id = ${jobId}`;
  const { database } = services;
  let stood = false;
  const inTenant: typeof database.inTenant = async (...given) => {
    const result = await database.inTenant(...given);
    const [row] = await sql`select golden_uri from translation_jobs where job_id = ${jobId}`;
    if (row!['golden_uri'] !== null && !stood) {
      stood = true;
      await others();
    }
    return result;
  };
  const backgroundWork = createBackgroundWork();
  return async () => {
    await publishParkedJobs({ ...services, backgroundWork, database: { ...database, inTenant } }, tenantId);
    if (!stood) throw new Error('the process did not stand still');
    await backgroundWork.drain(10_000);
  };
}
