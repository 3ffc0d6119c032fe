import { createSharedThreads, threadCount } from '../threads/threads.ts';
import type { PatternWork } from './pattern-thread.ts';

/**
 * Runs a task with patterns of a workspace on a thread: neither compiling nor matching can be interrupted, and both may take
 * seconds. Workspaces get the threads in turn. None gets all of them, so that the patterns of one don't delay those of another.
 * @returns a function that calls `late` if the task, with compiling, does not end in time, and throws rate_limit if too many
 *   are queued
 */
export const onPatternThread = createSharedThreads<PatternWork>(
  new URL('./pattern-thread.ts', import.meta.url),
  'runs patterns',
  {
    deadlineMs: 5000,
    slots: threadCount + 1,
    slotsOfTenant: threadCount,
    maxWaiting: 400,
    refusal: 'too many patterns and segmentation rules are in use; try again later',
  },
);
