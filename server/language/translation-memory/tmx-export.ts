import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { csvMark, csvRow } from '#server/formats/table-writer.ts';
import { tmxHead, tmxTail, tmxUnit } from '#server/formats/tmx/writer.ts';
import { beginExport, cutPieces, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import type { TextContext } from '#server/matching/normal-form.ts';
import type { StreamResponse } from '#server/trpc.ts';
import {
  goldenSetName,
  requireSet,
  type SetRow,
  segmentsOf,
  selectSetById,
  selectSetByName,
} from './sets.ts';
import { exportedTuid, storedTuid } from './tuid.ts';
import type { SetVersion } from './versions.ts';

/** Maximum number of attempts of an export, if its set is replaced before the first byte is sent. */
const maxAttempts = 4;

interface Exported {
  set: SetRow;
  range: { after: number; last: number };
}

interface ExportFormat {
  contentType: string;
  suffix: string;
  head(set: SetRow): string;
  /** Writes the segments of a page up to the segment `last`. */
  units(set: SetRow, segments: ExportedSegment[], last: number): Iterable<string>;
  tail: string;
}

const tmxFormat: ExportFormat = {
  contentType: 'application/xml',
  suffix: '.tmx',
  head: ({ sourceLang, targetLang }) => tmxHead({ sourceLang, targetLang, creationDate: new Date() }),
  units: writeUnits,
  tail: tmxTail,
};

/** Source, translation, their languages, and the ID and the time of the last change as in TMX. */
export const csvFormat: ExportFormat = {
  contentType: 'text/csv',
  suffix: '.csv',
  head: () => csvMark + csvRow(['source', 'target', 'source_lang', 'target_lang', 'tuid', 'changed_at']),
  *units({ sourceLang, targetLang, updatedAt }, segments, last) {
    for (const segment of segments) {
      const { segmentNo, sourceText, targetText, changedAt } = segment;
      const time = changedAt ?? updatedAt.toISOString();
      if (segmentNo <= last)
        yield csvRow([sourceText, targetText, sourceLang, targetLang, exportedTuid(segment), time]);
    }
  },
  tail: '',
};

/**
 * Exports a set; by default as TMX 1.4b.
 * @throws AppError 404 if the set is unknown, belongs to another tenant, or is empty
 */
export function exportSet(
  services: Pick<Services, 'database' | 'log' | 'settings'>,
  withTenant: WithTenant,
  setId: string,
  request: ExportRequest,
  format = tmxFormat,
): Promise<StreamResponse> {
  const find = async (tx: Tx, tenantId: string) => requireSet(await selectSetById(tx, tenantId, setId));
  return streamSegments(services, withTenant, request, find, { format });
}

/**
 * Exports the approved translations of a language pair.
 * @throws AppError 400 if a language is blank, 422 if it is unsupported, 404 if nothing has been approved yet
 */
export async function exportGolden(
  services: Pick<Services, 'database' | 'log' | 'settings'>,
  withTenant: WithTenant,
  languages: { source_lang: string; target_lang: string },
  request: ExportRequest,
): Promise<StreamResponse> {
  const nothing = () => new AppError('not_found', 'no approved golden pairs for this language pair');
  return streamSegments(
    services,
    withTenant,
    request,
    async (tx, tenantId) => {
      const { source_lang, target_lang } = languages;
      if (source_lang.trim() === '' || target_lang.trim() === '')
        throw new AppError('validation_error', 'source_lang and target_lang query params are required');
      const pairSource = requireDeclaredLanguage('source_lang', source_lang).code;
      const pairTarget = requireDeclaredLanguage('target_lang', target_lang).code;
      const set = await selectSetByName(tx, tenantId, goldenSetName({ pairSource, pairTarget }));
      if (!set) throw nothing();
      return set;
    },
    { empty: nothing },
  );
}

/**
 * Streams an export, one page at a time. A slow client holds no database connection and little memory.
 * @throws AppError 503 if the set is replaced again and again before the first byte is sent
 */
async function streamSegments(
  { database, settings, log }: Pick<Services, 'database' | 'log' | 'settings'>,
  withTenant: WithTenant,
  request: ExportRequest,
  find: (tx: Tx, tenantId: string) => Promise<SetRow>,
  {
    empty = () => new AppError('not_found', 'the translation memory has no segments'),
    format = tmxFormat,
  } = {},
): Promise<StreamResponse> {
  const look = async (tx: Tx, tenantId: string): Promise<Exported> => {
    const set = await find(tx, tenantId);
    const range = await selectExportRange(tx, set, settings.MAX_TM_SEGMENTS);
    if (!range) throw empty();
    return { set, range };
  };
  const { tenantId, seen } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    seen: await look(tx, tenant.id),
  }));
  const slot = await beginExport({ tenantId, signal: request.signal });
  const inPageSlot = <T>(work: (tx: Tx) => Promise<T>) =>
    makePage({ tenantId, signal: request.signal }, () => database.inTenant(tenantId, work));
  const readOf =
    ({ set }: Exported): ReadPage =>
    (after, place) =>
      inPageSlot(async (tx) => {
        const page = await selectSegments(tx, set, after, place);
        // Never mix segments of two uploads. Check the version after reading the page, because a replacement deletes
        // the previous segments.
        const now = await selectSetById(tx, tenantId, set.setId);
        return now?.versionId === set.versionId ? page : replaced;
      });
  try {
    let exported = seen;
    for (let tries = 1; tries <= maxAttempts; tries += 1) {
      const read = readOf(exported);
      // Read the first page before any byte is sent, so that an error here gets an ordinary error response.
      const first = await read(exported.range.after, 'first');
      if (first !== replaced)
        return {
          chunks: guardExport(log, request, slot, writeSet(format, exported, first, read)),
          contentType: format.contentType,
          fileName: exported.set.name + format.suffix,
          cut: slot.cut,
          end: slot.end,
        };
      // The set may have changed while the export waited for its slot.
      exported = await inPageSlot((tx) => look(tx, tenantId));
    }
    throw new AppError('transient_error', 'the translation memory is being replaced; try again');
  } catch (error) {
    slot.end();
    throw error;
  }
}

