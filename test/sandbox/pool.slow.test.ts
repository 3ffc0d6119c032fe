import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { poll } from '#test/setup/poll.ts';
import { isAlive, openTestSandbox, processOf } from './open-sandbox.ts';

describe('processes', () => {
  it('are started when there is a task, and used again', async () => {
    const sandbox = openTestSandbox();
    expect(sandbox.processIds).toEqual([]);
    const pid = await processOf(sandbox);
    expect(await processOf(sandbox)).toBe(pid);
    expect(sandbox.processIds).toEqual([pid]);
  });

  it('never exceed their maximum', async () => {
    const sandbox = openTestSandbox({ processes: 2 });
    let most = 0;
    const identities = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const identity = await sandbox.run('identity', undefined);
        most = Math.max(most, sandbox.processIds.length);
        return identity;
      }),
    );
    expect(new Set(identities).size).toBe(2);
    expect(most).toBe(2);
  });

  it('are replaced after their maximum of tasks', async () => {
    const sandbox = openTestSandbox({ processes: 1, tasksPerProcess: 2 });
    const ran: string[] = [];
    for (let count = 0; count < 5; count++) {
      ran.push(await sandbox.run('identity', undefined));
      // The previous process has ended.
      expect(sandbox.processIds.length).toBe(count % 2 === 0 ? 1 : 0);
    }
    expect(ran[1]).toBe(ran[0]);
    expect(ran[3]).toBe(ran[2]);
    expect(new Set(ran).size).toBe(3);
  });

  it('are replaced after their memory has grown', async () => {
    const sandbox = openTestSandbox({ processes: 1, keptBytes: 200 * 2 ** 20 });
    const small = await sandbox.run('hold', 2 ** 20);
    expect(await sandbox.run('hold', 200 * 2 ** 20)).toBe(small);
    expect(await sandbox.run('identity', undefined)).not.toBe(small);
  });

  it('are ended when they have been idle', async () => {
    const sandbox = openTestSandbox({ idleMs: 50 });
    const pid = await processOf(sandbox);
    await poll(async () => sandbox.processIds.length === 0);
    expect(isAlive(pid)).toBe(false);
    expect(await sandbox.run('echo', 'again')).toBe('again');
  });

  it('have no environment, and cannot write, read anything but code, or start others', async () => {
    const sandbox = openTestSandbox();
    const reached = await sandbox.run('reach', {
      secret: new URL('../../package-lock.json', import.meta.url).pathname,
      target: new URL('./written-by-a-test', import.meta.url).pathname,
    });
    expect(reached).toEqual({
      environment: [],
      readSecret: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      start: 'ERR_ACCESS_DENIED',
    });
  });

  it('ignore an interrupt of the terminal', async () => {
    const sandbox = openTestSandbox({ processes: 1 });
    const pid = await processOf(sandbox);
    const running = sandbox.run('wait', 200);
    process.kill(pid, 'SIGINT');
    process.kill(pid, 'SIGTERM');
    await running;
    expect(await processOf(sandbox)).toBe(pid);
  });
});

describe('values', () => {
  it.each<[what: string, value: unknown]>([
    ['structures', { list: [1, { deep: new Map([['a', 1n]]) }], date: new Date(0), none: null }],
    ['bytes', new Uint8Array([1, 2, 3])],
    ['no bytes', new Uint8Array()],
    [
      'bytes in an object, beside others',
      { kind: 'pdf', bytes: new Uint8Array([4, 5]), more: new Uint8Array([6]) },
    ],
    ['a property named like a place', { head: 1, value: 2, places: [3] }],
  ])('%s comes back unchanged', async (_, value) => {
    const sandbox = openTestSandbox({ processes: 1 });
    expect(plain(await sandbox.run('echo', value))).toEqual(plain(value));
  });

  it('30 MB come back whole, twice at a time', async () => {
    const sandbox = openTestSandbox();
    const file = Buffer.alloc(30_000_000);
    for (let at = 0; at < file.length; at += 4096) file.writeUInt32LE(at, at);
    const back = await Promise.all([sandbox.run('echo', file), sandbox.run('echo', { file })]);
    expect(file.equals(back[0] as Uint8Array)).toBe(true);
    expect(file.equals((back[1] as { file: Uint8Array }).file)).toBe(true);
  });

  it('output that a library prints does not mix with answers', async () => {
    const sandbox = openTestSandbox();
    const text = 'printed\n'.repeat(10_000);
    expect(await sandbox.run('print', text)).toBe(text);
  });
});

/** Converts bytes to numbers, so that a Buffer and a Uint8Array with the same bytes are equal. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}

it('rejects tasks past the bound of the queue as busy, and starts nothing', async () => {
  const sandbox = openTestSandbox({ processes: 1, queued: 2 });
  const accepted = [1, 2, 3].map((value) => sandbox.run('echo', value));
  await expect(sandbox.run('echo', 4)).rejects.toMatchObject({ name: 'SandboxError', reason: 'busy' });
  expect(await Promise.all(accepted)).toEqual([1, 2, 3]);
  expect(await sandbox.run('echo', 5)).toBe(5);
});

it('closing ends running and waiting tasks, and leaves no process', async () => {
  const sandbox = openTestSandbox({ processes: 2 });
  await Promise.all([sandbox.run('wait', 50), sandbox.run('wait', 50)]);
  const pids = sandbox.processIds;
  expect(pids).toHaveLength(2);
  const tasks = [
    sandbox.run('loop', undefined),
    sandbox.run('wait', 60_000),
    sandbox.run('echo', 1),
    sandbox.run('echo', 2),
  ];
  const outcomes = Promise.allSettled(tasks);
  await sandbox.close();
  expect(pids.some(isAlive)).toBe(false);
  expect(sandbox.processIds).toEqual([]);
  for (const outcome of await outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'closed' } });
  await expect(sandbox.run('echo', 3)).rejects.toMatchObject({ reason: 'closed' });
  expect(sandbox.processIds).toEqual([]);
});

describe('the service that opened it', () => {
  /** Starts a program that opens a sandbox, runs `code` with it, and prints the IDs of the sandbox's processes. */
  const service = (code: string) =>
    spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `const { Sandbox } = await import('${new URL('../../server/platform/sandbox/sandbox.ts', import.meta.url).href}');
         const sandbox = new Sandbox(new URL('${new URL('./tasks.ts', import.meta.url).href}'), {},
           ['network-attempts', 'probes'].map((name) => new URL('./' + name + '.ts', '${import.meta.url}')));
         ${code}`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );

  it('is not kept alive by idle processes, which end with it', async () => {
    const program = service(`await sandbox.run('echo', 1); console.log(sandbox.processIds[0]);`);
    const [printed] = await once(program.stdout!, 'data');
    const [code] = await once(program, 'exit');
    expect(code).toBe(0);
    await poll(async () => !isAlive(Number(String(printed))));
  });

  it('is kept alive by one with a task', async () => {
    const program = service(`console.log(await sandbox.run('wait', 300).then(() => 'done'));`);
    const [printed] = await once(program.stdout!, 'data');
    expect(String(printed)).toBe('done\n');
  });

  it('ends a busy process with it when it is killed', async () => {
    const program = service(
      `await sandbox.run('echo', 1); console.log(sandbox.processIds[0]); await sandbox.run('loop', undefined);`,
    );
    const [printed] = await once(program.stdout!, 'data');
    program.kill('SIGKILL');
    await once(program, 'exit');
    await poll(async () => !isAlive(Number(String(printed))));
  });
});
