import { describeForLog } from '#server/errors.ts';
import { createConcurrencyLimit, type SlotScope } from '#server/platform/concurrency-limit.ts';
import type { Log } from '#server/platform/log.ts';

const refusal = 'too many exports are in progress; try again later';

/** Limits for the exports of one process. Tests set smaller ones. */
export interface ExportLimits {
  slots: number;
  slotsOfTenant: number;
  /** Minimum bytes per second of a reader: half of 128 kbit/s. No useful reader is slower. */
  slowest: number;
  /**
   * Milliseconds over which a reader's rate is measured. Only the reader's own time counts, not the time to make a
   * piece.
   */
  window: number;
  /** Minimum rate in bytes per second while another tenant waits for a slot, measured over `windowWanted`. */
  slowestWanted: number;
  windowWanted: number;
  /** Maximum milliseconds from an export's start to its end, however fast it is read. */
  oldest: number;
}

const ownBounds: ExportLimits = {
  slots: 32,
  slotsOfTenant: 4,
  slowest: 8_000,
  window: 60_000,
  slowestWanted: 32_000,
  // The operating system accepts the bytes for a slow reader in steps of a megabyte: every ten seconds at 1 Mbit/s.
  windowWanted: 15_000,
  oldest: 7_200_000,
};

/** The slot of an export in progress. */
export interface ExportSlot {
  /** Frees the slot. */
  end(): void;
  /** Aborts when the reader must be disconnected because it is too slow. */
  readonly cut: AbortSignal;
  /**
   * Returns the same pieces, and measures the reader's time: from sending each piece to the request for the next one.
   */
  measured<T extends string | Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T, void>;
}

interface Reader {
  tenantId: string;
  began: number;
  cut: AbortController;
  rate: ReaderRate;
}

/**
 * Limits the exports of one process, because each holds a few pages in memory until its reader has taken them.
 * Readers must therefore keep a minimum rate. While other exports wait, a second, higher minimum applies: of the
 * readers that block them, the slowest one is disconnected if it is below this minimum. A tenant with fewer exports
 * comes before one with more; exports of one tenant wait for each other.
 */
