import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { countMigrations, countPendingMigrations } from '#db/schema-version.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { inTime, remembered } from './bounded-reading.ts';

/** The state of the deployment that all processes share, and of this process's clock. */
export interface DeploymentState {
  /** The clock of this process minus that of the database. Accurate to half of the time of a round trip. */
  clockSkewSeconds: number;
  /** Migrations of this version that the database lacks. */
  pendingMigrations: number;
  /** Recurring tasks and the backup, each with the age of its last completed run. */
  maintenance: { task: string; ageSeconds: number; everySeconds: number | null }[];
}

/** Returns a function that reads the state of the deployment. Rejects if the database does not respond. */
export function watchDeployment(database: Database): () => Promise<DeploymentState> {
  return remembered(5000, () => database.inPlatform(readDeployment));
}

async function readDeployment(tx: Tx): Promise<DeploymentState> {
  await tx.execute(sql`set local statement_timeout = '3s'`);
  // The connection is open by now, so that the time of this statement is that of a round trip.
  const asked = Date.now();
  const [row] = await tx.execute<{ now: number; migrated: boolean; maintained: boolean }>(sql`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      to_regclass('drizzle.__drizzle_migrations') is not null as migrated,
      to_regclass('maintenance_runs') is not null as maintained`);
  const answered = Date.now();
  const skew = (asked + answered) / 2 - Number(row?.now);
  return {
    clockSkewSeconds: skew / 1000,
    // Tables are missing if an older backup was restored, or an empty database was created, while the process was
    // running.
    pendingMigrations: row?.migrated ? await countPendingMigrations(tx) : countMigrations(),
    maintenance: row?.maintained ? await readMaintenance(tx) : [],
  };
}

/** Returns the last completed runs of the recurring tasks and of the backup. */
export async function readMaintenance(tx: Tx): Promise<DeploymentState['maintenance']> {
  const rows = await tx.execute<DeploymentState['maintenance'][number]>(sql`
    select name as task, every_seconds as "everySeconds",
      greatest(0, extract(epoch from clock_timestamp() - finished_at))::float8 as "ageSeconds"
    from maintenance_runs order by name`);
  return [...rows];
}

/** The state of platform storage. */
export interface StorageState {
  isUp: boolean;
  /** The space of a local directory. Null for other storage, and if the space cannot be read. */
  space: { freeBytes: number; totalBytes: number } | null;
}

/**
 * Returns a function that reads the state of platform storage.
 * @param isUp whether storage accepts objects
 */
export function watchStorage(
  storage: PlatformStore,
  isUp: () => Promise<boolean>,
): () => Promise<StorageState> {
  return remembered(10_000, async () => ({
    isUp: await isUp(),
    space: await inTime(storage.space()).catch(() => null),
  }));
}

/** The usage of a workspace since the start of the day (UTC). */
export interface WorkspaceUsage {
  tenantId: string;
  jobs: number;
  /** Weighted characters. */
  chars: number;
}

/** Returns a function that reads the workspaces with the most usage today, at most `count`. */
export function watchWorkspaces(database: Database, count: number): () => Promise<WorkspaceUsage[]> {
  return remembered(60_000, () => database.inPlatform((tx) => readTopWorkspaces(tx, count)));
}

/** Returns the workspaces with the most characters today, the largest first. Platform scope. */
export async function readTopWorkspaces(tx: Tx, count: number): Promise<WorkspaceUsage[]> {
  await tx.execute(sql`set local statement_timeout = '3s'`);
  await tx.execute(sql`set local jit = off`);
  return [...(await tx.execute<WorkspaceUsage & Record<string, unknown>>(topWorkspacesQuery(count)))];
}

/** Exported for a test of its plan. */
export function topWorkspacesQuery(count: number) {
  return sql`
    select t.tenant_id as "tenantId", u.jobs::float8 as jobs, u.chars::float8 as chars
    from tenants t cross join lateral (
      select sum(jobs) as jobs, sum(billable_chars) as chars from usage_totals
      where tenant_id = t.tenant_id and day = (now() at time zone 'UTC')::date) u
    where u.jobs > 0 order by u.chars desc, u.jobs desc, t.tenant_id limit ${count}`;
}
