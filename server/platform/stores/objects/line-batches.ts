/**
 * Returns a function that appends lines to text objects, with one write at a time for each object. Lines that arrive
 * during a write are written together by the next one.
 * @param append appends complete lines, each with its newline, to the object at a path
 */
export function lineBatches(append: (path: string, lines: string) => Promise<void>) {
  interface Queue {
    lines: string[];
    writing: Promise<void>;
    /** The write that will contain the waiting lines; undefined if no lines wait. */
    next: Promise<void> | undefined;
  }
  const queues = new Map<string, Queue>();
  return (path: string, line: string): Promise<void> => {
    const queue = queues.get(path) ?? { lines: [], writing: Promise.resolve(), next: undefined };
    queues.set(path, queue);
    queue.lines.push(line);
    queue.next ??= queue.writing
      .catch(() => {})
      .then(() => {
        const lines = queue.lines.splice(0);
        queue.next = undefined;
        queue.writing = append(path, lines.map((text) => `${text}\n`).join('')).finally(() => {
          if (queue.next === undefined) queues.delete(path);
        });
        return queue.writing;
      });
    return queue.next;
  };
}
