import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memoryChangedSegments, memoryChanges, memorySets } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { countSegmentsOfPair, type SetRow } from '../sets.ts';
import { moveUses } from '../use-counts.ts';
import type { UndoneChange, UndoRequest } from './edit-schema.ts';
import { canBeUndone } from './history.ts';
import { changeMemory, lockSets } from './locked-sets.ts';
import { nameOf, planForMany, renewSets, replaceTexts, restoreUnits } from './store-changes.ts';

/** Maximum segments that a response names. */
const maxNamed = 50;

type Reason = UndoneChange['reasons'][number]['reason'];

/**
 * Undoes a change. A segment stays as it is if it has been changed or deleted since, if its set was replaced, or if a
 * deleted segment has no room any longer; all others get their former texts back.
 * @throws AppError 404 for an unknown change, also of another tenant, or one older than 30 days; 409 if it is undone
 *   already, or during an import
 */
export function undoChange(
  services: Pick<Services, 'database' | 'embedder' | 'settings'>,
  withTenant: WithTenant,
  origin: Origin,
  { change_id: changeId }: UndoRequest,
): Promise<UndoneChange> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const tenantId = editor.principal.tenant.id;
    const isChange = and(eq(memoryChanges.tenantId, tenantId), eq(memoryChanges.changeId, changeId));
    const [change] = await tx
      .select()
      .from(memoryChanges)
      .where(and(isChange, canBeUndone(memoryChanges.createdAt)))
      .for('update');
    if (!change) throw new AppError('not_found', 'change not found; changes are kept for 30 days');
    if (change.undoneAt) throw new AppError('conflict', 'this change is undone already');
    const versions = tx
      .select({ versionId: memoryChangedSegments.versionId })
      .from(memoryChangedSegments)
      .where(and(eq(memoryChangedSegments.tenantId, tenantId), eq(memoryChangedSegments.changeId, changeId)));
    const sets = await lockSets(tx, tenantId, inArray(memorySets.versionId, versions));
    const room = await roomOf(tx, sets, services.settings.MAX_TM_SEGMENTS);

    await planForMany(tx, change.segments);
    const reasons: UndoneChange['reasons'] = [];
    const done: ChangedUnit[] = [];
    for (const unit of await selectUnits(tx, tenantId, changeId)) {
      const reason = keptBecause(unit, sets, room);
      if (!reason) done.push(unit);
      else if (reasons.length < maxNamed) reasons.push(namedUnit(unit, sets, reason));
    }
    const old = done.map((unit) => ({ ...unit, sourceText: unit.oldSource, targetText: unit.oldTarget }));
    await replaceTexts(
      tx,
      tenantId,
      sets,
      old.filter(({ newSource }) => newSource !== null),
    );
    await restoreUnits(
      tx,
      tenantId,
      sets,
      old.filter(({ newSource }) => newSource === null),
    );
    const merged = done.flatMap(({ mergedInto: into, ...unit }) =>
      into === null ? [] : [{ ...unit, into }],
    );
    await moveUses(tx, tenantId, merged, 'undo');
    await tx.execute(sql`
      update memory_changed_segments set undone = true where tenant_id = ${tenantId} and change_id = ${changeId}
        and position = any(array(
          select value::int from json_array_elements_text(${JSON.stringify(done.map(({ position }) => position))}::json)))`);
    await renewSets(tx, services, sets);
    // A change of which nothing was undone can be undone after a later one.
    if (done.length > 0)
      await tx
        .update(memoryChanges)
        .set({ undoneAt: sql`now()`, undoneBy: nameOf(editor) })
        .where(isChange);
    const counts = { undone: done.length, kept: change.segments - done.length };
    await recordEvent(tx, origin, {
      action: 'memory_change_undone',
      tenantId,
      actor: actorOfPrincipal(editor.principal),
      target: changeId,
      details: counts,
    });
    return { ...counts, reasons };
  });
}

/** How many more segments each language pair of the sets may have. */
async function roomOf(tx: Tx, sets: readonly SetRow[], capacity: number): Promise<Map<string, number>> {
  const room = new Map<string, number>();
  for (const set of sets)
    if (!room.has(pairOf(set)))
      room.set(pairOf(set), capacity - (await countSegmentsOfPair(tx, set.tenantId, set, null)));
  return room;
}

