import { type ManifestLine, manifestKey, manifestOf } from '#server/records/golden-records.ts';
import { manifestLines } from '#server/records/manifests.ts';
import { type Comparison, pageSize, recordLimit } from './comparison.ts';
import type { Place } from './places.ts';
import { type Cursor, type PublishedRow, type PublishedRows, publishedRows } from './records.ts';
import { addLine, removeRepeatedLines } from './repair.ts';

const dayMs = 86_400_000;
/**
 * Maximum milliseconds by which the time of a line may differ from that of its row, because the two are measured by
 * two clocks at different moments.
 */
const lineMargin = 3_600_000;
/**
 * Maximum rows whose lines are counted in one reading of a manifest. This limits the memory. If a day has more rows,
 * its manifest is read several times.
 */
const rowsPerPass = 50_000;

/** A published row, and the number of its lines in the manifest. */
interface Expected extends PublishedRow {
  tenantId: string;
  uri: string;
  /** The path of the row's record in the compared store. */
  path: string;
  lines: number;
}

/** A position in the rows of one kind and one tenant, which are read in the order of their time. */
interface Lane {
  tenantId: string;
  kind: PublishedRows;
  after: Cursor | null;
  /** The time of the next row; null after the last row. */
  next: Date | null;
}

/**
 * Finds the rows of these tenants that have no line in the manifests of a place, or more than one. All tenants are
 * compared day by day, because the manifest of a day in platform storage contains the lines of all tenants.
 */
export async function compareManifests(
  comparison: Comparison,
  place: Place,
  tenantIds: readonly string[],
): Promise<void> {
  const lanes: Lane[] = [];
  for (const tenantId of tenantIds)
    for (const kind of publishedRows) {
      const lane = await advance(comparison, { tenantId, kind, after: null, next: null }, 1);
      const [first] = lane.rows;
      if (first) lanes.push({ tenantId, kind, after: null, next: first.at });
    }
  for (let day = firstDay(lanes); day !== undefined; day = firstDay(lanes)) {
    let expected = new Map<string, Expected>();
    for await (const row of rowsOfDay(comparison, place, lanes, day)) {
      expected.set(manifestKey({ tenant_id: row.tenantId, golden_uri: row.uri }), row);
      if (expected.size < rowsPerPass) continue;
      await compareLines(comparison, place, expected);
      expected = new Map();
    }
    await compareLines(comparison, place, expected);
  }
}

function firstDay(lanes: readonly Lane[]): number | undefined {
  let first: number | undefined;
  for (const { next } of lanes) {
    const time = next?.getTime();
    if (time !== undefined && (first === undefined || time < first)) first = time;
  }
  return first === undefined ? undefined : first - (first % dayMs);
}

/** Reads the next rows of a lane. */
async function advance({ database }: Comparison, { tenantId, kind, after }: Lane, limit: number) {
  return { rows: await database.inTenant(tenantId, (tx) => kind.byTime(tx, tenantId, after, limit)) };
}

/** Yields the rows of a day whose records are in this place, and moves the lanes behind these rows. */
async function* rowsOfDay(
  comparison: Comparison,
  place: Place,
  lanes: readonly Lane[],
  day: number,
): AsyncGenerator<Expected> {
  for (const lane of lanes)
    while (lane.next && lane.next.getTime() < day + dayMs) {
      comparison.stop.throwIfAborted();
      const { rows } = await advance(comparison, lane, pageSize);
      lane.next = null;
      for (const row of rows) {
        if (row.at.getTime() >= day + dayMs) {
          lane.next = row.at;
          break;
        }
        lane.after = row;
        const { uri } = row;
        const path = uri && place.pathOf(uri);
        if (uri && path) yield { ...row, uri, path, tenantId: lane.tenantId, lines: 0 };
      }
      // The page was full, so there may be more rows for this day.
      if (!lane.next && rows.length === pageSize) lane.next = (lane.after as Cursor).at;
    }
}

/** Counts the manifest lines of each row, and reports each row that has no line, or, as a note, more than one. */
async function compareLines(
  comparison: Comparison,
  { store }: Place,
  expected: Map<string, Expected>,
): Promise<void> {
  const { database, report, settings, stop } = comparison;
  for (const path of manifestsOf(comparison, store, expected.values()))
    for await (const lines of manifestLines<ManifestLine>({ store, path })) {
      stop.throwIfAborted();
      for (const line of lines) {
        const row = expected.get(manifestKey(line));
        if (row) row.lines += 1;
      }
    }
  report.compared('lines', expected.size);
  const limit = recordLimit(settings);
  for (const row of expected.values()) {
    const { tenantId, id, uri, at, lines } = row;
    if (lines === 1) continue;
    const until = at.getTime() + limit;
    const place = { tenantId, id, path: uri };
    if (lines > 1) {
      const paths = manifestsOf(comparison, store, [row]);
      const removed = await removeRepeatedLines(comparison, store, paths, row);
      await report.note('manifest line twice', place, removed);
    } else if (until > Date.now()) report.inFlight('manifest line that may not be written yet', 1, until);
    else if (await isReferred(database, tenantId, id, uri))
      await report.difference('manifest line missing', place, await addLine(comparison, store, row));
  }
}

/**
 * Returns the paths of the manifests that may contain the lines of these rows: that of the day and, for a row near
 * midnight, also that of the adjacent day.
 */
function manifestsOf({ storage }: Comparison, store: Place['store'], rows: Iterable<Expected>): Set<string> {
  const paths = new Set<string>();
  for (const { at, path } of rows)
    for (const margin of [-lineMargin, 0, lineMargin])
      paths.add(manifestOf({ storage }, { store, path }, new Date(at.getTime() + margin)).path);
  return paths;
}

/** Whether the row still refers to the record. It may have been deleted in the meantime. */
async function isReferred(
  database: Comparison['database'],
  tenantId: string,
  id: string,
  uri: string,
): Promise<boolean> {
  const found = await database.inTenant(tenantId, async (tx) => {
    for (const kind of publishedRows) {
      const [row] = await kind.byIds(tx, tenantId, [id]);
      if (row) return row;
    }
    return undefined;
  });
  return found?.uri === uri;
}
