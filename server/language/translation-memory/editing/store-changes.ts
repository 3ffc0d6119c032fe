import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryChanges } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { deleteVectors } from '../embed-golden-sets.ts';
import { markOf } from '../index-pair.ts';
import { forgetSentences, renewSentences } from '../learned-sentences.ts';
import type { SetRow } from '../sets.ts';
import { moveUses } from '../use-counts.ts';

/*
 * The statements that change stored segments. Lookups read the stored segments: so an exact match is served with
 * its new text, or not at all, as soon as the change is committed. A segment with another source leaves its shard of
 * the fuzzy index and is found as an unindexed one; its vector is deleted and computed again.
 */

export type ChangeKind = (typeof memoryChanges.$inferSelect)['kind'];

/** The caller who changes segments. */
export interface Editor {
  principal: Principal;
  origin: Origin;
}

/** The email address of a member; null for an API key. */
export const nameOf = ({ principal }: Editor): string | null =>
  principal.kind === 'session' ? principal.user.email : null;

/** A change of a segment that is locked. `next` has its new texts; null to delete it. */
interface UnitChange {
  versionId: string;
  segmentNo: number;
  next: { sourceText: string; targetText: string } | null;
  /** For a deleted segment that is merged into an identical one of its set: the number of that segment. */
  mergedInto?: number;
}

/**
 * Maximum segments and octets of one change, which is one transaction: at most some seconds, and undone as a whole. Each
 * statement is about all of them, because PostgreSQL may read the whole set for each.
 */
export const maxChange = { units: 10_000, bytes: 16_000_000 };

/**
 * Prepares the transaction for statements about many segments. While PostgreSQL has no statistics of new segments, it may
 * join them in a nested loop, which reads the whole set for each of them, or merge them only by their set.
 */
export async function planForMany(tx: Tx, segments: number): Promise<void> {
  if (segments > 100)
    await tx.execute(
      sql`select set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true)`,
    );
}

/**
 * Changes segments of locked sets, and records the change in the history and in the audit log. The transaction must
 * have locked the segments.
 * @returns the ID of the change
 */
export async function storeChange(
  tx: Tx,
  services: Pick<Services, 'embedder'>,
  editor: Editor,
  kind: ChangeKind,
  { sets, changes }: { sets: readonly SetRow[]; changes: readonly UnitChange[] },
): Promise<string> {
  const tenantId = editor.principal.tenant.id;
  const changeId = newId();
  await planForMany(tx, changes.length);
  await tx
    .insert(memoryChanges)
    .values({ tenantId, changeId, kind, actor: nameOf(editor), segments: changes.length });
  const rows = changes.map(({ versionId: c, segmentNo: n, next, mergedInto: i }, at) => ({
    ...{ at, c, n, i, s: next?.sourceText ?? null, t: next?.targetText ?? null },
  }));
  await tx.execute(sql`
    insert into memory_changed_segments (tenant_id, change_id, position, content_id, segment_no, old_source,
      old_target, new_source, new_target, tuid, changed_at, job_id, fed_key, merged_into, context_before, context_after)
    select m.tenant_id, ${changeId}, r.at, m.content_id, m.segment_no, m.source_text, m.target_text, r.s, r.t, m.tuid,
      m.changed_at, m.job_id, case when m.job_id is not null then coalesce(m.fed_key, ${fedKeyOf('m')}) end,
      r.i, m.context_before, m.context_after
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(at int, c text, n bigint, s text, t text, i bigint)
    join memory_segments m on m.tenant_id = ${tenantId} and m.content_id = r.c and m.segment_no = r.n`);
  const edits = changes.flatMap(({ next, ...unit }) =>
    next ? [{ ...unit, ...next, changedAt: 'now' as const }] : [],
  );
  await replaceTexts(tx, tenantId, sets, edits);
  await removeUnits(
    tx,
    tenantId,
    sets,
    changes.filter(({ next }) => next === null),
  );
  const merged = changes.flatMap(({ mergedInto: into, ...unit }) =>
    into === undefined ? [] : [{ ...unit, into }],
  );
  await moveUses(tx, tenantId, merged, 'merge');
  if (merged.length > 0)
    // The segments that were merged into one of these belong to the segment that stays now.
    await tx.execute(sql`
      update memory_changed_segments u set merged_into = r.i from json_to_recordset(${JSON.stringify(rows)}::json)
        as r(c text, n bigint, i bigint)
      where u.tenant_id = ${tenantId} and u.content_id = r.c and u.merged_into = r.n`);
  await renewSets(tx, services, sets);
  await recordEvent(tx, editor.origin, {
    action: 'memory_changed',
    tenantId,
    actor: actorOfPrincipal(editor.principal),
    target: changeId,
    details: { kind, segments: changes.length },
  });
  return changeId;
}

