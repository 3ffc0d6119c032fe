import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { createSpanFinder, createTextPattern, hasText } from '#server/http/text-search.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { columns, slots } from '../search/search-units.ts';
import { requireSet, type SetRow, selectSetById } from '../sets.ts';
import type {
  BulkChange,
  CountFoundRequest,
  DeleteFoundRequest,
  FoundCount,
  PreviewReplaceRequest,
  ReplacePreview,
  ReplaceRequest,
} from './edit-schema.ts';
import { changeMemory, lockSet } from './locked-sets.ts';
import { maxChange, storeChange } from './store-changes.ts';

/*
 * Changes of all segments that a search finds. A change is one transaction over at most `maxChange` segments: after
 * a crash all of them are changed or none, and an undo restores all. A search that finds more is rejected.
 */

type Needed = Pick<Services, 'database' | 'embedder'>;

/** Maximum hits of a preview. */
const maxHits = 50;

/** Maximum characters of a text after a replacement, as for an edited one. */
const maxText = 50_000;

/**
 * Counts the segments of a set that contain a text.
 * @throws AppError 404 for an unknown set, also of another tenant; 422 if there are too many to delete at once
 */
export function countFound(
  services: Needed,
  withTenant: WithTenant,
  request: CountFoundRequest,
  signal: AbortSignal,
): Promise<FoundCount> {
  return searchSet(services, withTenant, request.set_id, signal, async (tx, set) => {
    const found = await selectFound(tx, set, conditionOf(request));
    return { segments: found.length, version: versionOf(found) };
  });
}

/**
 * Deletes the segments of a set that contain a text.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 if they are not those that the member saw, or during an
 *   import; 422 if there are too many
 */
export function deleteFound(
  services: Needed,
  withTenant: WithTenant,
  origin: Origin,
  { version, ...request }: DeleteFoundRequest,
): Promise<BulkChange> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const set = await lockSet(tx, editor.principal.tenant.id, request.set_id);
    const found = await selectFound(tx, set, conditionOf(request), sql`for update`);
    requireVersion(version, found);
    const changes = found.map(({ segmentNo }) => ({ versionId: set.versionId, segmentNo, next: null }));
    return {
      change_id: await storeChange(tx, services, editor, 'deleted', { sets: [set], changes }),
      segments: found.length,
    };
  });
}

/**
 * Returns what a replacement would change.
 * @throws AppError 404 for an unknown set, also of another tenant; 422 if it would change too many segments
 */
export function previewReplace(
  services: Needed,
  withTenant: WithTenant,
  request: PreviewReplaceRequest,
  signal: AbortSignal,
): Promise<ReplacePreview> {
  return searchSet(services, withTenant, request.set_id, signal, async (tx, set) => {
    const { hits, occurrences, leftOut } = await findReplacements(tx, set, request);
    const spansIn = createSpanFinder(request.find, {
      wholeWords: request.whole_words,
      matchCase: request.match_case,
    });
    return {
      ...{ segments: hits.length, version: versionOf(hits), occurrences, left_out: leftOut },
      hits: hits.slice(0, maxHits).map(({ segmentNo, sourceText, targetText, replaced }) => ({
        unit_no: segmentNo,
        source_text: sourceText,
        target_text: targetText,
        spans: spansIn(request.side === 'source' ? sourceText : targetText),
        replaced,
      })),
    };
  });
}

/**
 * Replaces a text in all segments of a set.
 * @throws AppError 404 for an unknown set, also of another tenant; 409 if it would change other segments or texts than
 *   the member saw, or during an import; 422 if these are too many
 */
export function replaceText(
  services: Needed,
  withTenant: WithTenant,
  origin: Origin,
  { version, ...request }: ReplaceRequest,
): Promise<BulkChange> {
  return changeMemory(services, withTenant, origin, async (tx, editor) => {
    const set = await lockSet(tx, editor.principal.tenant.id, request.set_id);
    const { hits } = await findReplacements(tx, set, request, sql`for update`);
    requireVersion(version, hits);
    const changes = hits.map(({ segmentNo, sourceText, targetText, replaced }) => ({
      ...{ versionId: set.versionId, segmentNo },
      next:
        request.side === 'source'
          ? { sourceText: replaced, targetText }
          : { sourceText, targetText: replaced },
    }));
    return {
      change_id: await storeChange(tx, services, editor, 'replaced', { sets: [set], changes }),
      segments: hits.length,
    };
  });
}

/** Searches a set. Few searches run at a time, because each of them reads all segments of the set. */
export async function searchSet<R>(
  { database }: Needed,
  withTenant: WithTenant,
  setId: string,
  signal: AbortSignal,
  search: (tx: Tx, set: SetRow) => Promise<R>,
): Promise<R> {
  const set = await withTenant(async (tx, { tenant }) =>
    requireSet(await selectSetById(tx, tenant.id, setId)),
  );
  const { tenantId } = set;
  return slots.run({ tenantId, signal }, () => database.inTenant(tenantId, (tx) => search(tx, set)));
}

