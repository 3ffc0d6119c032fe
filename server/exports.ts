import { createConcurrencyLimit, type SlotScope } from './concurrency-limit.ts';
import type { Log } from './context.ts';
import { describeForLog } from './errors.ts';

const refusal = 'too many exports are under way; try again later';

/** Bounds of the exports of one process; the tests set smaller ones. */
export interface ExportLimits {
  slots: number;
  slotsOfTenant: number;
  /** Bytes a second, below which nobody reads an export to its end: half of 128 kbit/s. */
  slowest: number;
  /** Milliseconds of a reader's own time over which its rate is looked at. */
  window: number;
  /** Where another tenant waits for its place, an export has to be read as fast as this, in bytes a second, over that time. */
  slowestWanted: number;
  windowWanted: number;
  /** Milliseconds from an export's beginning to its end, however fast it is read. */
  oldest: number;
}

const ownBounds: ExportLimits = {
  slots: 32,
  slotsOfTenant: 4,
  slowest: 8_000,
  window: 60_000,
  slowestWanted: 32_000,
  // The system takes a slow reader's bytes a megabyte at a time: at 1 Mbit/s every ten seconds.
  windowWanted: 15_000,
  oldest: 7_200_000,
};

/** An export's place among those under way. */
export interface ExportSlot {
  /** Leaves the place to the next one. */
  end(): void;
  /** Goes off where the export is to be broken off: its reader is too slow. */
  readonly cut: AbortSignal;
  /** The export's text, with its reader's time measured: from each piece's sending to when the next one is asked for. */
  measured(chunks: AsyncIterable<string>): AsyncGenerator<string, void>;
}

interface Reader {
  tenantId: string;
  began: number;
  cut: AbortController;
  /** When the last piece was sent, while the next one is not asked for yet. */
  waitingSince: number | undefined;
  /** What was taken in how much of the reader's own time, in the newest part of it. */
  pace: Pace[];
}

interface Pace {
  bytes: number;
  milliseconds: number;
}

/**
 * Exports under way in one process: each holds a few pages in memory, for as long as its reader takes. So a reader has a
 * lowest rate; and where others wait, the slowest of those that are in their way is broken off, if it is slow at all. A
 * tenant with fewer exports comes before one with more; its own exports wait for each other.
 */