/** SQL for the key by which a job finds the segment of `table`, which still has the texts that the job added. */
const fedKeyOf = (table: string): SQL =>
  fedKey(sql.raw(`${table}.source_hash`), sql.raw(`${table}.target_text`));

/** SQL for `fed_key`. @param hash the hash of the source, as bytes */
export const fedKey = (hash: SQL, target: SQL): SQL =>
  sql`substring(sha256(${hash} || convert_to(${target}, 'UTF8')) for 16)`;

interface PlacedUnit {
  versionId: string;
  segmentNo: number;
}

interface PlacedTexts extends PlacedUnit {
  sourceText: string;
  targetText: string;
  /** ISO 8601; null if unknown. */
  changedAt: string | 'now' | null;
}

const packTexts = (units: readonly PlacedTexts[]) =>
  JSON.stringify(
    units.map(({ versionId, segmentNo, sourceText, targetText, changedAt }) => ({
      ...{ c: versionId, n: segmentNo, s: sourceText, t: targetText, w: changedAt },
      h: sourceHashHex(normalForm(sourceText)),
      short: isShortEnough(sourceText) && isShortEnough(targetText),
    })),
  );

const texts = (units: readonly PlacedTexts[]) =>
  sql`json_to_recordset(${packTexts(units)}::json) as r(c text, n bigint, s text, t text, w text, h text, short boolean)`;

const changedAt = sql`case when r.w = 'now' then date_trunc('second', now()) else r.w::timestamptz end`;

/** Replaces the texts of stored segments. */
export async function replaceTexts(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRow[],
  units: readonly PlacedTexts[],
): Promise<void> {
  if (units.length === 0) return;
  const changed = await tx.execute<LeavingUnit & { k: boolean; stays: boolean }>(sql`
    update memory_segments m set source_text = r.s, target_text = r.t, source_hash = r.hash, changed_at = r.changed,
      fed_key = case when m.job_id is not null then coalesce(m.fed_key, r.fed_key) end, shard_no = r.shard
    from (
      select r.c, r.n, r.s, r.t, decode(r.h, 'hex') as hash, ${changedAt} as changed, o.shard_no as was,
        o.source_hash = decode(r.h, 'hex') as kept, ${fedKeyOf('o')} as fed_key,
        case when not r.short then -1 when o.source_hash = decode(r.h, 'hex') and o.shard_no <> -1 then o.shard_no end
          as shard
      from ${texts(units)}
      join memory_segments o on o.tenant_id = ${tenantId} and o.content_id = r.c and o.segment_no = r.n offset 0) r
    where m.tenant_id = ${tenantId} and m.content_id = r.c and m.segment_no = r.n
    returning m.content_id as c, m.segment_no as n, r.was as d, r.kept and r.shard is distinct from -1 as k,
      r.kept and r.shard is not distinct from r.was as stays`);
  await leaveIndex(
    tx,
    tenantId,
    sets,
    changed.filter(({ stays }) => !stays),
  );
  await renewSentencesOf(tx, tenantId, sets, units);
}

/** Replaces the sentences of changed segments of golden sets. */
async function renewSentencesOf(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRow[],
  units: readonly PlacedTexts[],
): Promise<void> {
  for (const set of sets.filter(({ origin }) => origin === 'golden_approved'))
    await renewSentences(
      tx,
      { tenantId, versionId: set.versionId, pairSource: set.pairSource, pairTarget: set.pairTarget },
      units.filter(({ versionId }) => versionId === set.versionId),
    );
}

/** Deletes stored segments. */
async function removeUnits(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRow[],
  units: readonly PlacedUnit[],
): Promise<void> {
  if (units.length === 0) return;
  const removed = await tx.execute<LeavingUnit>(sql`
    delete from memory_segments m
    using json_to_recordset(${JSON.stringify(units.map(({ versionId: c, segmentNo: n }) => ({ c, n })))}::json)
      as r(c text, n bigint)
    where m.tenant_id = ${tenantId} and m.content_id = r.c and m.segment_no = r.n
    returning m.content_id as c, m.segment_no as n, m.shard_no as d`);
  await leaveIndex(tx, tenantId, sets, removed);
  await count(tx, tenantId, removed, -1);
  const golden = new Set(
    sets.filter(({ origin }) => origin === 'golden_approved').map(({ versionId }) => versionId),
  );
  await forgetSentences(
    tx,
    tenantId,
    units.filter(({ versionId }) => golden.has(versionId)).map(({ segmentNo }) => segmentNo),
  );
}

