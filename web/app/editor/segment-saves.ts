import { LinguaLoopError } from '#sdk/errors.ts';
import { type CriticalFinding, criticalFindingsOf } from '../parts/critical-findings-of.ts';
import { plainOf } from './tagged-text.ts';

/** Why a reviewer confirms a segment although it has critical findings. */
export interface Reason {
  code: 'check_is_wrong' | 'client_wants_it' | 'elsewhere_in_text';
  note: string;
}

/** A reviewer's text for a segment. */
export interface Edit {
  text: string;
  /** The translation that the reviewer saw when the edit began; null if the segment had no translation. */
  replaces: string | null;
  /** Whether the reviewer confirms the segment with this text. */
  confirmed: boolean;
  reason?: Reason;
  /** Whether a confirmation leaves the repetitions of the segment as they are. */
  isOnlyHere?: boolean;
}

/** What is kept of a confirmation on this device. */
export type Confirmation = Pick<Edit, 'reason' | 'isOnlyHere'>;

/** Returns what is kept of a confirmation; undefined for an edit that the reviewer has not confirmed. */
export function confirmationOf({ confirmed, reason, isOnlyHere }: Edit): Confirmation | undefined {
  return confirmed ? { ...(reason && { reason }), ...(isOnlyHere && { isOnlyHere }) } : undefined;
}

/** A request that stores edits: either all of them are stored or none. */
export interface SaveRequest {
  edits: ReadonlyMap<number, Edit>;
  reason?: Reason;
}

/** The result of a request. */
export interface Saved {
  /** Identifies the change, to undo it; null if nothing changed. */
  changeId: string | null;
  /** The positions of all segments that changed: the edited ones and their repetitions. */
  positions: readonly number[];
}

/**
 * The state of an edit. `typed`: not sent yet; `empty`: the field has no text, which is never sent or kept; `sending`; `waiting`: the service could not be reached, and the edit is
 * sent again; `conflict`: someone else changed the translation; `blocked`: the service found critical issues;
 * `refused`: another error, `error` has it.
 */
export type EditState =
  | { kind: 'typed' | 'empty' | 'sending' | 'waiting' }
  | { kind: 'conflict'; present: string | null }
  | { kind: 'blocked'; findings: readonly CriticalFinding[] }
  | { kind: 'refused'; error: unknown };

export type PendingEdit = Edit & { state: EditState };

interface Options {
  /** @param signal aborted when the edits are stopped. @throws LinguaLoopError */
  send(request: SaveRequest, signal: AbortSignal): Promise<Saved>;
  /** Called for each stored request, before the edits are removed. */
  onSaved(request: SaveRequest, saved: Saved): void;
  /** Called for each edit that changed, so that it can be kept on this device; undefined if it was stored or dropped. */
  onChange?(position: number, edit: Edit | undefined): void;
  /** Maximum number of segments in a request. */
  maxPerRequest?: number;
  /** Maximum number of requests at a time. There is never more than one for a segment. */
  parallel?: number;
  /** Milliseconds after the last keystroke until a draft is sent. */
  pause?: number;
  /** Milliseconds until a request is repeated that could not reach the service. */
  retryAfter?: number;
  /** Maximum milliseconds for which a closed editor sends its edits. */
  closeAfter?: number;
}

/**
 * The edits of a document that are not stored yet. Drafts are sent after a pause in typing, confirmations at once. A
 * segment has only one request at a time, so that an older text never overwrites a later one; edits that were made during
 * the request are sent together in the next request. If the service cannot be reached, all edits stay and are sent again.
 */
export class SegmentSaves {
  readonly #options: Required<Omit<Options, 'onChange'>> & Pick<Options, 'onChange'>;
  #edits: ReadonlyMap<number, PendingEdit> = new Map();
  readonly #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #stopping = new AbortController();
  /** The running requests. */
  readonly #running = new Map<Promise<void>, SaveRequest>();
  #savedAt: Date | undefined;
  /** The texts of requests without a response yet: the service may have stored them. By position. */
  readonly #unanswered = new Map<number, string>();

