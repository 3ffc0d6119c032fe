import { tracked } from '@trpc/server';
import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { onlyId } from '#server/http/event-stream.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Log } from '#server/platform/log.ts';
import { type FeedPlace, readFeed, readFeedPlace, startFeed, writeFeedPlace } from './feed.ts';
import type { EventRecord, EventStreamQuery } from './schema.ts';

/** Maximum streams of a process, and of one workspace in it. */
export const streamLimits = { process: 200, workspace: 10 };

/** Milliseconds between the checks for new events, of all streams of a process together. */
const pollMs = 500;

/**
 * Milliseconds without an event after which a stream sends a heartbeat. It also checks the credential again.
 */
const heartbeatMs = 15_000;

/** Events that a stream holds in memory. */
const pageSize = 200;

/**
 * Yields the events after a place as they are committed, and `onlyId` as heartbeats and for the first cursor. The
 * credential is checked at each reading.
 * @param signal ends the stream
 * @throws AppError 401, 409, 422; 429 for too many streams
 */
export async function* streamEvents(
  { database, log }: Pick<Services, 'database' | 'log'>,
  withTenant: WithTenant,
  { cursor, lastEventId, types }: EventStreamQuery,
  signal: AbortSignal,
) {
  const after = lastEventId ?? cursor;
  let place = after === undefined ? undefined : readFeedPlace(after);
  const tenantId = await withTenant(async (_tx, { tenant }) => tenant.id);
  const streams = streamsOf(database, log);
  const stream = streams.open(tenantId);
  try {
    place ??= await startFeed(withTenant);
    let sent: FeedPlace | undefined;
    while (!signal.aborted) {
      const page = await withTenant((tx) =>
        readFeed(tx, tenantId, { place: place as FeedPlace, limit: pageSize, types }),
      );
      for (const event of page.events) {
        yield tracked<EventRecord>(event.cursor, event);
        if (signal.aborted) return;
      }
      place = page.next;
      // The first cursor, and progress past events of other types.
      if (!sent || (page.events.length === 0 && place.position > sent.position))
        yield tracked<EventRecord>(writeFeedPlace(place), onlyId);
      sent = place;
      if (page.has_more) continue;
      if (!(await stream.changed(place.position, signal)) && !signal.aborted)
        yield tracked<EventRecord>(writeFeedPlace(place), onlyId);
    }
  } finally {
    stream.close();
  }
}

/** A stream without new events. */
interface Waiting {
  tenantId: string;
  position: number;
  wake(changed: boolean): void;
}

/** The streams of a process. One query for all of them looks for new events. */
class Streams {
  readonly #database: Database;
  readonly #log: Log;
  readonly #open = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, log: Log) {
    this.#database = database;
    this.#log = log;
  }

  get count(): number {
    return this.#open.values().reduce((sum, count) => sum + count, 0);
  }

  /** @throws AppError 429 */
  open(tenantId: string) {
    const ofTenant = this.#open.get(tenantId) ?? 0;
    if (ofTenant >= streamLimits.workspace)
      throw new AppError(
        'too_many_requests',
        `this workspace has ${ofTenant} open event streams, the maximum; close one, or try again later`,
        { retryAfter: 10 },
      );
    if (this.count >= streamLimits.process)
      throw new AppError('too_many_requests', 'too many event streams are open; try again later', {
        retryAfter: 10,
      });
    this.#open.set(tenantId, ofTenant + 1);
    return {
      changed: (position: number, signal: AbortSignal) => this.#wait(tenantId, position, signal),
      close: () => {
        const left = (this.#open.get(tenantId) ?? 1) - 1;
        if (left > 0) this.#open.set(tenantId, left);
        else this.#open.delete(tenantId);
      },
    };
  }

  /** Resolves to true when there may be events after `position`, or to false after the time of a heartbeat. */
  #wait(tenantId: string, position: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(false);
      const end = () => waiting.wake(false);
      const heartbeat = setTimeout(end, heartbeatMs);
      const waiting: Waiting = {
        tenantId,
        position,
        wake: (changed) => {
          clearTimeout(heartbeat);
          signal.removeEventListener('abort', end);
          this.#waiting.delete(waiting);
          resolve(changed);
        },
      };
      signal.addEventListener('abort', end);
      this.#waiting.add(waiting);
      this.#timer ??= setTimeout(() => void this.#poll(), pollMs);
    });
  }

  async #poll(): Promise<void> {
    try {
      const tenantIds = [...new Set([...this.#waiting].map(({ tenantId }) => tenantId))].sort();
      const last = tenantIds.length > 0 ? await selectEnds(this.#database, tenantIds) : new Map();
      for (const waiting of [...this.#waiting]) {
        const end = last.get(waiting.tenantId);
        // Without a feed, the stream's own reading fails with the error that its reader needs.
        if (end === undefined || end > waiting.position) waiting.wake(true);
      }
    } catch (error) {
      this.#log.warn({ error: describeForLog(error) }, 'could not look for new events; trying again');
    }
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#poll(), pollMs) : undefined;
  }
}

/** Returns the last position of each feed; infinity if it has events without a position. */
async function selectEnds(database: Database, tenantIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await database.inPlatform((tx) =>
    tx.execute<{ tenantId: string; end: number }>(sql`
      select tenant_id as "tenantId", case when exists (
          select from events e where e.tenant_id = f.tenant_id and e.position is null) then 'infinity'
        else last_position::float8 end as "end"
      from event_feeds f
      where tenant_id = any(array(select jsonb_array_elements_text(${JSON.stringify(tenantIds)}::jsonb)))`),
  );
  return new Map(rows.map(({ tenantId, end }) => [tenantId, end]));
}

const ofDatabase = new WeakMap<Database, Streams>();

/** Returns the streams of the process that uses this database. */
function streamsOf(database: Database, log: Log): Streams {
  let streams = ofDatabase.get(database);
  if (!streams) {
    streams = new Streams(database, log);
    ofDatabase.set(database, streams);
  }
  return streams;
}
