import { useSyncExternalStore } from 'react';
import type { Segment } from './search.ts';

/** A reviewer's text that will replace the translation of a segment. */
export interface Correction {
  /** The segment as last loaded. */
  segment: Segment;
  text: string;
  /** The translation that the reviewer saw when this text was begun; null if the segment had no translation. */
  replaces: string | null;
}

/** The unapplied corrections, by the position of their segment. */
export type Corrections = ReadonlyMap<number, Correction>;

export type CorrectionChange =
  | { kind: 'edit'; segment: Segment; text: string }
  | { kind: 'drop'; positions: readonly number[] }
  /** Corrections from an earlier visit are restored. */
  | { kind: 'restore'; corrections: readonly Correction[] }
  /**
   * These corrections are now in the document. If the reviewer has typed more since, that text stays as a correction.
   */
  | { kind: 'applied'; sent: readonly Correction[] }
  /** The current state of segments was loaded. */
  | { kind: 'seen'; segments: readonly Segment[] }
  /** The reviewer has seen that someone else changed the translation, and wants to replace it. */
  | { kind: 'rebase'; segment: Segment };

/**
 * The corrections of a document. Each row subscribes only to the correction of its own segment: a keystroke then
 * renders one row, not the whole list.
 */
export interface CorrectionStore {
  all(): Corrections;
  change(change: CorrectionChange): void;
  subscribe(listener: () => void): () => void;
}

/** @param onChange is called after each change, before any listener */
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

/** All corrections. */
export function useCorrections({ subscribe, all }: CorrectionStore): Corrections {
  return useSyncExternalStore(subscribe, all);
}

/** The number of corrections. */
export function useCorrectionCount({ subscribe, all }: CorrectionStore): number {
  return useSyncExternalStore(subscribe, () => all().size);
}

/** The correction of one segment, if there is one. */
export function useCorrection({ subscribe, all }: CorrectionStore, position: number): Correction | undefined {
  return useSyncExternalStore(subscribe, () => all().get(position));
}

/** Whether someone else has changed the translation since the reviewer began the correction. */
export function isInConflict({ segment: { target_text: present }, text, replaces }: Correction): boolean {
  return present !== replaces && present !== text;
}

/** Applies a change. A correction whose text equals the current translation is removed. */
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
