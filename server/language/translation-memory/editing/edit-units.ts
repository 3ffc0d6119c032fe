import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { FoundUnit } from '../search/read-units.ts';
import { unitViews } from '../search/search-units.ts';
import type { SetRow } from '../sets.ts';
import { storedTuid } from '../tuid.ts';
import type { DeletedUnits, DeleteUnitsRequest, UpdatedUnit, UpdateUnitRequest } from './edit-schema.ts';
import { changeMemory, lockSet } from './locked-sets.ts';
import { type Editor, storeChange } from './store-changes.ts';

type Needed = Pick<Services, 'database' | 'embedder'>;

/**
 * Replaces the texts of a segment that the member saw. If it already has the new texts, nothing changes, so that the
 * request can be sent again.
 * @throws AppError 404 for an unknown set or segment, also of another tenant; 409, with the present segment, if another
 *   member has changed it; 409 during an import; 422 for an empty text
 */
export function updateUnit(
  services: Needed,
  withTenant: WithTenant,
  origin: Origin,
  { set_id, unit_no, replaces, source_text, target_text }: UpdateUnitRequest,
): Promise<UpdatedUnit> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const set = await lockSet(tx, editor.principal.tenant.id, set_id);
    const [unit] = await selectUnits(tx, set, [unit_no]);
    if (!unit) throw new AppError('not_found', 'segment not found');
    const wanted = { source_text, target_text };
    const viewOf = async (one: FoundUnit) => (await unitViews(tx, editor.principal, [one]))[0]!;
    if (isSame(unit, wanted)) return { unit: await viewOf(unit), change_id: null };
    await requireSeen(tx, editor, unit, replaces);
    if (normalForm(source_text) === '' || normalForm(target_text) === '')
      throw new AppError('unprocessable', 'a segment needs a source text and a translation');
    const next = { sourceText: source_text, targetText: target_text };
    const changes = [{ versionId: set.versionId, segmentNo: unit_no, next }];
    const change_id = await storeChange(tx, services, editor, 'edited', { sets: [set], changes });
    const [changed] = await selectUnits(tx, set, [unit_no]);
    if (!changed) throw new Error('a locked segment is gone');
    return { unit: await viewOf(changed), change_id };
  });
}

/**
 * Deletes segments of a set that the member saw. Those that are gone already are left out, so that the request can be
 * sent again.
 * @throws AppError 404 for an unknown set, also of another tenant; 409, with the present segment, if another member has
 *   changed one: then none is deleted; 409 during an import
 */
export function deleteUnits(
  services: Needed,
  withTenant: WithTenant,
  origin: Origin,
  { set_id, units }: DeleteUnitsRequest,
): Promise<DeletedUnits> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const set = await lockSet(tx, editor.principal.tenant.id, set_id);
    const seen = new Map(units.map((unit) => [unit.unit_no, unit]));
    const found = await selectUnits(tx, set, [...seen.keys()]);
    for (const unit of found) await requireSeen(tx, editor, unit, seen.get(unit.segmentNo)!);
    if (found.length === 0) return { deleted: 0, change_id: null };
    const changes = found.map(({ segmentNo }) => ({ versionId: set.versionId, segmentNo, next: null }));
    const change_id = await storeChange(tx, services, editor, 'deleted', { sets: [set], changes });
    return { deleted: found.length, change_id };
  });
}

/** Locks segments of a locked set and returns them, without those that the set does not have. */
async function selectUnits(tx: Tx, set: SetRow, segmentNos: readonly number[]): Promise<FoundUnit[]> {
  const { tenantId, versionId } = set;
  const rows = await tx.execute<UnitRow>(sql`
    select segment_no as no, source_text as source, target_text as target, ${storedTuid('')} as tuid,
      to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed
    from memory_segments where tenant_id = ${tenantId} and content_id = ${versionId} and segment_no = any(array(
      select value::bigint from json_array_elements_text(${JSON.stringify(segmentNos)}::json)))
    order by segment_no for update`);
  return rows.map(({ no, source, target, tuid, changed }) => ({
    ...{ set, segmentNo: Number(no), sourceText: source, targetText: target, tuid, changedAt: changed },
  }));
}

type UnitRow = { no: string; source: string; target: string; tuid: string | null; changed: string | null };

interface SeenTexts {
  source_text: string;
  target_text: string;
}

const isSame = ({ sourceText, targetText }: FoundUnit, { source_text, target_text }: SeenTexts) =>
  sourceText === source_text && targetText === target_text;

/** @throws AppError 409, with the present segment */
async function requireSeen(tx: Tx, { principal }: Editor, unit: FoundUnit, seen: SeenTexts): Promise<void> {
  if (isSame(unit, seen)) return;
  const [present] = await unitViews(tx, principal, [unit]);
  throw new AppError('conflict', 'another member has changed this segment', { present });
}
