/** The loaded segments among those that match the filter. */
export interface LoadedSegments {
  total: number;
  /** @returns undefined while the segment is loading */
  at(index: number): { position: number; confirmed_at: string | null } | undefined;
  /** @returns undefined if the segment is not loaded or does not match the filter */
  indexOf(position: number): number | undefined;
}

/** How segments are found that are not loaded. The indexes are those among the segments that match the filter. */
export interface SegmentFinder {
  /** Whether a filter may exclude segments. Otherwise, the index of a segment is its position. */
  isFiltered: boolean;
  /** @returns undefined if the segment does not match the filter */
  indexOf(position: number): Promise<number | undefined>;
  /** @returns undefined without a segment at this index */
  positionAt(index: number): Promise<number | undefined>;
  /** The first segment after `position` that is not confirmed; undefined after the last one. */
  nextOpen(position: number): Promise<number | undefined>;
  /** Loads the list again, because its indexes have changed. */
  reload(): Promise<unknown>;
  /** Clears the filter. @returns the index of the segment among all segments */
  showAll(position: number): number;
}

export interface OpenState {
  open: {
    position: number;
    index: number;
    /** Whether the field gets the focus; the list keeps it while the reviewer moves through the list. */
    takesFocus: boolean;
  } | null;
  /**
   * Whether the next segment is being found after a confirmation. `failed`: the service could not be reached. Text
   * that the reviewer types then belongs to the next segment.
   */
  next: 'none' | 'finding' | 'loading' | 'failed';
  /** A segment that was found only after the reviewer had begun to type in another one. */
  late: number | null;
}

/**
 * Opens segments. Each action has a number, so that a late response never overrides a later action, and never takes the
 * field away from a reviewer who types.
 */
export class SegmentOpener {
  #state: OpenState = { open: null, next: 'none', late: null };
  readonly #listeners = new Set<() => void>();
  #action = 0;
  #keystrokes = 0;
  /** The loaded segments; undefined until the first ones are loaded. */
  range: LoadedSegments | undefined;
  finder: SegmentFinder;
  readonly #isConfirmed: (position: number) => boolean;

  /** @param isConfirmed whether the reviewer has confirmed a segment and the service may not know it yet */
  constructor(finder: SegmentFinder, isConfirmed: (position: number) => boolean) {
    this.finder = finder;
    this.#isConfirmed = isConfirmed;
  }

  readonly state = (): OpenState => this.#state;

  /** Calls `listener` on each change. @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Called for each keystroke in a field. */
  typed(): void {
    this.#keystrokes += 1;
  }

  /** Called when the open segment is loaded. */
  arrived(): void {
    if (this.#state.next === 'loading') this.#set({ next: 'none' });
  }

  /** The index of the open segment in the present list, which changes with the filter; -1 if no segment is open. */
  get index(): number {
    const { open } = this.#state;
    if (open === null) return -1;
    return this.range?.indexOf(open.position) ?? (this.finder.isFiltered ? open.index : open.position);
  }

  /** Opens a segment. If the filter excludes it, the filter is cleared. @throws LinguaLoopError */
  async openAt(position: number): Promise<void> {
    const turn = this.#begin();
    const index = this.range?.indexOf(position);
    if (index === undefined) await this.#find(position, turn);
    else this.#show({ position, index });
  }

  /** Opens a segment before or after the open one in the list. @throws LinguaLoopError */
  async move(step: number, takesFocus = true): Promise<void> {
    await this.moveTo(this.#state.open ? this.index + step : 0, takesFocus);
  }

  /** Opens the segment at an index of the list, or the nearest one. @throws LinguaLoopError */
  async moveTo(wanted: number, takesFocus = true): Promise<void> {
    const total = this.range?.total ?? 0;
    const index = Math.max(0, Math.min(wanted, total - 1));
    if (total === 0 || index === this.index) return;
    const turn = this.#begin();
    const loaded = this.range?.at(index)?.position;
    if (loaded !== undefined) return this.#show({ position: loaded, index, takesFocus });
    const position = await this.finder.positionAt(index);
    if (position !== undefined && this.#isLatest(turn)) this.#show({ position, index, takesFocus });
  }

  /**
   * Opens the next segment that is not confirmed, or else the next one. The service finds it if it is not loaded.
   * @throws LinguaLoopError
   */
  async moveToNextOpen(): Promise<void> {
    const turn = this.#begin();
    const { open } = this.#state;
    const loaded = this.#nextLoaded();
    if (loaded) return this.#show(loaded);
    if (open) this.#set({ next: 'finding' });
    try {
      const position = await this.finder.nextOpen(open?.position ?? -1);
      if (!this.#isLatest(turn)) return;
      if (position !== undefined) return await this.#find(position, turn);
      this.#set({ next: 'none' });
      await this.move(1);
    } catch (error) {
      if (this.#isLatest(turn) && open) this.#set({ next: 'failed' });
      throw error;
    }
  }

  /**
   * Opens the first segment: the given one, or the next one that is not confirmed if the filter excludes it.
   * @throws LinguaLoopError
   */
  async start(position: number | undefined): Promise<void> {
    if (position === undefined) return this.moveToNextOpen();
    const turn = this.#begin();
    const index = this.range?.indexOf(position) ?? (await this.finder.indexOf(position));
    if (!this.#isLatest(turn)) return;
    if (index === undefined || index >= (this.range?.total ?? 0)) return this.moveToNextOpen();
    this.#show({ position, index });
  }

  /** The next segment that is not confirmed, if all segments before it are loaded. */
  #nextLoaded(): { position: number; index: number } | undefined {
    const { range } = this;
    for (let index = this.index + 1; range && index < range.total; index += 1) {
      const segment = range.at(index);
      if (segment === undefined) return undefined;
      const { position, confirmed_at } = segment;
      if (confirmed_at === null && !this.#isConfirmed(position)) return { position, index };
    }
    return undefined;
  }

  /** Opens a segment whose index may not be known. */
  async #find(position: number, turn: Turn): Promise<void> {
    const found = this.range?.indexOf(position) ?? (await this.finder.indexOf(position));
    if (!this.#isLatest(turn)) return;
    if (this.#keystrokes !== turn.keystrokes) return this.#set({ next: 'none', late: position });
    const index = found ?? this.finder.showAll(position);
    const there = this.range?.at(index);
    if (found !== undefined && there && there.position !== position) await this.finder.reload();
    if (this.#isLatest(turn)) this.#show({ position, index });
  }

  #show(open: { position: number; index: number; takesFocus?: boolean }): void {
    const next = this.#state.next === 'finding' ? 'loading' : 'none';
    this.#set({ open: { takesFocus: true, ...open }, next });
  }

  /** Begins an action, and ends the earlier one. */
  #begin(): Turn {
    this.#action += 1;
    this.#set({ next: 'none', late: null });
    return { action: this.#action, keystrokes: this.#keystrokes };
  }

  #isLatest({ action }: Turn): boolean {
    return action === this.#action;
  }

  #set(change: Partial<OpenState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** An action, and the number of keystrokes before it. */
interface Turn {
  action: number;
  keystrokes: number;
}
