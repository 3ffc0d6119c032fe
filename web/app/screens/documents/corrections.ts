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

/** Collects corrections. What is typed back to the present translation is none. */
export function changeCorrections(corrections: Corrections, change: CorrectionChange): Corrections {
  const changed = new Map(corrections);
  if (change.kind === 'drop') {
    for (const position of change.positions) changed.delete(position);
    return changed;
  }
  if (change.kind === 'applied') {
    for (const { segment, text } of change.sent) {
      const typed = changed.get(segment.position);
      if (!typed || typed.text === text) changed.delete(segment.position);
      else changed.set(segment.position, { ...typed, replaces: text });
    }
    return changed;
  }
  const { segment } = change;
  const before = corrections.get(segment.position);
  if (change.kind === 'rebase') {
    if (before) changed.set(segment.position, { ...before, segment, replaces: segment.target_text });
    return changed;
  }
  const { text } = change;
  if (text === (segment.target_text ?? '')) changed.delete(segment.position);
  else
    changed.set(segment.position, {
      segment,
      text,
      replaces: before ? before.replaces : segment.target_text,
    });
  return changed;
}
