import { appendFile } from 'node:fs/promises';

/**
 * Appends lines to files, one write at a time for each file. Lines that arrive during a write are written together by the
 * next one.
 */
export function lineAppender() {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that will take the waiting lines; unset if there are none. */
    next: Promise<void> | undefined;
  }
  const queues = new Map<string, Queue>();
  return (file: string, line: string): Promise<void> => {
    const queue = queues.get(file) ?? { lines: [], writing: Promise.resolve(), next: undefined };
    queues.set(file, queue);
    queue.lines.push(line);
    queue.next ??= queue.writing
      .catch(() => {})
      .then(() => {
        const lines = queue.lines.splice(0);
        queue.next = undefined;
        queue.writing = appendFile(file, lines.map((text) => `${text}\n`).join(''), { mode: 0o600 }).finally(
          () => {
            if (queue.next === undefined) queues.delete(file);
          },
        );
        return queue.writing;
      });
    return queue.next;
  };
}
