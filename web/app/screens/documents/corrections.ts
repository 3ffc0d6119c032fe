import { useSyncExternalStore } from 'react';
import type { Segment } from './search.ts';

/** A text that replaces the translation of a segment when it is applied. */
export interface Correction {
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
  /** These stand in the document now. What was typed meanwhile stays. */
  | { kind: 'applied'; sent: readonly Correction[] }
  /** The reviewer has seen the present translation, and replaces that one. */
  | { kind: 'rebase'; segment: Segment };

/** The collected corrections of a document. A row reads its own only: a key changes one row, and not the whole list. */
export interface CorrectionStore {
  all(): Corrections;
  change(change: CorrectionChange): void;
  subscribe(listener: () => void): () => void;
}

export function createCorrections(): CorrectionStore {
  let corrections: Corrections = new Map();
  const listeners = new Set<() => void>();
  return {
    all: () => corrections,
    change(change) {
      corrections = changed(corrections, change);
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

/** What is typed back to the present translation is no correction. */
function changed(corrections: Corrections, change: CorrectionChange): Corrections {
  const after = new Map(corrections);
  if (change.kind === 'drop') {
    for (const position of change.positions) after.delete(position);
    return after;
  }
  if (change.kind === 'applied') {
    for (const { segment, text } of change.sent) {
      const typed = after.get(segment.position);
      if (!typed || typed.text === text) after.delete(segment.position);
      else after.set(segment.position, { ...typed, replaces: text });
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
