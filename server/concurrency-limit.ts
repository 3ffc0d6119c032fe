import { AppError } from './errors.ts';

/**
 * Upstream calls under way in one process. Three quarters of them are 192: 64 jobs of one tenant that ask three models
 * each at once (`candidate_models`) wait for nothing.
 */
const slotsOfProcess = 256;

/** Calls that wait for a slot, all tenants together; one tenant alone may have a quarter of them. */
const placesOfProcess = 16_000;

/** For whom a call is made, and what ends its waiting. */
export interface SlotScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

/** Too many wait for a slot already: what was to be done has not begun. */
export class SaturatedError extends AppError {
  constructor(refusal: string) {
    super('rate_limit', refusal);
  }
}

/** Bounds what is under way, and shares it among tenants. */
export interface ConcurrencyLimit {
  /**
   * Makes the call in a slot, once there is one for this tenant, and gives the slot back when the call has ended.
   * @throws AppError rate_limit where too many calls wait already; the signal's reason where it goes off while waiting
   */
  run<T>(scope: SlotScope, call: () => Promise<T>): Promise<T>;
}

interface Tenant {
  underWay: number;
  /** What lets a waiting call go on, the longest waiting first. */
  waiting: Set<() => void>;
}

/**
 * A tenant takes a slot only while it holds fewer than three times the slots that are free (dynamic thresholds, Choudhury
 * and Hahne 1998). Alone it comes to three quarters; two floods come
 * to three sevenths each; and however many there are, as their calls end a slot comes to lie free for whoever comes
 * next. The places to wait in are shared by the same rule.
 *
 * A slot that comes free goes to the tenant with the fewest calls under way, among equals by turns; within a tenant
 * to the call that has waited longest.
 */
export function createConcurrencyLimit({
  slots = slotsOfProcess,
  places = placesOfProcess,
  /** Slots that one tenant may hold, where that is fewer than its share. */
  slotsOfTenant = Number.POSITIVE_INFINITY,
  refusal = 'translation capacity is saturated; try again later',
} = {}): ConcurrencyLimit {
  const tenants = new Map<string, Tenant>();
  /** Tenants with waiting calls by the number of their calls under way; among equals whose turn it is stands first. */
  const queues = Array.from({ length: slots + 1 }, () => new Set<Tenant>());
  let freeSlots = slots;
  let freePlaces = places;

  const mayStart = (tenant: Tenant) => tenant.underWay < Math.min(3 * freeSlots, slotsOfTenant);
  const mayWait = (tenant: Tenant) => tenant.waiting.size < freePlaces / 3;

  /** Counts a call of the tenant as begun (1) or ended (-1); either way the tenant's turn is over. */
  function count(id: string, tenant: Tenant, change: 1 | -1): void {
    queues[tenant.underWay]!.delete(tenant);
    tenant.underWay += change;
    freeSlots -= change;
    settle(id, tenant);
  }

  /** Puts the tenant where its numbers say: in the queue, at rest, or out of memory. */
  function settle(id: string, tenant: Tenant): void {
    const queue = queues[tenant.underWay]!;
    if (tenant.waiting.size > 0) queue.add(tenant);
    else queue.delete(tenant);
    if (tenant.waiting.size === 0 && tenant.underWay === 0) tenants.delete(id);
    else tenants.set(id, tenant);
  }

  /** Where the first in line may not start, nobody may: all others hold as many slots or more. */
  function handOut(): void {
    for (let tenant = firstInLine(); tenant && mayStart(tenant); tenant = firstInLine()) {
      const [goOn] = tenant.waiting;
      goOn!();
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
        tenant.waiting.delete(goOn);
        freePlaces += 1;
      };
      const goOn = (): void => {
        leave();
        count(tenantId, tenant, 1);
        resolve();
      };
      const abandon = (): void => {
        leave();
        settle(tenantId, tenant);
        reject(signal?.reason);
      };
      tenant.waiting.add(goOn);
      freePlaces -= 1;
      settle(tenantId, tenant);
      signal?.addEventListener('abort', abandon, { once: true });
    });
  }

  return {
    async run(scope, call) {
      const tenant = tenants.get(scope.tenantId) ?? { underWay: 0, waiting: new Set() };
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