export function createExports(bounds: ExportLimits = ownBounds) {
  const { slots, slotsOfTenant } = bounds;
  const exportSlots = createConcurrencyLimit({ slots, slotsOfTenant, maxWaiting: 300, refusal });
  const readers = new Set<Reader>();
  const waiting = new Map<string, number>();

  /** Runs while exports are active or waiting. */
  let watch: NodeJS.Timeout | undefined;
  function look(): void {
    const now = Date.now();
    for (const reader of readers)
      if (now - reader.began >= bounds.oldest || reader.rate.over(bounds.window, now) < bounds.slowest)
        breakOff(reader);
    for (const tenantId of waiting.keys()) freeSlot(tenantId, now);
    if (readers.size === 0 && waiting.size === 0) {
      clearInterval(watch);
      watch = undefined;
    }
  }

  function breakOff(reader: Reader): void {
    readers.delete(reader);
    reader.cut.abort(new Error('the client reads the export too slowly'));
  }

  /**
   * Frees a slot for a waiting export of a tenant by disconnecting a reader that is too slow. If the tenant uses all
   * its slots, only its own exports are considered, with the lower minimum rate: the tenant's exports share one
   * network line and slow each other down, so with the higher minimum they would keep disconnecting each other.
   * Otherwise only exports of tenants with more slots are considered.
   */
  function freeSlot(tenantId: string, now: number): void {
    const holds = (id: string) => [...readers].filter((reader) => reader.tenantId === id).length;
    const own = holds(tenantId);
    const isFull = own >= slotsOfTenant;
    if (!isFull && readers.size < slots - 1) return;
    const [slowest] = [...readers]
      .filter((reader) => (isFull ? reader.tenantId === tenantId : holds(reader.tenantId) > own))
      .map((reader) => ({ reader, rate: reader.rate.over(bounds.windowWanted, now) }))
      .sort((a, b) => a.rate - b.rate);
    if (slowest && slowest.rate < (isFull ? bounds.slowest : bounds.slowestWanted)) breakOff(slowest.reader);
  }

  function follow(tenantId: string, end: () => void): ExportSlot {
    const rate = new ReaderRate(bounds.window);
    const reader: Reader = { tenantId, began: Date.now(), cut: new AbortController(), rate };
    readers.add(reader);
    watch ??= setInterval(look, Math.min(1000, bounds.windowWanted)).unref();
    return {
      end() {
        readers.delete(reader);
        end();
      },
      cut: reader.cut.signal,
      measured: (chunks) => rate.measure(chunks),
    };
  }

  return {
    /**
     * Waits until an export may begin. The caller must call `end` of the returned slot.
     * @throws AppError rate_limit if too many exports already wait; the signal's reason if the signal aborts during
     * the wait
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
        exportSlots
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

const exports = createExports();

/**
 * Limits downloads of stored files. They need no connection to the database, so more of them may run at the same
 * time.
 */
const files = createExports({ ...ownBounds, slots: 256, slotsOfTenant: 64 });

/** Waits until the download of a stored file may begin; see `createExports`. */
export const beginDownload = files.begin;

/** Limits concurrent page queries of all exports, so that other requests can get a database connection. */
const pages = createConcurrencyLimit({ slots: 3, maxWaiting: 300, refusal });

/** Waits until an export may begin; see `createExports`. */
export const beginExport = exports.begin;

/** Produces a page once a slot is free. */
export const makePage = pages.run;

/** Characters of a piece, about 64 KB. A connection holds one or two pieces that its reader has not read yet. */
const charactersOfPiece = 32_768;

/** Joins texts and cuts them into pieces of about equal size, without splitting a character. */
export function* cutPieces(texts: Iterable<string>): Generator<string, void> {
  let rest = '';
  for (const text of texts) {
    rest += text;
    let from = 0;
    while (rest.length - from >= charactersOfPiece) {
      const end = from + charactersOfPiece;
      // UTF-8 cannot encode half of a surrogate pair.
      const splits = /[\ud800-\udbff]/.test(rest[end - 1]!);
      yield rest.slice(from, splits ? end - 1 : end);
      from = splits ? end - 1 : end;
    }
    rest = rest.slice(from);
  }
  if (rest !== '') yield rest;
}

/** The request of an export: its id for the log, and a signal that aborts when its client disconnects. */
export interface ExportRequest {
  requestId: string;
  signal: AbortSignal;
}

/**
 * Returns the pieces of an export, and measures its reader. If the export fails, logs the reason and throws an error
 * without it, because the sender of the response logs the thrown error, too.
 */
export async function* guardExport<T extends string | Uint8Array>(
  log: Log,
  { requestId, signal }: ExportRequest,
  slot: ExportSlot,
  chunks: AsyncIterable<T>,
): AsyncGenerator<T, void> {
  try {
    yield* slot.measured(chunks);
  } catch (error) {
    if (!signal.aborted)
      log.error({ request_id: requestId, error: describeForLog(error) }, 'an export failed');
    throw new Error('an export failed');
  }
}

/** Bytes that the reader took, and the milliseconds that it needed for them. */
interface Part {
  bytes: number;
  milliseconds: number;
}

/**
 * The rate at which a reader takes pieces. Only the reader's own time counts: from sending each piece to the request
 * for the next one.
 */
class ReaderRate {
  readonly #longestWindow: number;
  /** The latest parts, as long as the longest window in total; each is at least a twentieth of the window. */
  readonly #parts: Part[] = [];
  /** When the last piece was sent; undefined after the next one has been requested. */
  #waitingSince: number | undefined;

  /** @param longestWindow milliseconds of the reader's own time for which the parts are kept */
  constructor(longestWindow: number) {
    this.#longestWindow = longestWindow;
  }

  /** Returns the same pieces, and measures the time that the reader takes for each. */
  async *measure<T extends string | Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T, void> {
    for await (const chunk of chunks) {
      this.#waitingSince = Date.now();
      yield chunk;
      const milliseconds = Date.now() - this.#waitingSince;
      this.#waitingSince = undefined;
      this.#remember({ bytes: Buffer.byteLength(chunk), milliseconds });
    }
  }

  #remember({ bytes, milliseconds }: Part): void {
    const parts = this.#parts;
    const latest = parts.at(-1);
    if (latest && latest.milliseconds < this.#longestWindow / 20) {
      latest.bytes += bytes;
      latest.milliseconds += milliseconds;
    } else parts.push({ bytes, milliseconds });
    let kept = parts.reduce((sum, part) => sum + part.milliseconds, 0);
    while (parts.length > 1 && kept - (parts[0] as Part).milliseconds >= this.#longestWindow)
      kept -= (parts.shift() as Part).milliseconds;
  }

  /**
   * Returns the bytes per second over the latest `window` milliseconds of the reader's own time; infinity if less
   * time has been measured.
   */
  over(window: number, now: number): number {
    let milliseconds = this.#waitingSince === undefined ? 0 : now - this.#waitingSince;
    let bytes = 0;
    for (const part of this.#parts.toReversed()) {
      if (milliseconds >= window) break;
      milliseconds += part.milliseconds;
      bytes += part.bytes;
    }
    return milliseconds < window ? Number.POSITIVE_INFINITY : (bytes / milliseconds) * 1000;
  }
}
