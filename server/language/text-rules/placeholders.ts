import { setImmediate } from 'node:timers/promises';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { onPatternThread } from '#server/platform/patterns/pattern-threads.ts';

/** The parts of each text that the patterns of a workspace match, in order; null if the search has not ended in time. */
export type FoundPlaceholders = readonly (readonly string[])[] | null;

/** Texts whose placeholders are searched together with those of other callers. */
interface Search {
  texts: readonly string[];
  resolve(found: FoundPlaceholders): void;
  reject(error: unknown): void;
}

/** Searches that have not begun, by workspace and patterns. */
const queues = new Map<string, Search[]>();

/** UTF-16 units of texts that a thread gets at once, unless one text is longer. */
const maxUnits = 10_000;

/** The workspaces and patterns whose search did not end in time, and the time until which they do not run. */
const slowUntil = new Map<string, number>();

/** Milliseconds for which patterns that were too slow do not run, so that they do not take a thread for each text. */
const slowForMs = 600_000;

/**
 * Finds what patterns match in texts. The searches of a workspace run one after another, and those that are queued run
 * together: a document has thousands of texts, and the texts of other workspaces need the threads, too.
 * @param patterns valid ones, which were weighed
 * @throws AppError rate_limit if too many patterns of workspaces are queued
 */
export async function findPlaceholders(
  patterns: readonly string[],
  texts: readonly string[],
  { tenantId }: SlotScope,
): Promise<FoundPlaceholders> {
  if (patterns.length === 0) return texts.map(() => []);
  const key = JSON.stringify([tenantId, patterns]);
  return new Promise((resolve, reject) => {
    const search = { texts, resolve, reject };
    const queue = queues.get(key);
    if (queue) queue.push(search);
    else {
      queues.set(key, [search]);
      void drain(key, patterns, tenantId);
    }
  });
}

async function drain(key: string, patterns: readonly string[], tenantId: string): Promise<void> {
  // The other texts of a group follow in the same turn of the event loop.
  await setImmediate();
  const queue = queues.get(key)!;
  while (queue.length > 0) {
    const batch = takeBatch(queue);
    try {
      const found = await search(key, { patterns, texts: batch.flatMap(({ texts }) => texts) }, tenantId);
      let at = 0;
      for (const { texts, resolve } of batch) {
        resolve(found?.slice(at, at + texts.length) ?? null);
        at += texts.length;
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
  queues.delete(key);
}

/** Removes the first searches of a queue that fit into one task. */
function takeBatch(queue: Search[]): Search[] {
  let units = 0;
  const end = queue.findIndex(({ texts }, at) => {
    for (const { length } of texts) units += length;
    return at > 0 && units > maxUnits;
  });
  return queue.splice(0, end < 0 ? queue.length : end);
}

async function search(
  key: string,
  asked: { patterns: readonly string[]; texts: readonly string[] },
  tenantId: string,
): Promise<FoundPlaceholders> {
  if ((slowUntil.get(key) ?? 0) > performance.now()) return null;
  const found = await onPatternThread('match', asked, { tenantId }, () => {
    slowUntil.delete(key);
    slowUntil.set(key, performance.now() + slowForMs);
    const [oldest] = slowUntil.keys();
    if (slowUntil.size > 1000) slowUntil.delete(oldest!);
    return null;
  });
  if (!found) return null;
  return found.map((ranges, at) => ranges.map(([start, end]) => asked.texts[at]!.slice(start, end)));
}
