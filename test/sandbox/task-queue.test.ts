import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  DeferredTenants,
  ProvenTenants,
  TaskQueue,
  type TaskQueueOptions,
} from '#server/platform/sandbox/task-queue.ts';

/** A queue whose tasks end when the test ends them. `running` contains their names in the order of their start. */
function open(options: TaskQueueOptions, deferred: string[] = [], unproven: string[] = []) {
  const queue = new TaskQueue(options, (tenantId) => deferred.includes(tenantId));
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, signal?: AbortSignal) =>
    queue.run(
      { tenantId: name[0]!, signal },
      () => {
        began.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      },
      () => unproven.includes(name),
    );
  return {
    queue,
    began,
    /** Adds tasks. The first part of a task's name is its tenant. */
    ask: (...names: string[]) => {
      for (const name of names) void ask(name).catch(() => {});
      return tick();
    },
    asking: ask,
    end: async (name: string) => {
      ends.get(name)!();
      await tick();
    },
  };
}

describe('slots of a pool', () => {
  it('a single tenant leaves one slot free for the next', async () => {
    const { began, ask } = open({ slots: 2, maxWaiting: 64 });
    await ask('a1', 'a2', 'a3');
    expect(began).toEqual(['a1']);
    await ask('b1');
    expect(began).toEqual(['a1', 'b1']);
  });

  it('if there is a single slot, a tenant gets it', async () => {
    const { began, ask, end } = open({ slots: 1, maxWaiting: 64 });
    await ask('a1', 'a2');
    await end('a1');
    expect(began).toEqual(['a1', 'a2']);
  });

  it('a slot goes to the tenant with the fewest running tasks, in rotation among equals', async () => {
    const { began, ask, end } = open({ slots: 3, maxWaiting: 64 });
    await ask('a1', 'a2', 'b1', 'a3', 'b2', 'c1');
    expect(began).toEqual(['a1', 'a2', 'b1']);
    await end('b1');
    expect(began.at(-1)).toBe('c1');
    await end('a1');
    expect(began.at(-1)).toBe('b2');
  });

  it('deferred tenants come after all others, and leave a slot to them', async () => {
    const { began, ask, end } = open({ slots: 2, maxWaiting: 64 }, ['x', 'y']);
    await ask('x1', 'y1');
    expect(began).toEqual(['x1']);
    await ask('a1', 'b1');
    expect(began).toEqual(['x1', 'a1']);
    await end('x1');
    expect(began.at(-1)).toBe('b1');
    await end('a1');
    expect(began.at(-1)).toBe('y1');
  });

  it('one tenant gets at most a quarter of the queue, so others can wait, too', async () => {
    const { queue, ask, asking } = open({ slots: 2, maxWaiting: 64 });
    await ask(...Array.from({ length: 30 }, (_, number) => `a${number}`));
    expect(queue.counts).toEqual({ running: 1, waiting: 16 });
    await expect(asking('a30')).rejects.toMatchObject({ name: 'SandboxError', reason: 'busy' });
    await ask('b1', 'b2');
    expect(queue.counts).toEqual({ running: 2, waiting: 17 });
  });

  it('many tenants fill the queue, and no more', async () => {
    const { queue, ask } = open({ slots: 2, maxWaiting: 8 });
    await ask(...'abcdefghijklmnopqrstuvwxyz'.split(''));
    expect(queue.counts).toEqual({ running: 2, waiting: 8 });
  });

  it('a task that is aborted leaves the queue, and lets another wait', async () => {
    const { queue, began, ask, asking, end } = open({ slots: 2, maxWaiting: 4 });
    await ask('a1', 'b1');
    const stop = new AbortController();
    const waiting = asking('c1', stop.signal);
    await ask('d1');
    stop.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(queue.counts).toEqual({ running: 2, waiting: 1 });
    await end('a1');
    await end('b1');
    expect(began).toEqual(['a1', 'b1', 'd1']);
    await end('d1');
    expect(queue.counts).toEqual({ running: 0, waiting: 0 });
  });

  it('a task that fails frees its slot', async () => {
    const { queue, began, ask } = open({ slots: 1, maxWaiting: 4 });
    const failed = queue.run({ tenantId: 'a' }, () => Promise.reject(new Error('failed')));
    await expect(failed).rejects.toThrow('failed');
    await ask('b1');
    expect(began).toEqual(['b1']);
  });
});

describe('a tenant whose file exceeded its limits', () => {
  it('is deferred for a minute for each file, for ten at most', () => {
    let now = 0;
    const deferred = new DeferredTenants(() => now);
    deferred.add('a');
    expect([deferred.has('a'), deferred.has('b')]).toEqual([true, false]);
    now = 60_001;
    expect(deferred.has('a')).toBe(false);
    for (let count = 0; count < 100; count++) deferred.add('a');
    now += 599_999;
    expect(deferred.has('a')).toBe(true);
    now += 2;
    expect(deferred.has('a')).toBe(false);
  });

  it('is forgotten after ten thousand others', () => {
    const deferred = new DeferredTenants(() => 0);
    for (let number = 0; number <= 10_000; number++) deferred.add(`tenant ${number}`);
    expect([deferred.has('tenant 0'), deferred.has('tenant 1')]).toEqual([false, true]);
  });
});

describe('tasks for which nothing speaks yet', () => {
  it('wait behind others, and leave them one slot', async () => {
    const { began, ask, end } = open({ slots: 2, maxWaiting: 64 }, [], ['a1', 'b1']);
    await ask('a1', 'b1');
    expect(began).toEqual(['a1']);
    await ask('c1', 'd1');
    expect(began).toEqual(['a1', 'c1']);
    await end('a1');
    expect(began).toEqual(['a1', 'c1', 'd1']);
    await end('c1');
    expect(began.at(-1)).toBe('b1');
  });

  it('go with the others after ten seconds', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const { began, ask, end } = open({ slots: 1, maxWaiting: 64 }, [], ['b1']);
      await ask('a1', 'b1', 'c1');
      clock.mockReturnValue(9_999);
      await end('a1');
      expect(began.at(-1)).toBe('c1');
      await ask('d1');
      clock.mockReturnValue(10_000);
      await end('c1');
      expect(began.at(-1)).toBe('b1');
    } finally {
      clock.mockRestore();
    }
  });

  it('are those that are large by what their tenant has shown', () => {
    const proven = new ProvenTenants();
    expect(proven.isUnproven('a', 10_000)).toBe(false);
    expect(proven.isUnproven('a', 10_001)).toBe(true);
    proven.add('a', 5000);
    expect(proven.isUnproven('a', 20_000)).toBe(false);
    expect(proven.isUnproven('a', 20_001)).toBe(true);
    expect(proven.isUnproven('b', 20_000)).toBe(true);
    proven.remove('a');
    expect(proven.isUnproven('a', 20_000)).toBe(true);
  });
});
