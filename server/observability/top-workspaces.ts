import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { remembered } from './bounded-reading.ts';

/** The usage of a workspace since the start of the day (UTC). */
export interface WorkspaceUsage {
  tenantId: string;
  jobs: number;
  /** Weighted characters. */
  chars: number;
}

/** Milliseconds for which a result is cached. The query looks up each workspace in an index. */
const maximumAge = 60_000;

/** Returns a function that reads the workspaces with the most usage today, at most `count`. */
export function watchWorkspaces(database: Database, count: number): () => Promise<WorkspaceUsage[]> {
  return remembered(maximumAge, () => database.inPlatform((tx) => readTopWorkspaces(tx, count)));
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
