import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { requireSet, selectSetById } from '../sets.ts';
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
  tenantId: string,
  { set_id, unit_no, limit, cursor }: ChangesRequest,
): Promise<ChangePage> {
  const set = set_id === undefined ? undefined : requireSet(await selectSetById(tx, tenantId, set_id));
  const end = cursor === undefined ? undefined : readCursor(cursor);
  const rows = await tx.execute<ChangeRow>(sql`
    select c.change_id as id, c.kind, c.actor, c.segments, c.undone_by, c.created_at, c.undone_at,
      (select json_build_object('set_id', s.set_id, 'unit_no', u.segment_no,
          'old', json_build_object('source_text', u.old_source, 'target_text', u.old_target),
          'new', case when u.new_source is not null
            then json_build_object('source_text', u.new_source, 'target_text', u.new_target) end)
        from memory_changed_segments u left join memory_sets s
          on s.tenant_id = u.tenant_id and s.content_id = u.content_id
        where u.tenant_id = c.tenant_id and u.change_id = c.change_id and ${ofUnit(set?.versionId, unit_no)}
        order by u.position limit 1) as first
    from memory_changes c
    where c.tenant_id = ${tenantId}
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
  await tx.execute(sql`
    with gone as (
      delete from memory_changed_segments
      where tenant_id = ${tenantId} and job_id = ${jobId} and ${only ? sql`fed_key in ${fedKeysOf(only)}` : sql`true`}
      returning content_id, segment_no)
    delete from memory_use where tenant_id = ${tenantId} and (content_id, segment_no) in (
      select content_id, segment_no from gone)`);
}

/** SQL for the `fed_key` of segments as their job added them. */
export const fedKeysOf = (pairs: readonly AddedPair[]) =>
  sql`(select ${fedKey(sql`decode(w.h, 'hex')`, sql`w.t`)}
    from json_to_recordset(${JSON.stringify(pairs.map(({ hash, targetText }) => ({ h: hash, t: targetText })))}::json)
      as w(h text, t text))`;

/** Maximum changes that one statement deletes; each has up to 10,000 segments. */
const perStatement = 10;

/**
 * Deletes the changes of all tenants that are older than 30 days, and how often the segments were served that can no
 * longer be restored. Returns the number of changes.
 */
export async function pruneChanges(database: Database): Promise<number> {
  let deleted = 0;
  for (let statement = 0; statement < 100; statement++) {
    const { count } = await database.inPlatform((tx) =>
      tx.execute(sql`
        with old as (
          select tenant_id, change_id from memory_changes
          where created_at < now() - make_interval(days => ${keptDays}) order by created_at limit ${perStatement}),
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
