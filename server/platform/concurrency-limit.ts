import { AppError } from '#server/errors.ts';

/**
 * Concurrent model calls of one process. One tenant may have three quarters of them, 192: 64 jobs with three models each
 * (`candidate_models`) do not have to wait.
 */
const slotsOfProcess = 256;

/** The maximum number of queued calls of all tenants; one tenant may have a quarter of them. */
const maxWaitingCalls = 16_000;

/** The tenant that a call is made for, and a signal that aborts its waiting. */
export interface SlotScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

/** Too many calls are already waiting for a slot. The call has not begun. */
export class SaturatedError extends AppError {
  constructor(refusal: string) {
    super('rate_limit', refusal);
  }
}

/** Limits concurrent calls, and shares the slots fairly among tenants. */
export interface ConcurrencyLimit {
  /**
   * Waits for a slot, makes the call, and frees the slot when the call has ended.
   *
   * @throws {SaturatedError} if too many calls already wait; the signal's reason if it aborts while waiting
   */
  run<T>(scope: SlotScope, call: () => Promise<T>): Promise<T>;
  /** The numbers of running and waiting calls, of all tenants. */
  counts(): { running: number; waiting: number };
}

interface Tenant {
  running: number;
  /** Callbacks that start a waiting call, the longest waiting first. */
  waiting: Set<() => void>;
}

/**
 * A tenant takes a slot only while it holds fewer than three times the free slots (dynamic thresholds, Choudhury and Hahne
 * 1998). One busy tenant gets three quarters of all slots, two get three sevenths each; and however many there are, some
 * slots stay free for the next tenant. The same rule limits waiting calls.
 *
 * A free slot goes to the tenant with the fewest running calls, round-robin among equals, and within a tenant to the call
 * that has waited longest.
 */
export function createConcurrencyLimit({
  slots = slotsOfProcess,
  maxWaiting = maxWaitingCalls,
  /** Maximum slots of one tenant, if lower than its share. */
  slotsOfTenant = Number.POSITIVE_INFINITY,
  refusal = 'translation capacity is saturated; try again later',
} = {}): ConcurrencyLimit {
  const tenants = new Map<string, Tenant>();
  /** Tenants with waiting calls, by the number of their running calls; the next to get a slot is first. */
  const queues = Array.from({ length: slots + 1 }, () => new Set<Tenant>());
  let freeSlots = slots;
  let waitingLeft = maxWaiting;

  const mayStart = (tenant: Tenant) => tenant.running < Math.min(3 * freeSlots, slotsOfTenant);
  const mayWait = (tenant: Tenant) => tenant.waiting.size < waitingLeft / 3;

  /** Counts a call of the tenant as begun (1) or ended (-1), and moves the tenant behind its equals. */
  function count(id: string, tenant: Tenant, change: 1 | -1): void {
    queues[tenant.running]!.delete(tenant);
    tenant.running += change;
    freeSlots -= change;
    requeue(id, tenant);
  }

  /** Queues the tenant if it has waiting calls; forgets it if it has no calls at all. */
  function requeue(id: string, tenant: Tenant): void {
    const queue = queues[tenant.running]!;
    if (tenant.waiting.size > 0) queue.add(tenant);
    else queue.delete(tenant);
    if (tenant.waiting.size === 0 && tenant.running === 0) tenants.delete(id);
    else tenants.set(id, tenant);
  }

  /**
   * Starts waiting calls while slots are free. If the first tenant may not start a call, none may: all others hold at
   * least as many slots.
   */
  function handOut(): void {
    for (let tenant = firstInLine(); tenant && mayStart(tenant); tenant = firstInLine()) {
      const [start] = tenant.waiting;
      start!();
    }
  }

  function firstInLine(): Tenant | undefined {
    for (const queue of queues) for (const tenant of queue) return tenant;
    return undefined;
  }

  async function takeSlot({ tenantId, signal }: SlotScope, tenant: Tenant): Promise<void> {
    signal?.throwIfAborted();
    if (tenant.waiting.size === 0 && mayStart(tenant)) {
      count(tenantId, tenant, 1);
      return;
    }
    if (!mayWait(tenant)) throw new SaturatedError(refusal);
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        signal?.removeEventListener('abort', abandon);
        tenant.waiting.delete(start);
        waitingLeft += 1;
      };
      const start = (): void => {
        leave();
        count(tenantId, tenant, 1);
        resolve();
      };
      const abandon = (): void => {
        leave();
        requeue(tenantId, tenant);
        reject(signal?.reason);
      };
      tenant.waiting.add(start);
      waitingLeft -= 1;
      requeue(tenantId, tenant);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  return {
    counts: () => ({ running: slots - freeSlots, waiting: maxWaiting - waitingLeft }),
    async run(scope, call) {
      const tenant = tenants.get(scope.tenantId) ?? { running: 0, waiting: new Set() };
      await takeSlot(scope, tenant);
      try {
        return await call();
      } finally {
        count(scope.tenantId, tenant, -1);
        handOut();
      }
    },
  };
}
