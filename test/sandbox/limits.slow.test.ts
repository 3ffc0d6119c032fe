import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isAlive, openTestSandbox, processOf } from './open-sandbox.ts';

const megabyte = 2 ** 20;

describe('a task over a limit', () => {
  it('of time is ended with its process, and the next runs in another', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const first = await processOf(sandbox);
    await expect(sandbox.run('loop', undefined, { timeMs: 300 })).rejects.toMatchObject({
      name: 'SandboxError',
      reason: 'time',
    });
    expect(isAlive(first)).toBe(false);
    expect(await processOf(sandbox)).not.toBe(first);
  });

  it('of time gets another period if it lacks a processor, and is ended if it does nothing', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    await sandbox.run('echo', 'started');
    expect(await sandbox.run('crawl', 2500, { timeMs: 1000 })).toBe('done');
    await expect(sandbox.run('wait', 60_000, { timeMs: 1000 })).rejects.toMatchObject({ reason: 'time' });
  });

  it('of CPU time is ended; waiting does not count', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    await sandbox.run('echo', 'started');
    await sandbox.run('wait', 1200, { cpuMs: 600 });
    await expect(sandbox.run('spin', 60_000, { cpuMs: 600, timeMs: 60_000 })).rejects.toMatchObject({
      reason: 'time',
      message: expect.stringContaining('CPU'),
    });
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('of CPU time is not charged for the tasks before it', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    for (let round = 0; round < 4; round++) await sandbox.run('spin', 300, { cpuMs: 900 });
    expect(await processOf(sandbox)).toBe(pid);
  });

  it('is ended while the service itself is busy', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    const running = sandbox.run('spin', 60_000, { cpuMs: 200, timeMs: 60_000 });
    running.catch(() => {});
    // Waits until the task and its limits were sent.
    await sleep(100);
    const begun = performance.now();
    while (isAlive(pid) && performance.now() < begun + 10_000);
    expect(isAlive(pid)).toBe(false);
    await expect(running).rejects.toMatchObject({ reason: 'time' });
  });

  it('of memory outside the heap is ended', async () => {
    const sandbox = openTestSandbox({ processes: 1, memoryBytes: 200 * megabyte });
    await expect(sandbox.run('fillBuffers', undefined)).rejects.toMatchObject({ reason: 'memory' });
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('of memory inside the heap is ended', async () => {
    const sandbox = openTestSandbox({ processes: 1, memoryBytes: 200 * megabyte });
    await expect(sandbox.run('fillHeap', undefined)).rejects.toMatchObject({ reason: 'memory' });
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('of a full heap is ended, even if its memory is not limited', async () => {
    const sandbox = openTestSandbox({ processes: 1, heapBytes: 64 * megabyte, memoryBytes: 4096 * megabyte });
    await expect(sandbox.run('fillHeap', undefined)).rejects.toMatchObject({ reason: 'memory' });
  });

  it('may have its own limits, which do not apply to the next', async () => {
    const sandbox = openTestSandbox({ processes: 1, memoryBytes: 300 * megabyte });
    await expect(
      sandbox.run('fillBuffers', undefined, { memoryBytes: 150 * megabyte }),
    ).rejects.toMatchObject({ reason: 'memory' });
    await sandbox.run('holdFor', { bytes: 150 * megabyte, ms: 100 });
    await sandbox.run('holdFor', { bytes: 350 * megabyte, ms: 100 }, { memoryBytes: 700 * megabyte });
    await expect(sandbox.run('holdFor', { bytes: 350 * megabyte, ms: 60_000 })).rejects.toMatchObject({
      reason: 'memory',
    });
  });

  it('of its response is ended', async () => {
    const sandbox = openTestSandbox({ resultBytes: megabyte });
    await expect(sandbox.run('answer', 2 * megabyte)).rejects.toMatchObject({ reason: 'failed' });
    expect(await sandbox.run('answer', 1000)).toHaveLength(1000);
  });
});

describe('a task that breaks', () => {
  it('its process: crashed, and the next runs', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    await expect(sandbox.run('exit', 3)).rejects.toMatchObject({ reason: 'crashed' });
    await expect(sandbox.run('exit', 0)).rejects.toMatchObject({ reason: 'crashed' });
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('by throwing: failed, with what was thrown for the log', async () => {
    const sandbox = openTestSandbox();
    await expect(sandbox.run('throw', 'no such luck')).rejects.toMatchObject({
      reason: 'failed',
      message: expect.stringContaining('no such luck'),
    });
  });

  it('by returning a value that cannot be sent: failed', async () => {
    const sandbox = openTestSandbox();
    await expect(sandbox.run('answerFunction', undefined)).rejects.toMatchObject({ reason: 'failed' });
  });

  it('with a rejected promise that nobody awaits: its response counts', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const identity = await sandbox.run('leaveRejection', undefined);
    await sandbox.run('wait', 50);
    expect(await sandbox.run('identity', undefined)).toBe(identity);
  });

  it('between two tasks: the next still runs', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    for (let round = 0; round < 3; round++) {
      process.kill(await processOf(sandbox), 'SIGKILL');
      expect(await sandbox.run('echo', round)).toBe(round);
    }
  });
});

describe('an abort signal', () => {
  const given = new Error('gone away');

  it('ends the running task, with its reason', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    const controller = new AbortController();
    const running = sandbox.run('loop', undefined, { signal: controller.signal });
    // Waits until the task was sent.
    await new Promise((sent) => setImmediate(sent));
    controller.abort(given);
    await expect(running).rejects.toBe(given);
    expect(isAlive(pid)).toBe(false);
  });

  it('ends the waiting', async () => {
    const sandbox = openTestSandbox({ processes: 1, queued: 1 });
    const running = sandbox.run('wait', 300);
    const controller = new AbortController();
    const waiting = sandbox.run('echo', 1, { signal: controller.signal });
    controller.abort(given);
    await expect(waiting).rejects.toBe(given);
    // The aborted task has left the queue.
    expect(await sandbox.run('echo', 2)).toBe(2);
    await running;
  });

  it('that was given before starts no task', async () => {
    const sandbox = openTestSandbox();
    await expect(sandbox.run('echo', 1, { signal: AbortSignal.abort(given) })).rejects.toBe(given);
    expect(sandbox.processIds).toEqual([]);
  });
});