/** The value that is returned instead of a page if the set has been replaced. */
const replaced = 'replaced';

type ReadPage = (after: number, place: 'first' | 'next') => Promise<ExportedSegment[] | typeof replaced>;

/**
 * Reads the next page after the client has received the previous one.
 * @throws Error if the set was replaced in between
 */
async function* writeSet(
  { head, units, tail }: ExportFormat,
  { set, range }: Exported,
  page: ExportedSegment[],
  read: ReadPage,
): AsyncGenerator<string, void> {
  yield head(set);
  // Assign to the parameter, so that the first page can be garbage collected.
  while (page.length > 0) {
    yield* cutPieces(units(set, page, range.last));
    const { segmentNo } = page.at(-1)!;
    if (segmentNo >= range.last) break;
    const next = await read(segmentNo, 'next');
    if (next === replaced) throw new Error('the translation memory was replaced during the export');
    page = next;
  }
  yield tail;
}

/**
 * Writes the segments of a page up to the segment `last`. A segment without a changedate gets the time at which its set
 * was stored.
 */
export function* writeUnits(
  { sourceLang, targetLang, updatedAt }: SetRow,
  segments: ExportedSegment[],
  last: number,
): Generator<string, void> {
  for (const segment of segments) {
    const { segmentNo, sourceText: source, targetText: target, changedAt, context } = segment;
    if (segmentNo <= last)
      yield tmxUnit({
        sourceLang,
        targetLang,
        source,
        target,
        tuid: exportedTuid(segment),
        changedate: changedAt ?? updatedAt.toISOString(),
        context,
      });
  }
}

/** A segment in the form in which an export writes it. */
interface ExportedSegment {
  segmentNo: number;
  sourceText: string;
  targetText: string;
  tuid: string | null;
  /** Time of the last change, ISO 8601 in UTC. */
  changedAt: string | null;
  context: TextContext | null;
}

/** Maximum number of segments on a page. The first page is small, because the client waits for it. */
const segmentsOfPage = { first: 100, next: 1000 };

/** Maximum number of bytes of text on a page, unless its only segment is longer. */
export const bytesOfPage = 262_144;

/**
 * Returns the page of a version's segments after segment `after`, in stored order. The bytes of a page are limited too,
 * because segments may be long, and the page of an export that no client reads stays in memory.
 */
export async function selectSegments(
  tx: Tx,
  { tenantId, versionId }: SetVersion,
  after: number,
  place: keyof typeof segmentsOfPage,
): Promise<ExportedSegment[]> {
  // octet_length does not read values that are stored outside of the row, so rows beyond the page cost nothing.
  const rows = await tx.execute<{
    no: string;
    source: string;
    target: string;
    tuid: string | null;
    changed: string | null;
    context: TextContext | null;
  }>(sql`
      select segment_no as no, source_text as source, target_text as target, ${storedTuid('')} as tuid,
        to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed,
        case when num_nonnulls(context_before, context_after) > 0 then json_build_object(
          'before', encode(context_before, 'hex'), 'after', encode(context_after, 'hex')) end as context
      from (
        select *, row_number() over stored as place,
          sum(octet_length(source_text) + octet_length(target_text) + coalesce(octet_length(tuid), 0))
            over stored as bytes
        from (
          select segment_no, source_text, target_text, tuid, changed_at, job_id, context_before, context_after from memory_segments
          where tenant_id = ${tenantId} and content_id = ${versionId} and segment_no > ${after}
          order by segment_no limit ${sql.raw(String(segmentsOfPage[place]))}
        ) following
        window stored as (order by segment_no rows unbounded preceding)
      ) measured
      where place = 1 or bytes <= ${sql.raw(String(bytesOfPage))}
      order by segment_no`);
  return rows.map(({ no, source, target, tuid, changed, context }) => ({
    segmentNo: Number(no),
    sourceText: source,
    targetText: target,
    tuid,
    changedAt: changed,
    context,
  }));
}

/**
 * Returns the range of an export of the latest `max` segments: the segment after which the export starts, and its last
 * segment. Segments added later are not exported. Undefined if none exist.
 */
async function selectExportRange(
  tx: Tx,
  { tenantId, versionId }: SetVersion,
  max: number,
): Promise<{ after: number; last: number } | undefined> {
  // Count the few oldest segments that are skipped. Counting from the latest backward would scan everything that is
  // exported.
  const ofContent = sql`tenant_id = ${tenantId} and content_id = ${versionId}`;
  const count = segmentsOf(sql`${tenantId}`, sql`${versionId}`);
  const [row] = await tx.execute<{ after: string | null; last: string | null }>(sql`
    select (select segment_no from memory_segments where ${ofContent} order by segment_no desc limit 1) as last,
      case when skipped > 0 then (select segment_no from memory_segments
        where ${ofContent} order by segment_no offset skipped - 1 limit 1) end as after
    from (select ${count} - ${max}::bigint as skipped) counted`);
  if (!row || row.last === null) return undefined;
  return { after: Number(row.after ?? 0), last: Number(row.last) };
}