  constructor(options: Options) {
    this.#options = {
      maxPerRequest: 1000,
      parallel: 1,
      pause: 800,
      retryAfter: 3000,
      closeAfter: 3000,
      ...options,
    };
  }

  /** All edits that are not stored yet, by position. Each change creates another map. */
  readonly all = (): ReadonlyMap<number, PendingEdit> => this.#edits;

  /** The time at which the last request was stored. */
  readonly savedAt = (): Date | undefined => this.#savedAt;

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Takes over the text in the field of a segment, to store it as a draft. @param stored the segment's translation */
  edit(position: number, text: string, stored: string | null): void {
    const before = this.#edits.get(position);
    // While a request may store another text, the service must get this one after it.
    if (text === (stored ?? '') && !this.#unanswered.has(position)) this.drop(position);
    else {
      const replaces = before ? before.replaces : stored;
      // An edit in conflict stays in conflict until the reviewer decides.
      const state: EditState = before?.state.kind === 'conflict' ? before.state : { kind: 'typed' };
      this.#set(position, { text, replaces, confirmed: false, state });
    }
    this.#schedule(this.#options.pause);
  }

  /** Restores the stored translation of a segment whose field was left empty. */
  leave(position: number): void {
    if (this.#edits.get(position)?.state.kind === 'empty') this.drop(position);
  }

  /**
   * Confirms a segment with a text.
   * @param reason required if the segment has critical findings
   * @param isOnlyHere whether the repetitions of the segment stay as they are
   */
  confirm(position: number, text: string, stored: string | null, reason?: Reason, isOnlyHere = false): void {
    const replaces = this.#edits.get(position)?.replaces ?? stored;
    this.#set(position, {
      text,
      replaces,
      confirmed: true,
      ...(reason && { reason }),
      ...(isOnlyHere && { isOnlyHere }),
      state: { kind: 'typed' },
    });
    this.#schedule(0);
  }

  /** Takes over an edit that an earlier visit kept on this device. */
  restore(
    position: number,
    { text, base, confirmed }: { text: string; base: string | null; confirmed?: Confirmation | undefined },
  ): void {
    if (confirmed) this.confirm(position, text, base, confirmed.reason, confirmed.isOnlyHere);
    else this.edit(position, text, base);
  }

  /** Solves a conflict: the reviewer has seen the present translation, and replaces it. */
  replacePresent(position: number): void {
    const edit = this.#edits.get(position);
    if (edit?.state.kind !== 'conflict') return;
    this.#set(position, { ...edit, replaces: edit.state.present, state: { kind: 'typed' } });
    this.#schedule(0);
  }

  /** Discards an edit. */
  drop(position: number): void {
    if (this.#edits.has(position)) this.#set(position, undefined);
  }

  /** Discards all edits, such as those of a deleted document. */
  dropAll(): void {
    for (const position of this.#edits.keys()) this.drop(position);
  }

  /**
   * Sends all edits now, also those that were refused or could not reach the service. Resolves when no request is left to
   * send. @returns the positions of the edits that are still not stored, in ascending order
   */
  async flush(): Promise<number[]> {
    if (!this.isStopped) this.#sendAgain('refused', 'waiting');
    await this.#run();
    return [...this.#edits.keys()].sort((one, other) => one - other);
  }

  /** Aborts the running request and sends nothing more, because the member signs out or has left. The edits stay. */
  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#retryTimer);
    this.#stopping.abort();
  }

  /**
   * Sends the edits of a closed editor, then stops. The edits that are left stay on this device: a later request could
   * overwrite what the next visit stores, or have the credential of the next member.
   */
  async close(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, this.#options.closeAfter));
    await Promise.race([this.flush(), late]);
    this.stop();
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), milliseconds);
  }

  #sendAgain(...kinds: EditState['kind'][]): void {
    for (const [position, edit] of this.#edits)
      if (kinds.includes(edit.state.kind)) this.#set(position, { ...edit, state: { kind: 'typed' } });
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    while (true) {
      while (!this.isStopped && this.#running.size < this.#options.parallel) {
        const request = this.#nextRequest();
        if (!request) break;
        const delivery: Promise<void> = this.#deliver(request).finally(() => this.#running.delete(delivery));
        this.#running.set(delivery, request);
      }
      if (this.#running.size === 0) return;
      await Promise.race(this.#running.keys());
    }
  }

  /**
   * The next request. Each confirmation has its own, so that undo reverts one decision, and because a reason applies to
   * all segments of a request. Drafts are sent together.
   */
  #nextRequest(): SaveRequest | undefined {
    const running = [...this.#running.values()];
    const ready = [...this.#edits].filter(
      ([position, { state }]) => state.kind === 'typed' && !running.some(({ edits }) => edits.has(position)),
    );
    const [first] = ready;
    if (!first) return undefined;
    const drafts = ready.filter(([, { confirmed }]) => !confirmed);
    const sent = first[1].confirmed ? [first] : drafts.slice(0, this.#options.maxPerRequest);
    const { reason } = first[1];
    return {
      edits: new Map(sent.map(([position, { state: _, ...edit }]) => [position, edit])),
      ...(reason && { reason }),
    };
  }

  async #deliver(request: SaveRequest): Promise<void> {
    this.#setStates(request, () => ({ kind: 'sending' }));
    const lost = new Map(this.#unanswered);
    for (const [position, { text }] of request.edits) this.#unanswered.set(position, text);
    try {
      const saved = await this.#options.send(request, this.#stopping.signal);
      this.#savedAt = new Date();
      this.#options.onSaved(request, saved);
      this.#settle(request);
    } catch (error) {
      if (!this.isStopped) await this.#fail(request, error, lost);
    }
  }

  /** Removes the stored edits. Text that was typed during the request stays, and now replaces the stored text. */
  #settle({ edits }: SaveRequest): void {
    for (const [position, sent] of edits) {
      this.#unanswered.delete(position);
      const present = this.#edits.get(position);
      if (!present || (isSame(present, sent) && present.state.kind === 'sending'))
        this.#set(position, undefined);
      else this.#set(position, { ...present, replaces: sent.text, state: { kind: 'typed' } });
    }
  }

  /** @param lost the texts of earlier requests whose response was lost, by position */
  async #fail(request: SaveRequest, error: unknown, lost: ReadonlyMap<number, string>): Promise<void> {
    if (!(error instanceof LinguaLoopError) || isTemporary(error)) {
      this.#setStates(request, () => ({ kind: 'waiting' }));
      this.#retryTimer ??= setTimeout(() => {
        this.#retryTimer = undefined;
        this.#sendAgain('waiting');
        void this.#run();
      }, this.#options.retryAfter);
      return;
    }
    for (const position of request.edits.keys()) restoreEntry(this.#unanswered, lost, position);
    // One segment must not stop the others: they are sent again one by one.
    if (request.edits.size > 1) return this.#deliverEach(request);
    const findings = criticalFindingsOf(error);
    const present = conflictOf(error);
    const [position] = request.edits.keys();
    // The text of a lost request was stored, so the conflict is with the reviewer's own text.
    const isOwn = position !== undefined && present !== undefined && lost.get(position) === present;
    if (position !== undefined) this.#unanswered.delete(position);
    this.#setStates(request, () => {
      if (findings) return { kind: 'blocked', findings };
      return present === undefined ? { kind: 'refused', error } : { kind: 'conflict', present };
    });
    if (isOwn) this.replacePresent(position);
  }

  async #deliverEach({ edits }: SaveRequest): Promise<void> {
    for (const [position, edit] of edits) {
      // An edit that changed during the requests is sent with the next one.
      const present = this.#edits.get(position);
      if (present?.state.kind === 'sending' && isSame(present, edit))
        await this.#deliver({ edits: new Map([[position, edit]]) });
    }
  }

  #setStates({ edits }: SaveRequest, next: (edit: PendingEdit) => EditState): void {
    for (const [position, sent] of edits) {
      const edit = this.#edits.get(position);
      if (edit && isSame(edit, sent)) this.#set(position, { ...edit, state: next(edit) });
    }
  }

  #set(position: number, next: PendingEdit | undefined): void {
    const isEmpty = next?.state.kind === 'typed' && plainOf(next.text, null).trim() === '';
    const edit: PendingEdit | undefined = isEmpty ? { ...next, state: { kind: 'empty' } } : next;
    const after = new Map(this.#edits);
    if (edit) after.set(position, edit);
    else after.delete(position);
    this.#edits = after;
    this.#options.onChange?.(position, isEmpty ? undefined : edit);
    for (const listener of this.#listeners) listener();
  }
}

