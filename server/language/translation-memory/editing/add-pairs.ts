import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { requireLanguagePair } from '#server/language/set-upload.ts';
import { isShortEnough } from '#server/matching/fuzzy/index.ts';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';
import { inSlices } from '#server/platform/threads/slices.ts';
import type { AddedPairs, AddPairsRequest } from '../alignment-schema.ts';
import { updateStatistics } from '../imports/planner-statistics.ts';
import { countSegmentsOfPair, type SetRow } from '../sets.ts';
import { changeMemory, lockSet } from './locked-sets.ts';
import { planForMany, renewSets } from './store-changes.ts';

/**
 * Adds sentence pairs to an imported set, in one transaction. A pair whose source the set has is left out: so nothing that
 * the set serves changes, and the request can be sent again.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 during an import; 422 for an empty text, other
 *   languages, a set of approved translations, or more segments than a language pair may have
 */
export async function addPairs(
  services: Pick<Services, 'database' | 'embedder' | 'log' | 'settings'>,
  withTenant: WithTenant,
  origin: Origin,
  { set_id: setId, pairs, is_preview: isPreview, ...languages }: AddPairsRequest,
): Promise<AddedPairs> {
  const { tenantId, ...result } = await changeMemory(
    services,
    withTenant,
    origin,
    async (tx, { principal }) => {
      const tenantId = principal.tenant.id;
      const set = await lockSet(tx, tenantId, setId);
      requireSuitable(set, languages);
      const units = await inSlices(unitsOf(pairs));
      await planForMany(tx, units.length);
      const added = await selectNew(tx, set, units);
      const counts = { tenantId, added: added.length, already_there: pairs.length - added.length };
      if (added.length === 0 || isPreview) return counts;
      const held = await countSegmentsOfPair(tx, tenantId, set, null);
      const most = services.settings.MAX_TM_SEGMENTS;
      if (held + added.length > most)
        throw new AppError(
          'unprocessable',
          `tm_max_segments_exceeded: ${held} segments from ${set.pairSource} to ${set.pairTarget} are already stored, and ${added.length} would be added; at most ${most} in total are allowed`,
        );
      await insertUnits(tx, set, added);
      await renewSets(tx, services, [set]);
      await recordEvent(tx, origin, {
        action: 'memory_changed',
        tenantId,
        actor: actorOfPrincipal(principal),
        target: setId,
        details: { kind: 'added', segments: added.length },
      });
      return counts;
    },
  );
  if (!isPreview) await updateStatistics(services, tenantId, result.added);
  return result;
}

function requireSuitable(set: SetRow, languages: { source_lang: string; target_lang: string }): void {
  const { source, target } = requireLanguagePair(languages);
  if (set.origin !== 'tmx_import')
    throw new AppError(
      'unprocessable',
      'a translation memory of approved translations gets its segments from translations; select another one',
    );
  if (set.pairSource !== source.code || set.pairTarget !== target.code)
    throw new AppError(
      'unprocessable',
      `the translation memory is from ${set.sourceLang} to ${set.targetLang}`,
    );
}

interface NewUnit {
  source: string;
  target: string;
  /** The hash of the source, in hexadecimal. */
  hash: string;
}

/** Returns one segment for each source: the last one, as in an import. */
function* unitsOf(pairs: AddPairsRequest['pairs']): Generator<undefined, NewUnit[]> {
  const units = new Map<string, NewUnit>();
  for (const { source, target } of pairs) {
    const normal = normalForm(source);
    if (normal === '' || normalForm(target) === '')
      throw new AppError('unprocessable', 'a segment needs a source text and a translation');
    units.set(normal, { source, target, hash: sourceHashHex(normal) });
    yield;
  }
  return [...units.values()];
}

/** Returns the segments whose sources the set does not have. */
async function selectNew(tx: Tx, { tenantId, versionId }: SetRow, units: NewUnit[]): Promise<NewUnit[]> {
  const known = await tx.execute<{ hash: string }>(sql`
    select encode(source_hash, 'hex') as hash from memory_segments
    where tenant_id = ${tenantId} and content_id = ${versionId} and source_hash = any(array(
      select decode(value, 'hex') from json_array_elements_text(${JSON.stringify(units.map(({ hash }) => hash))}::json)))`);
  const hashes = new Set(known.map(({ hash }) => hash));
  return units.filter(({ hash }) => !hashes.has(hash));
}

/**
 * Inserts segments after the last one, also after deleted ones, whose numbers an undo needs. They are not in the
 * fuzzy index yet: lookups read them, and the sweep adds them.
 */
async function insertUnits(tx: Tx, set: SetRow, units: readonly NewUnit[]): Promise<void> {
  const { tenantId, versionId, setId } = set;
  const rows = units.map(({ source: s, target: t, hash: h }, at) => ({
    ...{ at: at + 1, s, t, h },
    short: isShortEnough(s) && isShortEnough(t),
  }));
  await tx.execute(sql`
    insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, changed_at,
      shard_no)
    select ${tenantId}, ${versionId}, last.no + r.at, decode(r.h, 'hex'), r.s, r.t, date_trunc('second', now()),
      case when r.short then null else -1 end
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(at int, s text, t text, h text, short boolean),
      (select greatest(
        (select coalesce(max(segment_no), 0) from memory_segments
          where tenant_id = ${tenantId} and content_id = ${versionId}),
        (select coalesce(max(segment_no), 0) from memory_changed_segments
          where tenant_id = ${tenantId} and content_id = ${versionId})) as no) last`);
  await tx.execute(sql`
    update memory_sets set entry_count = entry_count + ${units.length}
    where tenant_id = ${tenantId} and set_id = ${setId}`);
}
