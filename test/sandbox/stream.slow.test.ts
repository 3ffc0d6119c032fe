import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isAlive, openTestSandbox, processOf } from './open-sandbox.ts';

const megabyte = 2 ** 20;

async function collect<T>(pieces: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

const message = (work: Promise<unknown>) =>
  work.then(
    () => 'ended',
    (error: Error) => error.message,
  );

describe('a task that answers in pieces', () => {
  it('gives them all, in order, and keeps its process for the next one', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    const pieces = await sandbox.stream('pieces', { count: 50, bytes: 300_000 }, {}, collect);
    expect(pieces.map((piece) => [piece.length, piece[0], piece.at(-1)])).toEqual(
      Array.from({ length: 50 }, (_, number) => [300_000, number, number]),
    );
    expect(await sandbox.stream('pieces', { count: 0, bytes: 0 }, {}, collect)).toEqual([]);
    expect(await processOf(sandbox)).toBe(pid);
  });

  it('returns the consumer’s result, and throws what the consumer throws', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const count = sandbox.stream(
      'pieces',
      { count: 3, bytes: 1 },
      {},
      async (pieces) => (await collect(pieces)).length,
    );
    expect(await count).toBe(3);
    const broken = sandbox.stream('pieces', { count: 3, bytes: 1 }, {}, () =>
      Promise.reject(new Error('mine')),
    );
    expect(await message(broken)).toBe('mine');
    expect(await sandbox.run('echo', 'still there')).toBe('still there');
  });

  it('waits for a slow consumer: buffered pieces are bounded, and the wait does not count', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    // Starts the process first, because the start counts as time of the first task.
    await sandbox.run('echo', 'started');
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const sizes = await sandbox.stream(
      'pieces',
      { count: 48, bytes: megabyte },
      { timeMs: 2000 },
      async (pieces) => {
        let size = 0;
        // Longer than the time limit of the task.
        await sleep(2200);
        most = process.memoryUsage().arrayBuffers - before;
        for await (const piece of pieces) size += piece.length;
        return size;
      },
    );
    expect(sizes).toBe(48 * megabyte);
    expect(most).toBeLessThan(24 * megabyte);
  });

  it('is ended with its process if it is not consumed to the end', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    const first = await sandbox.stream(
      'piecesThenLoop',
      undefined,
      {},
      async (pieces) => (await pieces.next()).value,
    );
    expect(first).toBe('first');
    expect(isAlive(pid)).toBe(false);
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('that stops answering is ended by its time limit, and the consumer gets the error', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    await sandbox.run('echo', 'started');
    const taken: unknown[] = [];
    const work = sandbox.stream('piecesThenLoop', undefined, { timeMs: 700 }, async (pieces) => {
      for await (const piece of pieces) taken.push(piece);
    });
    expect(await message(work)).toContain('more than 700 ms');
    expect(taken).toEqual(['first']);
  });

  it.each([
    ['throws', 'pieces', { count: 2, bytes: 1, fails: true }, 'behind the last piece'],
    ['ends with its process', 'piecesThenExit', undefined, 'code 3'],
  ] as const)('is not a whole response if it %s', async (_, task, payload, said) => {
    const sandbox = openTestSandbox({ processes: 1 });
    await sandbox.run('echo', 'a process that has run something');
    const work = sandbox.stream(task, payload as never, {}, collect);
    expect(await message(work)).toContain(said);
    expect(await sandbox.run('echo', 'next')).toBe('next');
  });

  it('is run again if a kept process was ended from outside before its first piece', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    process.kill(pid, 'SIGKILL');
    expect(await sandbox.stream('pieces', { count: 3, bytes: 1 }, {}, collect)).toHaveLength(3);
  });

  it('gives no more bytes than a response’s limit', async () => {
    const sandbox = openTestSandbox({ processes: 1, resultBytes: 4 * megabyte });
    expect(await sandbox.stream('pieces', { count: 3, bytes: megabyte }, {}, collect)).toHaveLength(3);
    const work = sandbox.stream('pieces', { count: 5, bytes: megabyte }, {}, collect);
    expect(await message(work)).toContain('sent more than its result limit');
  });

  it('gives more bytes if its payload is large, up to four times its bytes', async () => {
    const sandbox = openTestSandbox({ processes: 1, resultBytes: 4 * megabyte });
    const stream = (count: number) =>
      sandbox.stream('pieces', { count, bytes: megabyte, input: new Uint8Array(2 * megabyte) }, {}, collect);
    expect(await stream(7)).toHaveLength(7);
    expect(await message(stream(9))).toContain('sent more than its result limit');
  });

  it('is ended by the signal, while waiting or while consumed', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const stop = new AbortController();
    const work = sandbox.stream('piecesThenLoop', undefined, { signal: stop.signal }, async (pieces) => {
      await pieces.next();
      stop.abort(new Error('the caller is gone'));
      await pieces.next();
    });
    expect(await message(work)).toBe('the caller is gone');
    expect(sandbox.processIds).toEqual([]);
  });
});