/** A deleted segment with all its values. */
interface DeletedUnit extends PlacedTexts {
  tuid: string | null;
  jobId: string | null;
  /** In hexadecimal, like the context. */
  fedKey: string | null;
  contextBefore: string | null;
  contextAfter: string | null;
}

/** Stores deleted segments again, each at its former place. */
export async function restoreUnits(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRow[],
  units: readonly DeletedUnit[],
): Promise<void> {
  if (units.length === 0) return;
  const others = units.map(({ versionId: c, segmentNo: n, tuid, jobId, fedKey: k, ...context }) => ({
    ...{ c, n, tuid, job: jobId, k, b: context.contextBefore, a: context.contextAfter },
  }));
  const restored = await tx.execute<{ c: string }>(sql`
    insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, tuid,
      changed_at, shard_no, job_id, fed_key, context_before, context_after)
    select ${tenantId}, r.c, r.n, decode(r.h, 'hex'), r.s, r.t, o.tuid, ${changedAt}, case when r.short then null else -1 end,
      o.job, decode(o.k, 'hex'), decode(o.b, 'hex'), decode(o.a, 'hex')
    from ${texts(units)}
    join json_to_recordset(${JSON.stringify(others)}::json) as o(c text, n bigint, tuid text, job text, k text, b text, a text)
      on o.c = r.c and o.n = r.n
    returning content_id as c`);
  await count(tx, tenantId, restored, 1);
  await renewSentencesOf(tx, tenantId, sets, units);
}

/** A segment that leaves the fuzzy index: its version `c`, number `n` and former shard `d`. */
type LeavingUnit = { c: string; n: string; d: number | null };

/** Counts segments out of their shards, and deletes their vectors. */
async function leaveIndex(
  tx: Tx,
  tenantId: string,
  sets: readonly SetRow[],
  units: readonly (LeavingUnit & { k?: boolean })[],
): Promise<void> {
  if (units.length === 0) return;
  const places = JSON.stringify(
    units.flatMap(({ c, d }) => {
      const set = sets.find(({ versionId }) => versionId === c);
      return d === null || d === -1 || !set ? [] : [{ c, d, ps: set.pairSource, pt: set.pairTarget }];
    }),
  );
  const gone = sql`(select c, d, ps, pt, count(*)::int as n
    from json_to_recordset(${places}::json) as r(c text, d int, ps text, pt text) group by c, d, ps, pt)`;
  await tx.execute(sql`
    update memory_shards s set segments = segments - gone.n from ${gone} gone
    where s.tenant_id = ${tenantId} and s.content_id = gone.c and s.shard_no = gone.d`);
  await tx.execute(sql`
    update memory_pair_shards s set contents = (
      select jsonb_agg(jsonb_build_array(e.v ->> 0, (e.v ->> 1)::int - coalesce(gone.n, 0)) order by e.at)
      from jsonb_array_elements(s.contents) with ordinality as e(v, at)
      left join ${gone} gone on gone.c = e.v ->> 0 and gone.ps = s.pair_source and gone.pt = s.pair_target
        and gone.d = ${markOf(0)}::int - s.shard_no)
    where s.tenant_id = ${tenantId} and (s.pair_source, s.pair_target, ${markOf(0)}::int - s.shard_no) in (
      select ps, pt, d from ${gone} gone)`);
  await deleteVectors(
    tx,
    tenantId,
    units.filter(({ k }) => !k),
  );
}

/** Changes the stored number of segments of imported sets. */
async function count(tx: Tx, tenantId: string, units: readonly { c: string }[], sign: 1 | -1): Promise<void> {
  await tx.execute(sql`
    update memory_sets s set entry_count = entry_count + ${sign}::int * r.n
    from (select c, count(*)::int as n from json_to_recordset(${JSON.stringify(units)}::json) as r(c text) group by c) r
    where s.tenant_id = ${tenantId} and s.content_id = r.c and s.origin = 'tmx_import'`);
}

/** Renews `updated_at` of changed sets, and queues the computation of missing vectors. */
export async function renewSets(
  tx: Tx,
  { embedder }: Pick<Services, 'embedder'>,
  sets: readonly SetRow[],
): Promise<void> {
  for (const { tenantId, setId, embeddingModel } of sets) {
    await tx.execute(
      sql`update memory_sets set updated_at = now() where tenant_id = ${tenantId} and set_id = ${setId}`,
    );
    if (!embedder || embedder.model !== embeddingModel) continue;
    const job = `embed_memory:${setId}`;
    await addJob(tx, 'embed_memory', { tenantId, setId }, { key: job, queue: job });
  }
}
