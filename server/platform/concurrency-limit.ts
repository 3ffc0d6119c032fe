import { AppError } from '#server/errors.ts';

/**
 * Maximum concurrent model calls of one process. One tenant may use three quarters of them, 192. That is enough for
 * 64 jobs with three models each (`candidate_models`).
 */
const slotsOfProcess = 256;

/** Maximum queued calls, over all tenants. One tenant may have a quarter of them. */
const maxWaitingCalls = 16_000;

/** The tenant for which a call is made, and a signal that ends the wait for a slot. */
export interface SlotScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

/** Thrown if too many calls are already waiting for a slot. The call has not begun. */
export class SaturatedError extends AppError {
  constructor(refusal: string) {
    super('rate_limit', refusal);
  }
}

/** Limits concurrent calls, and shares the slots fairly among tenants. */
export interface ConcurrencyLimit {
  /**
   * Waits for a slot, runs `call`, and frees the slot when `call` has ended.
   *
   * @throws {SaturatedError} if too many calls already wait; the reason of the signal if it aborts during the wait
   */
  run<T>(scope: SlotScope, call: () => Promise<T>): Promise<T>;
  /** Returns the numbers of running and waiting calls, over all tenants. */
  counts(): { running: number; waiting: number };
}

interface Tenant {
  running: number;
  /** Callbacks that start the tenant's waiting calls. The call that has waited longest is first. */
  waiting: Set<() => void>;
}

/**
 * Creates a limit that shares its slots among tenants. A tenant gets a slot only while it holds fewer than three
 * times the number of free slots (dynamic thresholds, Choudhury and Hahne 1998). One busy tenant gets three quarters
 * of all slots, two get three sevenths each; with any number of tenants, some slots stay free for the next one. The
 * same rule limits waiting calls. A free slot goes to the tenant with the fewest running calls; among equal tenants,
 * each gets a slot in turn. Within a tenant, it goes to the call that has waited longest.
 */
export function createConcurrencyLimit({
  slots = slotsOfProcess,
  maxWaiting = maxWaitingCalls,
  /** Maximum slots of one tenant, if it is lower than the tenant's share. */
  slotsOfTenant = Number.POSITIVE_INFINITY,
  refusal = 'translation capacity is saturated; try again later',
} = {}): ConcurrencyLimit {
  const tenants = new Map<string, Tenant>();
  /**
   * Tenants with waiting calls, by the number of their running calls. In each set, the tenant that gets the next slot
   * is first.
   */
  const queues = Array.from({ length: slots + 1 }, () => new Set<Tenant>());
  let freeSlots = slots;
  let waitingLeft = maxWaiting;

  const mayStart = (tenant: Tenant) => tenant.running < Math.min(3 * freeSlots, slotsOfTenant);
  const mayWait = (tenant: Tenant) => tenant.waiting.size < waitingLeft / 3;

  /**
   * Records that a call of the tenant has begun (1) or ended (-1), and puts the tenant behind tenants with the same
   * number of running calls.
   */
  function count(id: string, tenant: Tenant, change: 1 | -1): void {
    queues[tenant.running]!.delete(tenant);
    tenant.running += change;
    freeSlots -= change;
    requeue(id, tenant);
  }

  /** Adds the tenant to its queue if it has waiting calls. Forgets the tenant if it has no calls at all. */
  function requeue(id: string, tenant: Tenant): void {
    const queue = queues[tenant.running]!;
    if (tenant.waiting.size > 0) queue.add(tenant);
    else queue.delete(tenant);
    if (tenant.waiting.size === 0 && tenant.running === 0) tenants.delete(id);
    else tenants.set(id, tenant);
  }

  /**
   * Starts waiting calls while slots are free. If the first tenant in the queues may not start a call, no tenant may,
   * because all others hold at least as many slots.
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