const pairOf = ({ pairSource, pairTarget }: SetRow) => `${pairSource} ${pairTarget}`;

/** A segment of a change, and its present texts. */
interface ChangedUnit {
  position: number;
  versionId: string;
  segmentNo: number;
  oldSource: string;
  oldTarget: string;
  newSource: string | null;
  newTarget: string | null;
  tuid: string | null;
  jobId: string | null;
  fedKey: string | null;
  contextBefore: string | null;
  contextAfter: string | null;
  changedAt: string | null;
  mergedInto: number | null;
  /** Whether the segment exists. */
  exists: boolean;
  /** Whether it is as the change left it. */
  unchanged: boolean;
}

/** Returns the segments of a change, and locks those that exist. */
async function selectUnits(tx: Tx, tenantId: string, changeId: string): Promise<ChangedUnit[]> {
  const ofChange = sql`u.tenant_id = ${tenantId} and u.change_id = ${changeId}`;
  // `lateral` and `offset 0` make PostgreSQL look up each segment by its key, whatever it expects of new segments.
  const ofUnit = sql`from memory_segments m
    where m.tenant_id = ${tenantId} and m.content_id = u.content_id and m.segment_no = u.segment_no offset 0`;
  await tx.execute(sql`
    select from (
      select content_id, segment_no from memory_changed_segments u where ${ofChange}
      order by content_id, segment_no offset 0) u
    cross join lateral (select m.segment_no ${ofUnit} for update) m`);
  // A job that is being deleted forgets its segments: they must not be restored after that.
  await tx.execute(
    sql`select from memory_changed_segments u where ${ofChange} order by u.position for update`,
  );
  const rows = await tx.execute<
    Omit<ChangedUnit, 'segmentNo' | 'mergedInto'> & { no: string; into: string | null }
  >(sql`
    select u.position, u.content_id as "versionId", u.segment_no as no, u.old_source as "oldSource",
      u.old_target as "oldTarget", u.new_source as "newSource", u.new_target as "newTarget", u.tuid,
      u.job_id as "jobId", encode(u.fed_key, 'hex') as "fedKey",
      encode(u.context_before, 'hex') as "contextBefore", encode(u.context_after, 'hex') as "contextAfter", to_json(u.changed_at) #>> '{}' as "changedAt",
      u.merged_into as into, m.segment_no is not null as exists,
      (m.source_text, m.target_text) is not distinct from (u.new_source, u.new_target) as unchanged
    from memory_changed_segments u
    left join lateral (select m.segment_no, m.source_text, m.target_text ${ofUnit}) m on true
    where ${ofChange} order by u.position`);
  return rows.map(({ no, into, ...unit }) => ({
    ...{ ...unit, segmentNo: Number(no), mergedInto: into === null ? null : Number(into) },
  }));
}

/** Returns why a segment cannot be undone; undefined if it can. Takes the room that a deleted segment needs. */
function keptBecause(
  { versionId, exists, unchanged, newSource }: ChangedUnit,
  sets: readonly SetRow[],
  room: Map<string, number>,
): Reason | undefined {
  const set = sets.find((one) => one.versionId === versionId);
  if (!set) return 'replaced';
  if (newSource !== null && !exists) return 'deleted';
  if (!unchanged) return 'changed';
  if (newSource !== null) return undefined;
  const left = room.get(pairOf(set)) ?? 0;
  if (left <= 0) return 'full';
  room.set(pairOf(set), left - 1);
  return undefined;
}

function namedUnit(
  { versionId, segmentNo, oldSource, oldTarget, newSource, newTarget }: ChangedUnit,
  sets: readonly SetRow[],
  reason: Reason,
): UndoneChange['reasons'][number] {
  return {
    set_id: sets.find((set) => set.versionId === versionId)?.setId ?? null,
    unit_no: segmentNo,
    old: { source_text: oldSource, target_text: oldTarget },
    new: newSource === null || newTarget === null ? null : { source_text: newSource, target_text: newTarget },
    reason,
  };
}