function conditionOf({ text, match, side }: CountFoundRequest): SQL {
  const sides = side === 'either' ? (['source', 'target'] as const) : [side];
  return sql.join(
    sides.map((name) => hasText(columns[name], text, match)),
    sql` or `,
  );
}

/** A segment that a search finds, and a hash of its texts. */
interface FoundSegment {
  segmentNo: number;
  digest: string;
}

/**
 * Returns the segments that match a condition.
 * @param lock `for update` before a change
 * @throws AppError 422
 */
async function selectFound(
  tx: Tx,
  { tenantId, versionId }: SetRow,
  condition: SQL,
  lock = sql``,
): Promise<FoundSegment[]> {
  const rows = await tx.execute<{ no: string; size: number; digest: string }>(sql`
    select segment_no as no, octet_length(source_text) + octet_length(target_text) as size,
      encode(sha256(convert_to(json_build_array(source_text, target_text)::text, 'UTF8')), 'hex') as digest
    from memory_segments
    where tenant_id = ${tenantId} and content_id = ${versionId} and (${condition})
    order by segment_no limit ${maxChange.units + 1} ${lock}`);
  // The size is known without reading the texts.
  const bytes = rows.reduce((sum, row) => sum + row.size, 0);
  if (rows.length > maxChange.units || bytes > maxChange.bytes) throw tooMany();
  return rows.map(({ no, digest }) => ({ segmentNo: Number(no), digest }));
}

interface Replacement extends FoundSegment {
  sourceText: string;
  targetText: string;
  /** The searched side after the replacement. */
  replaced: string;
}

/** Finds the segments that a replacement changes, and their new texts. */
async function findReplacements(
  tx: Tx,
  set: SetRow,
  { side, find, replacement, match_case: matchCase, whole_words: wholeWords }: PreviewReplaceRequest,
  lock?: SQL,
): Promise<{ hits: Replacement[]; occurrences: number; leftOut: number }> {
  const { tenantId, versionId } = set;
  const matching = await selectFound(tx, set, hasText(columns[side], find, 'contains'), lock);
  const digests = new Map(matching.map(({ segmentNo, digest }) => [segmentNo, digest]));
  const rows = await tx.execute<{ no: string; source: string; target: string }>(sql`
    select segment_no as no, source_text as source, target_text as target from memory_segments
    where tenant_id = ${tenantId} and content_id = ${versionId} and segment_no = any(array(
      select value::bigint from json_array_elements_text(${JSON.stringify([...digests.keys()])}::json)))
    order by segment_no`);
  const pattern = createTextPattern(find, { wholeWords, matchCase });
  const found = { hits: [] as Replacement[], occurrences: 0, leftOut: 0 };
  let bytes = 0;
  for (const [at, { no, source, target }] of rows.entries()) {
    // Let other requests run in between.
    if (at % 50 === 49) await setImmediate();
    const before = side === 'source' ? source : target;
    let places = 0;
    let length = before.length;
    // Only counted at first: a replacement of each letter would need 200 times the memory.
    for (const [place] of before.matchAll(pattern)) {
      places += 1;
      length += replacement.length - place.length;
    }
    if (places === 0) continue;
    const isTooLong = length > Math.max(maxText, before.length);
    const replaced = isTooLong ? '' : before.replace(pattern, () => replacement);
    if (replaced === before) continue;
    if (normalForm(replaced) === '') {
      found.leftOut += 1;
      continue;
    }
    bytes += Buffer.byteLength(source) + Buffer.byteLength(target);
    bytes += Buffer.byteLength(replaced) - Buffer.byteLength(before);
    if (bytes > maxChange.bytes) throw tooMany();
    found.occurrences += places;
    const segment = { segmentNo: Number(no), digest: digests.get(Number(no)) ?? '' };
    found.hits.push({ ...segment, sourceText: source, targetText: target, replaced });
  }
  return found;
}

/** Identifies segments and their texts, so that a change is made only to those that the member saw. */
const versionOf = (segments: readonly FoundSegment[]): string =>
  hash('sha256', JSON.stringify(segments.map(({ segmentNo, digest }) => [segmentNo, digest])));

/** @throws AppError 409 */
function requireVersion(version: string, segments: readonly FoundSegment[]): void {
  if (versionOf(segments) !== version)
    throw new AppError(
      'conflict',
      'the segments that the search finds have changed since the preview; look at the preview again',
    );
}

/** @throws AppError 409 */
export function requireExpected(found: number, expected: number): void {
  if (found !== expected)
    throw new AppError(
      'conflict',
      `the search now finds ${found} segments instead of ${expected}; look at the preview again`,
    );
}

function tooMany(): AppError {
  return new AppError(
    'unprocessable',
    `too_many_segments: the search finds more than ${maxChange.units} segments, or more than ${maxChange.bytes / 1_000_000} MB of text; search for a longer text`,
  );
}
