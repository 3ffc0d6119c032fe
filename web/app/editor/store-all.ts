import type { SegmentSaves } from './segment-saves.ts';

/** Maximum milliseconds for which the service can delay an action. */
const maxWait = 10_000;

/** Thrown if an action on the whole document cannot begin, because the service does not have all edits. */
export class UnsavedEdits extends Error {
  /** The positions of the segments, in ascending order. */
  readonly positions: readonly number[];

  constructor(positions: readonly number[]) {
    super(`${positions.length} edits are not stored`);
    this.positions = positions;
  }
}

/** Sends all edits before an action on the whole document. @throws UnsavedEdits if the service does not have all of them */
export async function storeAll(saves: Pick<SegmentSaves, 'flush' | 'all'>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<number[]>((resolve) => {
    timer = setTimeout(() => resolve([...saves.all().keys()].sort((a, b) => a - b)), maxWait);
  });
  const left = await Promise.race([saves.flush(), late]);
  clearTimeout(timer);
  if (left.length > 0) throw new UnsavedEdits(left);
}
