import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { type Principal, seesMembers } from '#server/identity/access/principal.ts';
import { requireSet, selectSetById } from '../sets.ts';
import { forgetUses } from '../use-counts.ts';
import type { ChangePage, ChangesRequest } from './edit-schema.ts';
import { type ChangeKind, fedKey } from './store-changes.ts';

/** Days for which changes can be undone. */
const keptDays = 30;

/**
 * Returns a page of the changes of a tenant's segments, latest first.
 * @throws AppError 404 for an unknown set, also of another tenant; 422 for an invalid cursor
 */
export async function listChanges(
  tx: Tx,
  viewer: Principal,
  { set_id, unit_no, limit, cursor }: ChangesRequest,
): Promise<ChangePage> {
  const tenantId = viewer.tenant.id;
  const set = set_id === undefined ? undefined : requireSet(await selectSetById(tx, tenantId, set_id));
  const end = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await tx.execute<ChangeRow>(sql`
    select c.change_id as id, c.kind, c.segments,
      case when ${seesMembers(viewer)} then c.actor end as actor,
      case when ${seesMembers(viewer)} then c.undone_by end as undone_by, c.created_at, c.undone_at,
      (select json_build_object('set_id', s.set_id, 'unit_no', u.segment_no,
          'old', json_build_object('source_text', u.old_source, 'target_text', u.old_target),
          'new', case when u.new_source is not null
            then json_build_object('source_text', u.new_source, 'target_text', u.new_target) end)
        from memory_changed_segments u left join memory_sets s
          on s.tenant_id = u.tenant_id and s.content_id = u.content_id
        where u.tenant_id = c.tenant_id and u.change_id = c.change_id and ${ofUnit(set?.versionId, unit_no)}
        order by u.position limit 1) as first
    from memory_changes c
    where c.tenant_id = ${tenantId} and ${canBeUndone(sql`c.created_at`)}
      and ${set ? sql`exists (select from memory_changed_segments u where u.tenant_id = c.tenant_id and u.change_id = c.change_id and ${ofUnit(set.versionId, unit_no)})` : sql`true`}
      and ${end ? sql`(c.created_at, c.change_id) < (${end.updatedAt.toISOString()}::timestamptz, ${end.id})` : sql`true`}
    order by c.created_at desc, c.change_id desc limit ${limit + 1}`);
  const changes = rows
    .slice(0, limit)
    .map(({ id, kind, actor, segments, created_at, undone_at, undone_by, first }) => ({
      ...{ id, kind, by: actor, at: isoOf(created_at), segments, undone_by, first },
      undone_at: undone_at && isoOf(undone_at),
    }));
  const last = changes.at(-1);
  const hasMore = last && rows.length > limit;
  return { changes, next_cursor: hasMore ? writeCursor({ updated_at: last.at, id: last.id }) : null };
}

type ChangeRow = {
  id: string;
  kind: ChangeKind;
  actor: string | null;
  segments: number;
  created_at: string;
  undone_at: string | null;
  undone_by: string | null;
  first: ChangePage['changes'][number]['first'];
};

const isoOf = (time: string) => new Date(time).toISOString();

const ofUnit = (versionId: string | undefined, unitNo: number | undefined) =>
  versionId === undefined
    ? sql`true`
    : sql`u.content_id = ${versionId} and ${unitNo === undefined ? sql`true` : sql`u.segment_no = ${unitNo}`}`;

/** A segment as its job added it, with the hash of its source in hexadecimal. */
interface AddedPair {
  hash: string;
  targetText: string;
}

/**
 * Gives the segments of a job to other jobs whose identical segments were merged into them, because the job is being
 * deleted or reopened. A segment that no other job has added stays with the job.
 * @param wanted SQL: which segments of the job
 */
