import { CursorExpiredError, type LinguaLoop, type WorkspaceEvent } from '../../../src/index.ts';
import { type Destination, RelayError } from './config.ts';
import { deliver } from './delivery.ts';
import { addDeadLetter, Journal, reviveDeadLetters } from './journal.ts';

/** Maximum events of a destination that are read but not delivered. Until there is room, the feed keeps the others. */
const maxPending = 1000;

/** Milliseconds between writes of the journal to the disk. */
const syncMs = 1000;

/** Pauses after the failures of a job: the first one, and the longest one. */
export interface Pauses {
  firstMs: number;
  maxMs: number;
}

export interface SenderOptions {
  client: LinguaLoop;
  /** The URL of the service, for links in messages. */
  baseUrl: string;
  stateDir: string;
  signal: AbortSignal;
  log: (line: string) => void;
  pauses: Pauses;
  /** Whether dead letters are sent again. */
  replay: boolean;
  /** Whether to continue with the current end of the feed if events after the cursor have been deleted. */
  skipGap: boolean;
}

/** The events of one job, document or import that are not delivered, in their order. */
interface Lane {
  waiting: WorkspaceEvent[];
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

/**
 * Reads the feed for one destination, and delivers its events. The events of a job are delivered one after the other: an
 * event that fails delays only the later events of its job.
 */
export class Sender {
  readonly #destination: Destination;
  readonly #options: SenderOptions;
  readonly #journal: Journal;
  readonly #lanes = new Map<string, Lane>();
  /** The jobs whose next event can be sent now. */
  readonly #ready: string[] = [];
  #sending = 0;
  #onRoom: (() => void) | undefined;
  #onIdle: (() => void) | undefined;
  #failure: unknown;
  readonly #stop = new AbortController();

  /** @throws RelayError if the state on disk is damaged */
  constructor(destination: Destination, options: SenderOptions) {
    this.#destination = destination;
    this.#options = options;
    this.#journal = new Journal(options.stateDir, destination.name);
    if (options.replay) {
      const count = reviveDeadLetters(options.stateDir, destination.name, this.#journal);
      options.log(`${destination.name}: ${count} dead letters are sent again`);
    }
  }

  /** Runs until the signal aborts, and then until the requests in progress have ended. */
  async run(): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#stop.signal]);
    signal.addEventListener('abort', () => this.#onRoom?.());
    const sync = setInterval(() => {
      try {
        this.#journal.sync();
      } catch (error) {
        this.#fail(error);
      }
    }, syncMs);
    try {
      for (const { event } of this.#journal.pending.values()) this.#add(event);
      this.#sendReady();
      await this.#read(signal);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    } finally {
      clearInterval(sync);
      this.#stop.abort();
      for (const { retry } of this.#lanes.values()) clearTimeout(retry);
      if (this.#sending > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
      this.#journal.close();
    }
    if (this.#failure) throw this.#failure;
  }

  /** Stops the sender, for example because the disk is full. */
  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#stop.abort();
  }

  async #read(signal: AbortSignal): Promise<void> {
    const { client, log, skipGap } = this.#options;
    const { name, types } = this.#destination;
    for (;;) {
      // Stored before anything else: after a crash, the feed continues here.
      if (this.#journal.cursor === undefined)
        this.#journal.moveTo((await client.events.list({}, { signal })).next_cursor);
      try {
        const stream = client.events.stream({
          after: this.#journal.cursor,
          types,
          signal,
          onCursor: (cursor) => this.#journal.moveTo(cursor),
          onReconnect: ({ message }) =>
            log(`${name}: the feed was interrupted (${message}); connecting again`),
        });
        for await (const event of stream) {
          if (!this.#journal.pending.has(event.id)) {
            this.#journal.receive(event);
            this.#add(event);
            this.#sendReady();
          }
          await this.#room(signal);
        }
      } catch (error) {
        if (!(error instanceof CursorExpiredError)) throw error;
        if (!skipGap)
          throw new RelayError(
            `${name}: events that were not read have been deleted; read the state of your jobs, then start the relay with the option to skip the gap`,
          );
        this.#journal.moveTo((await client.events.list({}, { signal })).next_cursor);
        log(`${name}: events that were not read have been deleted; continuing at the end of the feed`);
      }
    }
  }

  /** Resolves when another event may be read. */
  async #room(signal: AbortSignal): Promise<void> {
    while (this.#journal.pending.size >= maxPending) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#onRoom = resolve;
      });
    }
  }

  #add(event: WorkspaceEvent): void {
    const lane = this.#lanes.get(event.resource_id);
    if (lane) return void lane.waiting.push(event);
    this.#lanes.set(event.resource_id, { waiting: [event], failures: 0, retry: undefined });
    this.#ready.push(event.resource_id);
  }

  #sendReady(): void {
    while (!this.#stop.signal.aborted && this.#sending < this.#destination.concurrency) {
      const resourceId = this.#ready.shift();
      if (resourceId === undefined) return;
      const lane = this.#lanes.get(resourceId) as Lane;
      this.#sending += 1;
      void this.#attempt(resourceId, lane)
        .catch((error: unknown) => this.#fail(error))
        .finally(() => {
          this.#sending -= 1;
          if (this.#sending === 0) this.#onIdle?.();
          this.#sendReady();
        });
    }
  }

  async #attempt(resourceId: string, lane: Lane): Promise<void> {
    const event = lane.waiting[0] as WorkspaceEvent;
    const { name, giveUpMs } = this.#destination;
    const { baseUrl, stateDir, log, pauses } = this.#options;
    const outcome = await deliver(this.#destination, event, { baseUrl });
    if (outcome.kind !== 'delivered') {
      const since = this.#journal.pending.get(event.id)?.failingSince ?? Date.now();
      if (outcome.kind === 'temporary' && Date.now() - since < giveUpMs) {
        this.#journal.fail(event.id, since);
        if (lane.failures === 0) log(`${name}: ${event.type} ${resourceId}: ${outcome.error}; trying again`);
        const pause = Math.min(pauses.firstMs * 2 ** lane.failures, pauses.maxMs);
        lane.failures += 1;
        if (this.#stop.signal.aborted) return;
        lane.retry = setTimeout(
          () => {
            this.#ready.push(resourceId);
            this.#sendReady();
          },
          Math.max(pause * (0.5 + Math.random() / 2), outcome.afterMs),
        );
        return;
      }
      addDeadLetter(stateDir, name, {
        event,
        error: outcome.error,
        given_up_at: new Date().toISOString(),
      });
      log(`${name}: ${event.type} ${resourceId}: ${outcome.error}; moved to ${name}.dead.jsonl`);
    }
    this.#journal.done(event.id);
    lane.waiting.shift();
    lane.failures = 0;
    if (lane.waiting.length > 0) this.#ready.push(resourceId);
    else this.#lanes.delete(resourceId);
    this.#onRoom?.();
  }
}
