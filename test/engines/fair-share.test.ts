import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import { agreeable, failure, gather } from '#test/fakes/openai.ts';
import { plain, useFakeUpstream } from './live-engine.ts';

/** Starts calls that end only when the test ends them. */
function traffic(options?: Parameters<typeof createConcurrencyLimit>[0]) {
  const share = createConcurrencyLimit(options);
  const begun: string[] = [];
  const open: { tenantId: string; name: string; end: (error?: Error) => void }[] = [];
  const call = (
    tenantId: string,
    { name = tenantId, signal }: { name?: string; signal?: AbortSignal } = {},
  ) =>
    share.run(
      { tenantId, signal },
      () =>
        new Promise<string>((resolve, reject) => {
          begun.push(name);
          open.push({ tenantId, name, end: (error) => (error ? reject(error) : resolve(name)) });
        }),
    );
  return {
    begun,
    call,
    /** Starts many calls without awaiting their end. */
    async flood(tenantId: string, count: number): Promise<void> {
      for (let i = 0; i < count; i++) void call(tenantId).catch(() => {});
      await settled();
    },
    running: (tenantId: string) => open.filter((one) => one.tenantId === tenantId).length,
    total: () => open.length,
    /** Ends the oldest running call: of all calls, or of those of a tenant or with a name. */
    async end(which?: string, error?: Error): Promise<void> {
      const at = which ? open.findIndex(({ tenantId, name }) => which === tenantId || which === name) : 0;
      open.splice(at, 1)[0]!.end(error);
      await settled();
    },
  };
}

/** Resolves when all callbacks that were due have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  it('gives a tenant no more slots than its maximum, though others are free', async () => {
    const { call, flood, running, end } = traffic({ slots: 32, slotsOfTenant: 4 });
    await flood('a', 10);
    expect(running('a')).toBe(4);
    void call('b');
    await settled();
    expect(running('b')).toBe(1);
    await end('a');
    expect(running('a')).toBe(4);
  });

  it.each([
    [{}, 192],
    [{ slots: 8 }, 6],
    [{ slots: 100 }, 75],
  ])('go to a single tenant up to three quarters (%j)', async (options, share) => {
    const { flood, running } = traffic(options);
    await flood('a', 1000);
    expect(running('a')).toBe(share);
  });

  it('go first to the tenant with the fewest calls in flight', async () => {
    const { flood, call, end, begun } = traffic({ slots: 4 });
    await flood('a', 3);
    await flood('b', 1);
    void call('a', { name: 'a waits' });
    void call('b', { name: 'b waits' });
    void call('c');
    await settled();
    expect(begun).toEqual(['a', 'a', 'a', 'b']);
    await end('a');
    await end('a');
    expect(begun.slice(4)).toEqual(['c', 'b waits']);
  });

  it('rotate among equals, and within a tenant go to the longest waiting call', async () => {
    const { call, end, begun } = traffic({ slots: 1 });
    void call('x');
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void call(name[0]!, { name });
    await settled();
    for (let i = 0; i < 6; i++) await end();
    expect(begun).toEqual(['x', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('are never more than there are, and none is lost, whatever comes and goes', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('call' as const), tenant: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({ do: fc.constant('end' as const) }),
      fc.record({ do: fc.constant('fail' as const) }),
      fc.record({ do: fc.constant('abandon' as const), nth: fc.nat(20) }),
    );
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 1, max: 6 }),
      async (steps, slots) => {
        const { call, end, total, begun } = traffic({ slots });
        const runs: { abort: AbortController; outcome: Promise<unknown> }[] = [];
        for (const one of steps) {
          if (one.do === 'call') {
            const abort = new AbortController();
            runs.push({ abort, outcome: call(one.tenant, { signal: abort.signal }).catch((error) => error) });
          }
          if (one.do === 'end' && total() > 0) await end();
          if (one.do === 'fail' && total() > 0) await end(undefined, new Error('upstream'));
          if (one.do === 'abandon') runs[one.nth]?.abort.abort();
          await settled();
          expect(total()).toBeLessThanOrEqual(slots);
        }
        while (total() > 0) await end();
        await Promise.all(runs.map(({ outcome }) => outcome));
        // All slots are free again: as many calls as at the beginning can start.
        const before = begun.length;
        const fresh = Array.from({ length: slots }, (_, index) => call(`fresh ${index}`));
        await settled();
        expect(begun.length - before).toBe(slots);
        while (total() > 0) await end();
        await Promise.all(fresh);
      },
    );
    await fc.assert(property, { numRuns: 100 });
  });
});

describe('waiting', () => {
  it('is for 4000 calls of a single tenant; the next is a rate_limit', async () => {
    const { flood, call } = traffic();
    await flood('a', 192 + 4000);
    await expect(call('a')).rejects.toMatchObject({ code: 'rate_limit', status: 429 });
    await expect(call('a')).rejects.toBeInstanceOf(AppError);
  });

  it('has room for a new tenant beside floods', async () => {
    const { flood, call, end, begun } = traffic({ slots: 1, maxWaiting: 1000 });
    void call('first');
    for (let greedy = 0; greedy < 10; greedy++) await flood(`${greedy}`, 500);
    void call('new tenant').catch(() => expect.unreachable('there was no room'));
    for (let i = 0; i < 11; i++) await end();
    expect(begun).toContain('new tenant');
  });

  it('ends with its signal: the call is not made, and its place is free', async () => {
    const { call, end, begun } = traffic({ slots: 1, maxWaiting: 4 });
    const run = new AbortController();
    void call('a');
    const waiting = call('a', { name: 'abandoned', signal: run.signal });
    await expect(call('a')).rejects.toMatchObject({ code: 'rate_limit' });
    run.abort(new Error('the run is over'));
    await expect(waiting).rejects.toThrow('the run is over');
    const next = call('a', { name: 'next' });
    await settled();
    await end();
    await end();
    await next;
    expect(begun).toEqual(['a', 'next']);
  });
});

describe('the live engine', () => {
  const upstream = useFakeUpstream();

  it('has 192 calls of one tenant in flight at once: no connection pool limits it', async () => {
    upstream.fake.otherwise(gather(192));
    const engine = upstream.engine();
    const calls = Array.from({ length: 192 }, () => engine.translate(plain, { tenantId: 'a' }));
    await Promise.all(calls);
    expect(upstream.fake.peak).toBe(192);
  });

  it('holds no slot while it waits before a retry', async () => {
    const slept = Promise.withResolvers<void>();
    upstream.fake.enqueue(failure(429, {}, { 'retry-after': '30' }));
    upstream.fake.otherwise(agreeable);
    const engine = upstream.engine(
      {},
      { concurrencyLimit: createConcurrencyLimit({ slots: 1 }), sleep: () => slept.promise },
    );
    const first = engine.translate(plain, { tenantId: 'a' });
    // This call has the only slot while the first call waits before its retry.
    await engine.translate(plain, { tenantId: 'b' });
    expect(upstream.fake.requests).toHaveLength(2);
    slept.resolve();
    await first;
    expect(upstream.fake.requests).toHaveLength(3);
  });
});
