import { SandboxError } from './sandbox-error.ts';

/** The tenant for which a task runs, and a signal that aborts the task, even if it is still queued. */
export interface TaskScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

export interface TaskQueueOptions {
  /** Maximum concurrent tasks. */
  slots: number;
  /** Maximum queued tasks, over all tenants. */
  maxWaiting: number;
}

/** A task that waits for a slot. */
interface Waiting {
  start(): void;
  /** Whether the task may take long and its tenant has not yet completed a comparable task. */
  isUnproven: boolean;
  since: number;
}

interface Tenant {
  running: number;
  /** The number of the tenant's running tasks that were unproven when they started. */
  runningUnproven: number;
  /** The tenant's queued tasks; the one that has waited longest is first. */
  waiting: Set<Waiting>;
}

/**
 * Milliseconds after which an unproven task is treated like a proven one, so that tenants with completed tasks cannot
 * lock out a new tenant.
 */
const maxUnprovenWaitMs = 10_000;

const saturated = 'too many files are being processed; try again later';

/**
 * Shares the slots of a queue among tenants. A tenant may use all slots except one, even when no other tenant is
 * waiting, because a running task cannot be stopped for a later one. A free slot goes to the tenant with the fewest
 * running tasks, and among several such tenants to each in turn. Within a tenant, it goes to the task that has waited
 * longest. Unproven tasks come after proven ones until they have waited for ten seconds; tasks of deferred tenants
 * come last. Unproven tasks and tasks of deferred tenants together may use all slots except one.
 *
 * The number of queued tasks of a tenant is limited to a third of the remaining room in the queue. A single tenant
 * thus gets a quarter of the queue, which leaves room for the next tenant.
 */
export class TaskQueue {
  readonly #slots: number;
  readonly #isDeferred: (tenantId: string) => boolean;
  /** The tenants with running or queued tasks. The tenant whose last task started longest ago is first. */
  readonly #tenants = new Map<string, Tenant>();
  #freeSlots: number;
  #waitingLeft: number;

  constructor(
    { slots, maxWaiting }: TaskQueueOptions,
    isDeferred: (tenantId: string) => boolean = () => false,
  ) {
    this.#slots = slots;
    this.#freeSlots = slots;
    this.#waitingLeft = maxWaiting;
    this.#isDeferred = isDeferred;
  }

  /** The numbers of running and queued tasks. */
  get counts(): { running: number; waiting: number } {
    let waiting = 0;
    for (const tenant of this.#tenants.values()) waiting += tenant.waiting.size;
    return { running: this.#slots - this.#freeSlots, waiting };
  }

  /**
   * Waits for a slot for the tenant and runs a task.
   *
   * @param isUnproven returns whether the task may take long and its tenant has not yet completed a comparable task
   * @throws {SandboxError} `busy` if too many tasks are queued; the signal's reason if it aborts while the task is
   * queued
   */
  async run<T>(
    { tenantId, signal }: TaskScope,
    task: () => Promise<T>,
    isUnproven: () => boolean = () => false,
  ): Promise<T> {
    signal?.throwIfAborted();
    const tenant = this.#tenants.get(tenantId) ?? { running: 0, runningUnproven: 0, waiting: new Set() };
    this.#tenants.set(tenantId, tenant);
    let wasUnproven = false;
    try {
      wasUnproven = await this.#takeSlot(tenant, signal, isUnproven);
    } catch (error) {
      this.#forget(tenantId, tenant);
      throw error;
    }
    this.#moveBack(tenantId, tenant);
    try {
      return await task();
    } finally {
      tenant.running--;
      if (wasUnproven) tenant.runningUnproven--;
      this.#freeSlots++;
      this.#forget(tenantId, tenant);
      this.#startQueued();
    }
  }

  /** Waits for a slot. Returns whether the task was unproven when it got the slot. */
  async #takeSlot(
    tenant: Tenant,
    signal: AbortSignal | undefined,
    isUnproven: () => boolean,
  ): Promise<boolean> {
    if (tenant.waiting.size >= this.#waitingLeft / 3) throw new SandboxError('busy', saturated);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const leave = (): void => {
      signal?.removeEventListener('abort', abandon);
      tenant.waiting.delete(waiting);
      this.#waitingLeft++;
    };
    const waiting: Waiting = {
      since: performance.now(),
      // A getter, because the result may change while the task is queued: an earlier task of the tenant may complete.
      get isUnproven() {
        return isUnproven();
      },
      start: () => {
        const wasUnproven = isUnproven();
        leave();
        tenant.running++;
        if (wasUnproven) tenant.runningUnproven++;
        this.#freeSlots--;
        resolve(wasUnproven);
      },
    };
    const abandon = (): void => {
      leave();
      reject(signal?.reason);
    };
    tenant.waiting.add(waiting);
    this.#waitingLeft--;
    signal?.addEventListener('abort', abandon, { once: true });
    this.#startQueued();
    return await promise;
  }

  #startQueued(): void {
    while (this.#freeSlots > 0) {
      const next = this.#next();
      if (!next) return;
      const [waiting] = next.waiting;
      waiting!.start();
    }
  }