export function createExports(bounds: ExportLimits = ownBounds) {
  const { slots, slotsOfTenant } = bounds;
  const underWay = createConcurrencyLimit({ slots, slotsOfTenant, places: 300, refusal });
  const readers = new Set<Reader>();
  const waiting = new Map<string, number>();

  /** Every so often while there are any. */
  let watch: NodeJS.Timeout | undefined;
  function look(): void {
    const now = Date.now();
    for (const reader of readers)
      if (now - reader.began >= bounds.oldest || rateOf(reader, now, bounds.window) < bounds.slowest)
        breakOff(reader);
    for (const tenantId of waiting.keys()) makeRoom(tenantId, now);
    if (readers.size === 0 && waiting.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
  }

  function breakOff(reader: Reader): void {
    readers.delete(reader);
    reader.cut.abort(new Error('the export is read too slowly'));
  }

  /**
   * For one export of a tenant that waits. Its own exports share its line: more of them are slower each, and would break each
   * other off for ever. Of others only those that hold more places than it does are in its way.
   */
  function makeRoom(tenantId: string, now: number): void {
    const holds = (id: string) => [...readers].filter((reader) => reader.tenantId === id).length;
    const own = holds(tenantId);
    const isFull = own >= slotsOfTenant;
    if (!isFull && readers.size < slots - 1) return;
    const [slowest] = [...readers]
      .filter((reader) => (isFull ? reader.tenantId === tenantId : holds(reader.tenantId) > own))
      .map((reader) => ({ reader, rate: rateOf(reader, now, bounds.windowWanted) }))
      .sort((a, b) => a.rate - b.rate);
    if (slowest && slowest.rate < (isFull ? bounds.slowest : bounds.slowestWanted)) breakOff(slowest.reader);
  }

  function follow(tenantId: string, end: () => void): ExportSlot {
    const reader: Reader = {
      tenantId,
      began: Date.now(),
      cut: new AbortController(),
      waitingSince: undefined,
      pace: [],
    };
    readers.add(reader);
    watch ??= setInterval(look, Math.min(1000, bounds.windowWanted)).unref();
    return {
      end() {
        readers.delete(reader);
        end();
      },
      cut: reader.cut.signal,
      async *measured(chunks) {
        for await (const chunk of chunks) {
          reader.waitingSince = Date.now();
          yield chunk;
          const milliseconds = Date.now() - reader.waitingSince;
          reader.waitingSince = undefined;
          remember(reader.pace, { bytes: Buffer.byteLength(chunk), milliseconds }, bounds.window);
        }
      },
    };
  }

  return {
    /**
     * Waits until an export may begin; the answer ends it.
     * @throws AppError rate_limit where too many wait already; the signal's reason where it goes off while waiting
     */
    begin(scope: SlotScope): Promise<ExportSlot> {
      const { tenantId } = scope;
      waiting.set(tenantId, (waiting.get(tenantId) ?? 0) + 1);
      watch ??= setInterval(look, Math.min(1000, bounds.windowWanted)).unref();
      const waited = () => {
        const left = (waiting.get(tenantId) ?? 1) - 1;
        if (left > 0) waiting.set(tenantId, left);
        else waiting.delete(tenantId);
      };
      return new Promise((begun, refused) => {
        underWay
          .run(
            scope,
            () =>
              new Promise<void>((end) => {
                waited();
                begun(follow(tenantId, end));
              }),
          )
          .catch((error) => {
            waited();
            refused(error);
          });
      });
    },
  };
}

/** Adds to the newest part of a pace, and forgets what is older than `window` milliseconds of it. */
function remember(pace: Pace[], { bytes, milliseconds }: Pace, window: number): void {
  const newest = pace.at(-1);
  if (newest && newest.milliseconds < window / 20) {
    newest.bytes += bytes;
    newest.milliseconds += milliseconds;
  } else pace.push({ bytes, milliseconds });
  let kept = pace.reduce((sum, part) => sum + part.milliseconds, 0);
  while (pace.length > 1 && kept - (pace[0] as Pace).milliseconds >= window)
    kept -= (pace.shift() as Pace).milliseconds;
}

/** Bytes a second over the newest `window` milliseconds of a reader's own time; without end where it had less. */
function rateOf({ pace, waitingSince }: Reader, now: number, window: number): number {
  let milliseconds = waitingSince === undefined ? 0 : now - waitingSince;
  let bytes = 0;
  for (let index = pace.length - 1; index >= 0 && milliseconds < window; index--) {
    const part = pace[index] as Pace;
    milliseconds += part.milliseconds;
    bytes += part.bytes;
  }
  return milliseconds < window ? Number.POSITIVE_INFINITY : (bytes / milliseconds) * 1000;
}

const exports = createExports();

/** Pages in the making, of all of them: a few of the process's connections, so that nobody else waits for one. */
const pages = createConcurrencyLimit({ slots: 3, places: 300, refusal });

/** Waits until an export may begin, as `createExports` says. */
export const beginExport = exports.begin;

/** Makes a page when it is its turn. */
export const makePage = pages.run;

/** Characters of a piece: some 64 KB. A connection holds one or two of them that its reader does not take. */
const charactersOfPiece = 32_768;

/** Texts in pieces of about one size, which may be sent one by one: no character is in two of them. */
export function* cutPieces(texts: Iterable<string>): Generator<string, void> {
  let rest = '';
  for (const text of texts) {
    rest += text;
    let from = 0;
    while (rest.length - from >= charactersOfPiece) {
      const end = from + charactersOfPiece;
      // Half of a surrogate pair cannot be sent in UTF-8.
      const splits = /[\ud800-\udbff]/.test(rest[end - 1]!);
      yield rest.slice(from, splits ? end - 1 : end);
      from = splits ? end - 1 : end;
    }
    rest = rest.slice(from);
  }
  if (rest !== '') yield rest;
}

/** Of the request that asks: its id for the log, and what ends the work when its client hangs up. */
export interface ExportRequest {
  requestId: string;
  signal: AbortSignal;
}

/**
 * An export's text as it is sent, in its turn. Says in the log what broke it off, and no more than that it did to whoever
 * sends it, who logs that again.
 */
export async function* guardExport(
  log: Log,
  { requestId, signal }: ExportRequest,
  turn: ExportSlot,
  chunks: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  try {
    yield* turn.measured(chunks);
  } catch (error) {
    if (!signal.aborted)
      log.error({ request_id: requestId, error: describeForLog(error) }, 'an export broke off');
    throw new Error('an export broke off');
  }
}
