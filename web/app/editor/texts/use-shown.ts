import { useMemo, useRef, useState } from 'react';
import type { Languages } from '../marks.ts';
import type { SegmentRange } from '../segment.ts';
import type { SegmentStatus } from '../segment-filter.ts';
import type { TextSegment } from './text-list.ts';

/** The texts of one status, as rows of the grid. */
export interface Shown extends SegmentRange<TextSegment> {
  segments: readonly TextSegment[];
  /** Adds a text that does not have the status. */
  reveal(position: number): void;
}

/**
 * The texts that have a status. A text that was shown stays, so that no row disappears when it is decided; further texts
 * are added when they are loaded.
 */
export function useShown(segments: readonly TextSegment[], status: SegmentStatus | undefined): Shown {
  const kept = useRef({ status, positions: new Set<number>() });
  const [revealed, setRevealed] = useState<{ status: SegmentStatus | undefined; position: number }>();
  return useMemo(() => {
    if (kept.current.status !== status) kept.current = { status, positions: new Set() };
    const { positions } = kept.current;
    if (revealed && revealed.status === status) positions.add(revealed.position);
    for (const segment of segments)
      if (status === undefined || segment.status === status) positions.add(segment.position);
    const shown = segments.filter(({ position }) => positions.has(position));
    const indexes = new Map(shown.map(({ position }, index) => [position, index]));
    return {
      segments: shown,
      total: shown.length,
      at: (index) => shown[index],
      indexOf: (position) => indexes.get(position),
      reveal: (position) => setRevealed({ status, position }),
    };
  }, [segments, status, revealed]);
}

/**
 * The members who have a text open, by its position.
 * @param held by job ID, when other members' claims end, in milliseconds since 1970
 */
export function holdersOf(segments: readonly TextSegment[], held: ReadonlyMap<string, number>) {
  const now = Date.now();
  const isHeld = ({ id, holders }: TextSegment) => holders.length > 0 || (held.get(id) ?? 0) > now;
  return new Map(segments.filter(isHeld).map(({ position, holders }) => [position, holders] as const));
}

/** The languages of all texts; undefined if they differ. */
export function commonLanguages(segments: readonly TextSegment[]): Languages | undefined {
  const [first] = segments;
  const isCommon = segments.every(
    ({ languages: { source, target } }) =>
      source === first?.languages.source && target === first.languages.target,
  );
  return isCommon ? first?.languages : undefined;
}

/** The number of texts with each status. Rejected texts count as confirmed: they are decided. */
export function countStatuses(segments: readonly TextSegment[]) {
  const statuses = { todo: 0, draft: 0, warning: 0, critical: 0, confirmed: 0 };
  for (const { status } of segments) statuses[status === 'rejected' ? 'confirmed' : status] += 1;
  return { segments: segments.length, statuses };
}
