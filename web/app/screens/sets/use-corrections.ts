import { useBlocker } from '@tanstack/react-router';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { type MessageId, useT } from '../../i18n.tsx';
import { isKey } from '../../keys/match-key.ts';
import { singleKeys } from '../../keys/use-commands.ts';
import { announce } from '../../parts/announcer.tsx';
import {
  type Alignment,
  decide,
  edit,
  isPair,
  type LinkStatus,
  link as linkRows,
  statusOf,
  undo,
  unlink,
} from './alignment.ts';
import { type AlignmentWork, keepAlignment } from './kept-alignment.ts';

/** The acts of a member on the link at an index. */
export interface Acts {
  accept(index: number): void;
  unlink(index: number): void;
  link(index: number, direction: 1 | -1): void;
  skip(index: number): void;
  edit(index: number): void;
  select(index: number): void;
  /** Returns whether the texts can be stored. */
  save(index: number, texts: { source: string; target: string }): boolean;
  close(): void;
}

/** Milliseconds after the last change until the work is kept. */
const pause = 800;

export type Filter = 'all' | Exclude<LinkStatus, 'skipped'>;

export type Corrections = ReturnType<typeof useCorrections>;

/**
 * The links while a member corrects them: what is shown, what is active, and what the member can do.
 * @param first the work as it was aligned, or as it was kept
 * @param grid gets the focus after each act
 */
export function useCorrections(first: AlignmentWork, grid: RefObject<HTMLElement | null>) {
  const t = useT();
  const [alignment, setAlignment] = useState<Alignment>({ links: first.links, changes: [] });
  const [least, setLeast] = useState(first.least);
  const [filter, setFilter] = useState<Filter>('all');
  const [active, setActive] = useState(0);
  const [edited, setEdited] = useState<number>();
  const { links } = alignment;
  const statuses = useMemo(() => links.map((one) => statusOf(one, least)), [links, least]);
  const shown = useMemo(
    () => [...statuses.keys()].filter((at) => filter === 'all' || statuses[at] === filter),
    [statuses, filter],
  );
  /** The place of the active link among those that are shown: of it or of the next one. */
  const place = Math.min(placeOf(shown, active), shown.length - 1);
  const current = shown[place];

  const moveTo = (index: number | undefined) => {
    if (index === undefined) return;
    setActive(index);
    grid.current?.focus();
  };
  const apply = (
    next: { alignment: Alignment; at: number } | undefined,
    message: MessageId,
    refusal?: MessageId,
  ) => {
    if (next) {
      setAlignment(next.alignment);
      moveTo(next.at);
    }
    const text = next ? message : refusal;
    if (text) announce(t(text));
  };
  const nextToCheck = (from: number, step: 1 | -1 = 1) => {
    for (let count = 1; count <= statuses.length; count++) {
      const at = (from + step * count + statuses.length * 2) % statuses.length;
      if (statuses[at] === 'check') return at;
    }
    return undefined;
  };
  const goToCheck = (step: 1 | -1 = 1) => {
    const next = nextToCheck(current ?? -1, step);
    if (next === undefined) announce(t('align.none_to_check'));
    if (filter !== 'check') setFilter('all');
    moveTo(next);
  };
  const at = (index: number, changed: Alignment | undefined) => changed && { alignment: changed, at: index };
  const acts: Acts = {
    accept(index) {
      const changed = decide(alignment, index, 'accepted');
      if (changed) setAlignment(changed);
      if (changed) announce(t('align.accepted'));
      // A member accepts one row after the other: the next one to check becomes the active one.
      moveTo(nextToCheck(index) ?? index);
    },
    unlink: (index) => apply(at(index, unlink(alignment, index)), 'align.unlinked'),
    link: (index, direction) =>
      apply(linkRows(alignment, index, direction), 'align.linked', 'align.cannot_link'),
    skip(index) {
      const wasSkipped = links[index]?.decision === 'skipped';
      const next = at(index, decide(alignment, index, 'skipped'));
      apply(next, wasSkipped ? 'align.not_skipped' : 'align.skipped');
    },
    edit(index) {
      if (!isPair(links[index]!)) return;
      setActive(index);
      setEdited(index);
    },
    select: moveTo,
    save(index, texts) {
      const changed = edit(alignment, index, texts);
      if (!changed) return false;
      setEdited(undefined);
      apply({ alignment: changed, at: index }, 'align.saved');
      return true;
    },
    close() {
      setEdited(undefined);
      grid.current?.focus();
    },
  };
  const undoLatest = () => apply(undo(alignment), 'align.undone');
  return {
    ...{ links, statuses, least, setLeast, filter, setFilter, shown, place, current, edited, acts, moveTo },
    canUndo: alignment.changes.length > 0,
    undo: undoLatest,
    goToCheck,
  };
}

/** Returns what a key in the grid does with the active link, or on the screen; undefined for other keys. */
export function actOfKey(
  { acts, current, place, shown, moveTo, undo, goToCheck }: Corrections,
  event: KeyboardEvent,
  { isInGrid, page }: { isInGrid: boolean; page: number },
): (() => void) | undefined {
  if (isKey(event, 'Mod+z')) return undo;
  if (isKey(event, 'F8')) return () => goToCheck();
  if (isKey(event, 'Shift+F8')) return () => goToCheck(-1);
  if (!isInGrid || current === undefined) return undefined;
  const steps: Record<string, number> = {
    ArrowDown: place + 1,
    ArrowUp: place - 1,
    PageDown: place + page,
    PageUp: place - page,
    Home: 0,
    End: shown.length - 1,
  };
  for (const [key, to] of Object.entries(steps))
    if (isKey(event, key)) return () => moveTo(shown[Math.max(0, Math.min(shown.length - 1, to))]);
  // A held key must not decide about links that the member has not seen.
  if (event.repeat) return undefined;
  if (isKey(event, 'Enter')) return () => acts.accept(current);
  if (isKey(event, 'F2')) return () => acts.edit(current);
  if (!singleKeys()) return undefined;
  if (isKey(event, 'u')) return () => acts.unlink(current);
  if (isKey(event, 'l')) return () => acts.link(current, 1);
  if (isKey(event, 'Shift+l')) return () => acts.link(current, -1);
  if (isKey(event, 's')) return () => acts.skip(current);
  if (isKey(event, 'e')) return () => acts.edit(current);
  return undefined;
}

/** The place of a value in ascending numbers, or of the next greater one. */
function placeOf(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keeps the work on this device after each change. If the device does not store it, leaving asks first. */
export function useKeeping(work: AlignmentWork, isStored: RefObject<boolean>): void {
  const t = useT();
  const { links, least } = work;
  const state = useRef<{ isKept: boolean; links: unknown }>({ isKept: true, links });
  const latest = useRef(work);
  latest.current = work;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rest of the work never changes
  useEffect(() => {
    if (links !== state.current.links) state.current.isKept = false;
    const timer = setTimeout(() => {
      if (isStored.current) return;
      void keepAlignment(latest.current).then((isKept) => {
        state.current = { isKept: isKept && latest.current.links === links, links };
      });
    }, pause);
    return () => clearTimeout(timer);
  }, [links, least]);
  useBlocker({
    shouldBlockFn: () => !state.current.isKept && !isStored.current && !window.confirm(t('align.leave')),
    enableBeforeUnload: () => !state.current.isKept && !isStored.current,
  });
}
