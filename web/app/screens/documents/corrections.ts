import { useSyncExternalStore } from 'react';
import type { Segment } from './search.ts';

/** A text that replaces the translation of a segment when it is applied. */
export interface Correction {
  /** As the service had it when it was last read. */
  segment: Segment;
  text: string;
  /** The translation that it was made from. */
  replaces: string | null;
}

/** The corrections that are not applied yet, by the position of their segment. */
export type Corrections = ReadonlyMap<number, Correction>;

export type CorrectionChange =
  | { kind: 'edit'; segment: Segment; text: string }
  | { kind: 'drop'; positions: readonly number[] }
  /** Made before, and found again. */
  | { kind: 'restore'; corrections: readonly Correction[] }
  /** These stand in the document now. What was typed meanwhile stays. */
  | { kind: 'applied'; sent: readonly Correction[] }
  /** The present state of segments. */
  | { kind: 'seen'; segments: readonly Segment[] }
  /** The reviewer has seen the present translation, and replaces that one. */
  | { kind: 'rebase'; segment: Segment };

/** The collected corrections of a document. A row reads its own only: a key changes one row, and not the whole list. */
export interface CorrectionStore {
  all(): Corrections;
  change(change: CorrectionChange): void;
  subscribe(listener: () => void): () => void;
}

/** @param onChange is told each change, before any listener */
export function createCorrections(
  onChange: (before: Corrections, after: Corrections) => void,
): CorrectionStore {
  let corrections: Corrections = new Map();
  const listeners = new Set<() => void>();
  return {
    all: () => corrections,
    change(change) {
      const before = corrections;
      corrections = changed(corrections, change);
      onChange(before, corrections);
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** All collected corrections. */
export function useCorrections({ subscribe, all }: CorrectionStore): Corrections {
  return useSyncExternalStore(subscribe, all);
}

/** How many there are. */
export function useCorrectionCount({ subscribe, all }: CorrectionStore): number {
  return useSyncExternalStore(subscribe, () => all().size);
}

/** The correction of one segment, if there is one. */
export function useCorrection({ subscribe, all }: CorrectionStore, position: number): Correction | undefined {
  return useSyncExternalStore(subscribe, () => all().get(position));
}

/** Whether somebody else has put another text where the correction was made. */
export function isInConflict({ segment: { target_text: present }, text, replaces }: Correction): boolean {
  return present !== replaces && present !== text;
}

/** What is typed back to the present translation is no correction. */
function changed(corrections: Corrections, change: CorrectionChange): Corrections {
  const after = new Map(corrections);
  if (change.kind === 'drop') {
    for (const position of change.positions) after.delete(position);
    return after;
  }
  if (change.kind === 'restore') {
    for (const correction of change.corrections) after.set(correction.segment.position, correction);
    return after;
  }
  if (change.kind === 'applied') {
    for (const { segment, text } of change.sent) {
      const typed = after.get(segment.position);
      if (!typed || typed.text === text) after.delete(segment.position);
      else
        after.set(segment.position, {
          segment: { ...typed.segment, target_text: text },
          text: typed.text,
          replaces: text,
        });
    }
    return after;
  }
  if (change.kind === 'seen') {
    for (const segment of change.segments) {
      const correction = after.get(segment.position);
      if (correction) after.set(segment.position, { ...correction, segment });
    }
    return after;
  }
  const { segment } = change;
  const before = corrections.get(segment.position);
  if (change.kind === 'rebase') {
    if (before) after.set(segment.position, { ...before, segment, replaces: segment.target_text });
    return after;
  }
  const { text } = change;
  if (text === (segment.target_text ?? '')) after.delete(segment.position);
  else
    after.set(segment.position, {
      segment,
      text,
      replaces: before ? before.replaces : segment.target_text,
    });
  return after;
}
