import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import { pause } from './deadline.ts';
import type { OpenDownload } from './downloads.ts';
import { ConnectionError, LinguaLoopError } from './errors.ts';
import { errorOfResponse, FailedResponse } from './failed-response.ts';
import type { CallOptions } from './options.ts';
import { CursorExpiredError } from './outcome-errors.ts';
import type { Attempt, Call } from './send.ts';
import type { EventPage, EventQuery, EventType, WorkspaceEvent } from './types.ts';

/** The events of a workspace: changes of its translations, documents, reviews and imports. */
export interface Events {
  /**
   * Returns the events after a cursor that exist now. Without a cursor, returns no events, and `next_cursor` is the
   * current end of the feed. The first call switches the feed on.
   * @throws CursorExpiredError
   */
  list(query?: EventQuery, options?: CallOptions): ApiPromise<EventPage>;
  /**
   * Iterates over the events after a cursor, without end. If the connection breaks, it connects again after the last
   * event, with growing pauses. Leaving the loop closes the connection.
   *
   * ```ts
   * for await (const event of client.events.stream({ after })) {
   *   await handle(event);
   *   after = event.cursor;
   * }
   * ```
   * @throws CursorExpiredError; the errors of other calls if trying again does not help; the signal's reason
   */
  stream(options?: EventStreamOptions): AsyncGenerator<WorkspaceEvent, never, undefined>;
}

/** Options of a stream of events. */
export interface EventStreamOptions extends Pick<CallOptions, 'headers' | 'signal'> {
  /**
   * The `cursor` of the last event that was handled, or `next_cursor` of `list`. Without it, the stream contains the
   * events from its first connection on.
   */
  after?: string | undefined;
  /** Only events of these types. Default: all. */
  types?: readonly EventType[] | undefined;
  /**
   * Called with the first cursor, and with each later one, also after events of other types than `types`. The loop has
   * handled all events before it. Store it, or the cursor is too old after a week without an event of these types.
   */
  onCursor?: ((cursor: string) => void) | undefined;
  /** Called when the stream has failed and will connect again. */
  onReconnect?: ((error: LinguaLoopError) => void) | undefined;
}

const listCall: Call = { name: 'events.list', repeatable: true };
const streamCall: Call = { name: 'events.stream', repeatable: true };

/** Milliseconds without data after which a connection counts as broken. The service sends a heartbeat every 15 s. */
const stallMs = 45_000;

/** Maximum characters of an event that has not completely arrived. The service's events are much shorter. */
const maxBlock = 100_000;

/** Milliseconds before the first and the later attempts to connect again. */
const backoff = { firstMs: 250, maxMs: 30_000 };

export function events({ rest, run, downloads }: Connection): Events {
  return {
    list: (query, options) =>
      run(
        listCall,
        (attempt: Attempt) =>
          rest.procedure<EventPage>('query', listCall.name, query ?? {}, attempt).catch(failedList),
        options,
      ),
    stream: (options = {}) => stream(downloads, options),
  };
}

function failedList(thrown: unknown): never {
  if (thrown instanceof FailedResponse && thrown.status === 409)
    throw new CursorExpiredError(errorOfResponse(thrown));
  throw thrown;
}

async function* stream(
  downloads: Connection['downloads'],
  { after, types, onCursor, onReconnect, ...options }: EventStreamOptions,
): AsyncGenerator<WorkspaceEvent, never, undefined> {
  let cursor = after;
  let failures = 0;
  for (;;) {
    let failure: LinguaLoopError | undefined;
    let open: OpenDownload | undefined;
    try {
      const input = { json: { cursor, types } };
      open = await connect(downloads, JSON.stringify(input), options);
      for await (const { id, event, data } of blocksOf(open)) {
        if (event === 'serialized-error') break;
        failures = 0;
        if (!event && data) yield (JSON.parse(data) as { json: WorkspaceEvent }).json;
        if (!id || id === cursor) continue;
        cursor = id;
        onCursor?.(id);
      }
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (!(error instanceof LinguaLoopError)) throw error;
      if (error.status === 409) throw new CursorExpiredError(error);
      if (!isTemporary(error)) throw error;
      failure = error;
    } finally {
      open?.cancel();
    }
    if (failure) onReconnect?.(failure);
    const wait = Math.min(backoff.firstMs * 2 ** failures, backoff.maxMs) * (0.5 + Math.random() / 2);
    failures += 1;
    await pause(Math.max(wait, (failure?.retryAfter ?? 0) * 1000), options.signal);
  }
}

function connect(
  downloads: Connection['downloads'],
  input: string,
  options: CallOptions,
): ApiPromise<OpenDownload> {
  const request = { method: 'GET', path: '/trpc/events.subscribe', query: { input } } as const;
  return downloads.open(streamCall, request, 'text/event-stream', {
    ...options,
    timeout: stallMs,
    maxRetries: 0,
  });
}

/** Whether connecting again may help. */
function isTemporary({ status }: LinguaLoopError): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** A block of a stream of server-sent events. */
interface Block {
  id?: string;
  event?: string;
  data?: string;
}

/** Reads the blocks of a stream until it ends. An incomplete last block is dropped. */
async function* blocksOf({ read }: OpenDownload): AsyncGenerator<Block, void, undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for (let piece = await read(); piece; piece = await read()) {
    const blocks = (text + decoder.decode(piece, { stream: true })).split(/\r?\n\r?\n/);
    text = blocks.pop() as string;
    if (text.length > maxBlock)
      throw new ConnectionError(`${streamCall.name} received an event that is too long`, { maybeSent: true });
    for (const block of blocks)
      yield Object.fromEntries(
        block.split(/\r?\n/).map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
        }),
      );
  }
}