  /** Returns the tenant whose task starts next; undefined if no task may start. */
  #next(): Tenant | undefined {
    const maxSlots = Math.max(1, this.#slots - 1);
    let first: Tenant | undefined;
    let firstRank = Number.POSITIVE_INFINITY;
    let restricted = 0;
    for (const [tenantId, { running, runningUnproven }] of this.#tenants)
      restricted += running > 0 && this.#isDeferred(tenantId) ? running : runningUnproven;
    for (const [tenantId, tenant] of this.#tenants) {
      const [waiting] = tenant.waiting;
      if (!waiting || tenant.running >= maxSlots) continue;
      const isDeferred = this.#isDeferred(tenantId);
      const { isUnproven } = waiting;
      if ((isDeferred || isUnproven) && restricted >= maxSlots) continue;
      const isNew = isUnproven && performance.now() - waiting.since < maxUnprovenWaitMs;
      const rank = tenant.running + this.#slots * (isDeferred ? 2 : isNew ? 1 : 0);
      if (rank >= firstRank) continue;
      first = tenant;
      firstRank = rank;
    }
    return first;
  }

  #moveBack(tenantId: string, tenant: Tenant): void {
    this.#tenants.delete(tenantId);
    this.#tenants.set(tenantId, tenant);
  }

  #forget(tenantId: string, tenant: Tenant): void {
    if (tenant.running === 0 && tenant.waiting.size === 0) this.#tenants.delete(tenantId);
  }
}

/**
 * Milliseconds for which a tenant is deferred after an expensive file. Equals the CPU time limit of the longest task.
 */
const deferralMs = 60_000;
/** Maximum milliseconds for which a tenant is deferred after several expensive files. */
const maxDeferralMs = 600_000;
/** Maximum tenants that are remembered. When there are more, the least recent one is removed. */
const maxTenants = 10_000;

/**
 * Tenants that have recently sent an expensive file: one that was rejected as too large, exceeded its time or memory,
 * or was abandoned by its sender while it was read. These tenants get a slot only after all others. They are
 * remembered only in the memory of this process.
 */
export class DeferredTenants {
  /** For each tenant, the end of its deferral in milliseconds of the clock. */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  /** @param now returns the milliseconds of a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  has(tenantId: string): boolean {
    const until = this.#until.get(tenantId);
    if (until === undefined) return false;
    if (until > this.#now()) return true;
    this.#until.delete(tenantId);
    return false;
  }

  /**
   * Defers a tenant after an expensive or abandoned file.
   *
   * @param share the part of the CPU time limit that the task has used; more than 1 counts as 1
   */
  add(tenantId: string, share = 1): void {
    const now = this.#now();
    const from = Math.max(now, this.#until.get(tenantId) ?? 0);
    this.#until.delete(tenantId);
    this.#until.set(tenantId, Math.min(from + deferralMs * Math.min(share, 1), now + maxDeferralMs));
    const [oldest] = this.#until.keys();
    if (this.#until.size > maxTenants) this.#until.delete(oldest!);
  }
}

/**
 * A file with at most this CPU time limit, in milliseconds, counts as proven for every tenant. It is the limit of
 * small files.
 */
const exemptCpuMs = 10_000;
/**
 * The factor by which the CPU time limit of a tenant's next file may exceed the largest limit of the tenant's
 * completed files.
 */
const growth = 4;

/**
 * For each tenant, the largest CPU time limit of its completed files. A tenant without completed files, or with a
 * much larger file than before, is not suspicious but unproven. The tenants are remembered only in the memory of this
 * process.
 */
export class ProvenTenants {
  readonly #cpuMs = new Map<string, number>();

  /**
   * Whether a file with this CPU time limit, in milliseconds, is much larger than all files that the tenant has
   * completed.
   */
  isUnproven(tenantId: string, cpuMs: number): boolean {
    return cpuMs > Math.max(exemptCpuMs, growth * (this.#cpuMs.get(tenantId) ?? 0));
  }

  /** Call it after a file with this CPU time limit, in milliseconds, has been read. */
  add(tenantId: string, cpuMs: number): void {
    const largest = Math.max(cpuMs, this.#cpuMs.get(tenantId) ?? 0);
    this.#cpuMs.delete(tenantId);
    this.#cpuMs.set(tenantId, largest);
    const [oldest] = this.#cpuMs.keys();
    if (this.#cpuMs.size > maxTenants) this.#cpuMs.delete(oldest!);
  }

  /** Makes the tenant unproven again. Call it after a file has used its whole budget. */
  remove(tenantId: string): void {
    this.#cpuMs.delete(tenantId);
  }
}
