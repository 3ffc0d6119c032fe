import { setImmediate, setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createExports, type ExportLimits, type ExportSlot } from '#server/http/exports.ts';
import { poll } from '#test/setup/poll.ts';

const make = (bounds: Partial<ExportLimits>) =>
  createExports({
    ...{ slots: 8, slotsOfTenant: 4, slowest: 0, window: 60_000 },
    ...{ slowestWanted: 100_000, windowWanted: 200, oldest: 60_000 },
    ...bounds,
  });

/** An endless sequence of pieces of one kilobyte. */
async function* pieces(): AsyncGenerator<string, void> {
  for (;;) {
    await setImmediate();
    yield 'x'.repeat(1000);
  }
}

/** A reader that has read one piece, and reads no more. */
async function stop(slot: ExportSlot): Promise<ExportSlot> {
  await slot.measured(pieces()).next();
  return slot;
}

/** Reads until `goOn` returns false. */
async function read(slot: ExportSlot, goOn: () => boolean): Promise<void> {
  for await (const _piece of slot.measured(pieces())) if (!goOn()) return;
}

test('a tenant has at most four exports at once; the fifth waits for one of them to end', async () => {
  const { begin } = make({ slowestWanted: 0 });
  const slots = await Promise.all(['a', 'a', 'a', 'a'].map((tenantId) => begin({ tenantId })));
  let fifth: ExportSlot | undefined;
  const waiting = begin({ tenantId: 'a' }).then((slot) => {
    fifth = slot;
  });
  await (await begin({ tenantId: 'b' })).end();
  expect(fifth).toBeUndefined();
  slots[2]?.end();
  await waiting;
  expect(fifth).toBeDefined();
});

test('if others wait for a place the slowest export is aborted', async () => {
  const { begin } = make({ slots: 4, slotsOfTenant: 2 });
  const slots: ExportSlot[] = [];
  for (const tenantId of ['a', 'b', 'c']) slots.push(await stop(await begin({ tenantId })));
  const fast = await begin({ tenantId: 'd' });
  let done = false;
  const reading = read(fast, () => !done);
  for (const slot of slots) slot.cut.addEventListener('abort', () => slot.end());
  const others = await Promise.all([begin({ tenantId: 'e' }), begin({ tenantId: 'f' })]);
  expect(others).toHaveLength(2);
  expect(slots.filter(({ cut }) => cut.aborted).length).toBeGreaterThanOrEqual(2);
  expect(fast.cut.aborted).toBe(false);
  done = true;
  await reading;
});

test('if a tenant’s own exports block it, one of those is aborted, and nobody else’s', async () => {
  const { begin } = make({ slotsOfTenant: 2, slowest: 1000 });
  const other = await stop(await begin({ tenantId: 'b' }));
  const own = [await stop(await begin({ tenantId: 'a' })), await stop(await begin({ tenantId: 'a' }))];
  for (const slot of own) slot.cut.addEventListener('abort', () => slot.end());
  await begin({ tenantId: 'a' });
  expect(own.filter(({ cut }) => cut.aborted)).toHaveLength(1);
  expect(other.cut.aborted).toBe(false);
});

/** Reads at most one kilobyte every 50 ms. This is slower than allowed while other readers wait. */
async function trickle(slot: ExportSlot, goOn: () => boolean): Promise<void> {
  for await (const _piece of slot.measured(pieces())) {
    if (!goOn()) return;
    await setTimeout(50);
  }
}

test('a tenant’s slow exports do not abort each other; one more waits', async () => {
  const { begin } = make({ slotsOfTenant: 2, slowest: 10 });
  const own = [await begin({ tenantId: 'a' }), await begin({ tenantId: 'a' })];
  let done = false;
  const reading = own.map((slot) => trickle(slot, () => !done));
  const third = begin({ tenantId: 'a' });
  // The window is longer than the time that a reader has while another tenant waits.
  const witness = make({ slowest: 100_000, window: 1500 });
  const still = await stop(await witness.begin({ tenantId: 'b' }));
  await poll(async () => still.cut.aborted);
  expect(own.map(({ cut }) => cut.aborted)).toEqual([false, false]);
  done = true;
  await Promise.all(reading);
  own[0]?.end();
  (await third).end();
});

test('a tenant with more exports aborts none of a tenant with as many or fewer', async () => {
  const { begin } = make({ slots: 4 });
  const only = await stop(await begin({ tenantId: 'b' }));
  const many = [await stop(await begin({ tenantId: 'a' })), await stop(await begin({ tenantId: 'a' }))];
  const gone = new AbortController();
  const waiting = [1, 2].map(() => begin({ tenantId: 'a', signal: gone.signal }).catch(() => {}));
  const witness = make({ slowest: 100_000, window: 1500 });
  const still = await stop(await witness.begin({ tenantId: 'c' }));
  await poll(async () => still.cut.aborted);
  expect([only, ...many].map(({ cut }) => cut.aborted)).toEqual([false, false, false]);
  gone.abort(new Error('gone'));
  await Promise.all(waiting);
});

test('an export that is read too slowly is aborted even if nobody waits', async () => {
  const { begin } = make({ slowest: 100_000, window: 300 });
  const slow = await stop(await begin({ tenantId: 'a' }));
  await poll(async () => slow.cut.aborted);
});

test('the service’s own time for a piece does not count against the reader', async () => {
  const { begin } = make({ slowest: 100_000, window: 100 });
  const watched = await stop(await begin({ tenantId: 'a' }));
  const patient = await begin({ tenantId: 'b' });
  let give: (() => void) | undefined;
  async function* slowly(): AsyncGenerator<string, void> {
    yield 'x';
    await new Promise<void>((resolve) => {
      give = resolve;
    });
    yield 'y';
  }
  const paced = patient.measured(slowly());
  await paced.next();
  const next = paced.next();
  // A reader that reads nothing in this time is aborted.
  await poll(async () => watched.cut.aborted);
  expect(patient.cut.aborted).toBe(false);
  give?.();
  expect((await next).value).toBe('y');
});

test('an export is aborted at a maximum age', async () => {
  const { begin } = make({ oldest: 300 });
  const slot = await begin({ tenantId: 'a' });
  const reading = read(slot, () => !slot.cut.aborted);
  await reading;
  expect(slot.cut.aborted).toBe(true);
});

test('a waiter that gives up leaves nothing behind', async () => {
  const { begin } = make({ slotsOfTenant: 1 });
  const first = await stop(await begin({ tenantId: 'a' }));
  const gone = new AbortController();
  const waiting = begin({ tenantId: 'a', signal: gone.signal });
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  // The window is longer than the time that a reader has while any other reader waits.
  const second = make({ slowest: 100_000, window: 1500 });
  const witness = await stop(await second.begin({ tenantId: 'b' }));
  await poll(async () => witness.cut.aborted);
  expect(first.cut.aborted).toBe(false);
});