export async function handOverMerged(tx: Tx, tenantId: string, jobId: string, wanted: SQL): Promise<void> {
  await tx.execute(sql`
    with heirs as (
      select distinct on (u.content_id, u.merged_into) u.*
      from memory_changed_segments u
      join (select content_id as c, segment_no as n from memory_segments
        where tenant_id = ${tenantId} and job_id = ${jobId} and part_of is null and ${wanted} for update) m
        on u.content_id = m.c and u.merged_into = m.n
      where u.tenant_id = ${tenantId} and u.job_id is distinct from ${jobId} and not u.undone
      order by u.content_id, u.merged_into, u.changed_at desc nulls last, u.segment_no desc),
    owned as (
      update memory_segments m set job_id = h.job_id, fed_key = case when m.part_of is null then h.fed_key end
      from heirs h
      where m.tenant_id = ${tenantId} and m.job_id = ${jobId}
        and ((m.content_id, m.segment_no) = (h.content_id, h.merged_into) or m.part_of = h.merged_into))
    delete from memory_changed_segments u using heirs h
    where u.tenant_id = ${tenantId} and u.change_id = h.change_id and u.position = h.position`);
}

/**
 * Deletes from the history what a job has added, because the job is being deleted or reopened. Otherwise an undo would
 * bring its segments back.
 * @param only the segments as the job added them; default: all segments of the job
 */
export async function forgetChanges(
  tx: Tx,
  tenantId: string,
  jobId: string,
  only: readonly AddedPair[] | undefined,
): Promise<void> {
  const gone = await tx.execute<{ c: string; n: string }>(sql`
    delete from memory_changed_segments
    where tenant_id = ${tenantId} and job_id = ${jobId} and ${only ? sql`fed_key in ${fedKeysOf(only)}` : sql`true`}
    returning content_id as c, segment_no as n`);
  if (gone.length > 0) await forgetUses(tx, tenantId, gone);
}

/** SQL for the `fed_key` of segments as their job added them. */
export const fedKeysOf = (pairs: readonly AddedPair[]) =>
  sql`(select ${fedKey(sql`decode(w.h, 'hex')`, sql`w.t`)}
    from json_to_recordset(${JSON.stringify(pairs.map(({ hash, targetText }) => ({ h: hash, t: targetText })))}::json)
      as w(h text, t text))`;

/** Maximum changes that one statement deletes; each has up to 10,000 segments. */
const perStatement = 10;

/** SQL that is true while a change can be undone. */
export const canBeUndone = (createdAt: SQLWrapper) =>
  sql`${createdAt} >= now() - make_interval(days => ${keptDays})`;

/**
 * Deletes the changes of all tenants that are older than 30 days, and how often the segments were served that can no
 * longer be restored. A merge stays as long as its segments, because these belong to all jobs that have added them.
 * @param heldTenants tenants with a legal hold, whose changes stay
 * @returns the number of changes
 */
export async function pruneChanges(database: Database, heldTenants: readonly string[]): Promise<number> {
  const isHeld = sql`c.tenant_id in (select jsonb_array_elements_text(${JSON.stringify(heldTenants)}::jsonb))`;
  await database.inPlatform((tx) =>
    tx.execute(sql`
      delete from memory_use u using memory_changes c join memory_changed_segments s using (tenant_id, change_id)
      where c.kind = 'merged' and not (${canBeUndone(sql`c.created_at`)}) and not s.undone and not (${isHeld})
        and u.tenant_id = s.tenant_id and u.content_id = s.content_id and u.segment_no = s.segment_no`),
  );
  let deleted = 0;
  for (let statement = 0; statement < 100; statement++) {
    const { count } = await database.inPlatform((tx) =>
      tx.execute(sql`
        with old as (
          select c.tenant_id, c.change_id from memory_changes c
          where not (${canBeUndone(sql`c.created_at`)}) and not (${isHeld}) and not (c.kind = 'merged' and exists (
            select from memory_changed_segments s join memory_segments m
              on m.tenant_id = s.tenant_id and m.content_id = s.content_id and m.segment_no = s.merged_into
            where s.tenant_id = c.tenant_id and s.change_id = c.change_id and s.job_id is not null and not s.undone))
          order by c.created_at limit ${perStatement}),
        uses as (
          delete from memory_use u using old join memory_changed_segments s using (tenant_id, change_id)
          where s.new_source is null and u.tenant_id = s.tenant_id and u.content_id = s.content_id
            and u.segment_no = s.segment_no and not exists (select from memory_segments m
              where m.tenant_id = u.tenant_id and m.content_id = u.content_id and m.segment_no = u.segment_no))
        delete from memory_changes where (tenant_id, change_id) in (select tenant_id, change_id from old)`),
    );
    deleted += count;
    if (count < perStatement) break;
  }
  return deleted;
}
