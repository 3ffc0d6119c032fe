import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BlobStore, PlatformStore } from '../blob-store.ts';

/** The start of the names of this process's parts, which is followed by a number. */
const ownName = randomBytes(9).toString('base64url');
let parts = 0;

/**
 * Returns a function that adds lines to lists as `PlatformStore.addLine` does: the first line is written at once; lines of
 * the same list that arrive during a write become the next part together.
 */
export function linesInParts(put: BlobStore['put']): PlatformStore['addLine'] {
  return lineBatches((path, lines) => put(`${path}.${ownName}${(parts++).toString(36)}.jsonl`, lines));
}

/**
 * Returns a function that writes lines, with one write at a time for each path. Lines that arrive during a write are
 * written together by the next one, after a pause.
 * @param write writes complete lines, each with its newline
 */
export function lineBatches(write: (path: string, lines: string) => Promise<void>) {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that will contain the waiting lines; undefined if no lines wait. It begins after `writing`. */
    next: Promise<void> | undefined;
  }
  const queues = new Map<string, Queue>();
  return (path: string, line: string, pauseMs = 0): Promise<void> => {
    const queue = queues.get(path) ?? { lines: [], writing: Promise.resolve(), next: undefined };
    queues.set(path, queue);
    queue.lines.push(line);
    queue.next ??= queue.writing
      .catch(() => {})
      .then(() => {
        const lines = queue.lines.splice(0);
        queue.next = undefined;
        const written = write(path, lines.map((text) => `${text}\n`).join(''));
        const paused = pauseMs > 0 ? written.then(() => sleep(pauseMs)) : written;
        queue.writing = paused.finally(() => {
          if (queue.next === undefined) queues.delete(path);
        });
        queue.writing.catch(() => {});
        return written;
      });
    return queue.next;
  };
}
