import { LinguaLoopError } from '#sdk/errors.ts';
import type { InputOf, OutputOf } from '#sdk/procedure-types.ts';
import type { Segment } from '../segment-filter.ts';
import { isTemporary } from '../segment-saves.ts';
import { UnsavedEdits } from '../store-all.ts';

/** A change of the texts of a page, or changes of several places at once. */
export type Fix = InputOf<'documents.mend'>['mend'];

/** The acts on the selected texts of a page. */
export type Act = 'join' | 'keep' | 'order' | 'split' | 'translate';

/** The texts after a fix. */
export type Fixed = OutputOf<'documents.mend'>;

/** `sending` since a time; `waiting`: the service cannot be reached; `failed`: it refused the fix. */
export type FixState =
  | { kind: 'none' }
  | { kind: 'sending' | 'waiting'; fix: Fix; since: number }
  | { kind: 'done'; fix: Fix; since: number; fixed: Fixed }
  | { kind: 'failed'; fix: Fix; error: unknown };

interface Options {
  send(fix: Fix): Promise<Fixed>;
  /** Called for each stored fix. */
  onDone(fixed: Fixed): Promise<unknown>;
  /** Called with the number of fixes that are not stored. */
  onCount(count: number): void;
}

/** The fixes of a document, as components show them. */
export interface Fixes {
  add(fix: Fix): void;
  /** Removes the message about the latest fix. */
  dismiss(): void;
  state: FixState;
  /** The fixes that are not stored. */
  waiting: readonly Fix[];
}

/** Milliseconds until a fix is sent again that could not reach the service. */
const retryAfter = 3000;

/** Thrown for a fix of texts that someone else fixed before. Nothing was changed. */
export class FixConflict extends Error {
  /** Undefined for an API key without a name. */
  readonly who: string | undefined;
  /** The fix that the text had, such as `joined`. */
  readonly done: string;
  /** The region ID of the text. */
  readonly text: string;

  constructor(text: string, done: string, who: string | undefined) {
    super(`the text ${text} was ${done}`);
    [this.text, this.done, this.who] = [text, done, who];
  }
}

/** Returns the conflict of a refused fix; undefined for other errors. */
export function conflictOf(error: unknown): FixConflict | undefined {
  if (!(error instanceof LinguaLoopError) || error.code !== 'conflict') return undefined;
  const found = /the text (\S+) was (\w+)(?: by (.+))?; nothing/.exec(error.message);
  return found ? new FixConflict(found[1] ?? '', found[2] ?? '', found[3]) : undefined;
}

/** Returns the act of a fix. */
export function actOf(fix: Fix): Act {
  return (Array.isArray(fix) ? (fix[0]?.action ?? 'join') : fix.action) as Act;
}

/** The region IDs of the texts that a fix changes. */
export function textsOfFix(fix: Fix): string[] {
  if (Array.isArray(fix)) return fix.flatMap(textsOfFix);
  return 'region_ids' in fix ? fix.region_ids : [fix.region_id];
}

/**
 * The fixes of a document, in the order in which the reviewer made them. They are sent one after another, because a fix
 * can need the one before it. If the service cannot be reached, they stay and are sent again. A reload of the tab keeps
 * them.
 */
export class PageFixes {
  readonly #options: Options;
  readonly #storage: string;
  #waiting: readonly Fix[];
  #state: FixState = { kind: 'none' };
  /** The latest refused fix, until the reviewer continues. */
  #failed: FixState | undefined;
  #isSending = false;
  #running: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #listeners = new Set<() => void>();
  #onShow: ((segments: readonly Segment[]) => void) | undefined;

  /** @param key identifies the document and the member */
  constructor(key: string, options: Options) {
    this.#options = options;
    this.#storage = `lingualoop-fixes-${key}`;
    this.#waiting = JSON.parse(sessionStorage.getItem(this.#storage) ?? '[]') as Fix[];
    if (this.#waiting.length > 0) this.#set(this.#waiting, this.#state);
    addEventListener('online', () => this.#start());
    this.#start();
  }

  readonly state = (): FixState => this.#failed ?? this.#state;
  /** The fixes that are not stored. Each change creates another list. */
  readonly waiting = (): readonly Fix[] => this.#waiting;

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  add(fix: Fix): void {
    this.#failed = undefined;
    this.#set([...this.#waiting, fix], this.#state.kind === 'waiting' ? this.#state : { kind: 'none' });
    this.#start();
  }

  /** Removes the latest fix that is not sent. @returns false if all are sent; the latest one is then stored, or refused */
  async takeBack(): Promise<boolean> {
    const last = this.#waiting.at(-1);
    if (last && !(this.#isSending && this.#waiting.length === 1)) {
      const left = this.#waiting.slice(0, -1);
      this.#set(left, left.length > 0 ? this.#state : { kind: 'none' });
      return true;
    }
    await this.#running;
    return false;
  }

  /** Calls `listener` with the texts that a fix has made, or that an undo has restored. @returns a function that ends it */
  onShow(listener: (segments: readonly Segment[]) => void): () => void {
    this.#onShow = listener;
    return () => {
      this.#onShow = undefined;
    };
  }

  /** Shows texts that an undo has restored. */
  show(segments: readonly Segment[]): void {
    this.dismiss();
    this.#onShow?.(segments);
  }

  /** Removes the message about the latest fix. */
  dismiss(): void {
    this.#failed = undefined;
    this.#set(this.#waiting, { kind: 'none' });
  }

  #start(): void {
    if (!this.#isSending) this.#running = this.#run();
  }

  async #run(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isSending = true;
    for (let [fix] = this.#waiting; fix; [fix] = this.#waiting) {
      const since = performance.now();
      const sent = fix;
      const done = () => this.#waiting.filter((one) => one !== sent);
      this.#set(this.#waiting, { kind: 'sending', fix, since });
      try {
        const fixed = await this.#options.send(fix);
        await this.#options.onDone(fixed);
        this.#set(done(), { kind: 'done', fix, since, fixed });
        this.#onShow?.(fixed.segments);
      } catch (error) {
        const isLost =
          error instanceof LinguaLoopError
            ? isTemporary(error)
            : !(error instanceof UnsavedEdits || error instanceof FixConflict);
        if (isLost) {
          this.#set(this.#waiting, { kind: 'waiting', fix, since });
          this.#timer = setTimeout(() => this.#start(), retryAfter);
          break;
        }
        this.#failed = { kind: 'failed', fix, error };
        this.#set(done(), { kind: 'none' });
      }
    }
    this.#isSending = false;
  }

  #set(waiting: readonly Fix[], state: FixState): void {
    this.#waiting = waiting;
    this.#state = state;
    if (waiting.length > 0) sessionStorage.setItem(this.#storage, JSON.stringify(waiting));
    else sessionStorage.removeItem(this.#storage);
    this.#options.onCount(waiting.length);
    for (const listener of this.#listeners) listener();
  }
}