/** The positions of the edits that the service did not store, and that only the reviewer can solve, in ascending order. */
export function stuckPositions(edits: ReadonlyMap<number, PendingEdit>): number[] {
  return [...edits]
    .filter(([, { state }]) => ['blocked', 'conflict', 'refused'].includes(state.kind))
    .map(([position]) => position)
    .sort((one, other) => one - other);
}

/** Whether an edit is still the one that was sent. */
export function isSame(one: Pick<Edit, 'text' | 'confirmed' | 'reason'>, sent: typeof one): boolean {
  return one.text === sent.text && one.confirmed === sent.confirmed && one.reason === sent.reason;
}

/** Gives `position` the value that it has in `from`. */
function restoreEntry(map: Map<number, string>, from: ReadonlyMap<number, string>, position: number): void {
  const before = from.get(position);
  if (before === undefined) map.delete(position);
  else map.set(position, before);
}

/** Whether the same request may succeed later: without a response, and after a failure of the service. */
function isTemporary({ status }: LinguaLoopError): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** The present translation, if someone else changed it; undefined for other errors. */
function conflictOf({ code, present }: LinguaLoopError): string | null | undefined {
  if (code !== 'conflict' || !Array.isArray(present)) return undefined;
  return (present[0] as { target_text: string | null } | undefined)?.target_text;
}
