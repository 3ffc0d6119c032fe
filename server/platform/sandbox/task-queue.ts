import { SandboxError } from './sandbox-error.ts';

/** The tenant that a task runs for, and a signal that aborts it or its waiting. */
export interface TaskScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

export interface TaskQueueOptions {
  /** Tasks that run at a time. */
  slots: number;
  /** Tasks that may wait, all tenants together. */
  maxWaiting: number;
}

/** A task that waits for a slot. */
interface Waiting {
  start(): void;
  /** Whether it may take long and its tenant has shown nothing like it yet. */
  isUnproven: boolean;
  since: number;
}

interface Tenant {
  running: number;
  /** How many of those were unproven when they started. */
  runningUnproven: number;
  /** The longest waiting first. */
  waiting: Set<Waiting>;
}

/** Milliseconds after which an unproven task goes with the others, so that tenants with a history cannot keep a new one out. */
const longestUnproven = 10_000;

const saturated = 'too many files are being processed; try again later';

/**
 * Shares the slots of a queue among tenants. A tenant may use all slots but one, even when no other tenant is waiting: a
 * running task cannot be stopped for one that comes later. A free slot goes to the tenant with the fewest running tasks,
 * round-robin among equals, and within a tenant to the task that has waited longest. Unproven tasks come after the
 * others for ten seconds, and deferred tenants after all; together these two may use all slots but one.
 *
 * A tenant may have a third as many waiting tasks as the queue could still take. Alone it gets a quarter of the queue, so
 * that the next tenant can wait, too.
 */
export class TaskQueue {
  readonly #slots: number;
  readonly #isDeferred: (tenantId: string) => boolean;
  /** The tenant whose last task started longest ago is first. */
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

  /** The numbers of running and of waiting tasks. */
  get counts(): { running: number; waiting: number } {
    let waiting = 0;
    for (const tenant of this.#tenants.values()) waiting += tenant.waiting.size;
    return { running: this.#slots - this.#freeSlots, waiting };
  }

  /**
   * Runs a task when its tenant gets a slot.
   *
   * @param isUnproven whether it may take long and its tenant has shown nothing like it yet
   * @throws {SandboxError} `busy` where too many tasks wait; the signal's reason where it is aborted while waiting
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
      this.#handOut();
    }
  }

  /** Returns whether the task was unproven when it got its slot. */
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
      // An earlier task of the tenant may have shown it by the time that this one is next.
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
    this.#handOut();
    return await promise;
  }

  #handOut(): void {
    while (this.#freeSlots > 0) {
      const next = this.#next();
      if (!next) return;
      const [waiting] = next.waiting;
      waiting!.start();
    }
  }

  /** The tenant whose task starts next; undefined where none may. */
  #next(): Tenant | undefined {
    const most = Math.max(1, this.#slots - 1);
    let first: Tenant | undefined;
    let firstRank = Number.POSITIVE_INFINITY;
    let restricted = 0;
    for (const [tenantId, { running, runningUnproven }] of this.#tenants)
      restricted += running > 0 && this.#isDeferred(tenantId) ? running : runningUnproven;
    for (const [tenantId, tenant] of this.#tenants) {
      const [waiting] = tenant.waiting;
      if (!waiting || tenant.running >= most) continue;
      const isDeferred = this.#isDeferred(tenantId);
      const { isUnproven } = waiting;
      if ((isDeferred || isUnproven) && restricted >= most) continue;
      const isNew = isUnproven && performance.now() - waiting.since < longestUnproven;
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

/** Milliseconds for which a tenant is deferred after an expensive file: the CPU time of the longest task. */
const forMs = 60_000;
/** Milliseconds for which a tenant is deferred at most, after several such files. */
const mostMs = 600_000;
/** Tenants that are remembered; the least recent is forgotten first. */
const mostTenants = 10_000;

/**
 * Tenants with expensive files: recently one was refused as too large, exceeded its time or memory, or was abandoned by its
 * sender while it was being read. They get a slot after all others. Kept in the memory of this process.
 */
export class DeferredTenants {
  /** When the deferral of each tenant ends, by the clock. */
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
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
   * @param share the part of its CPU time limit that the task used; 1 or more counts as all of it
   */
  add(tenantId: string, share = 1): void {
    const now = this.#now();
    const from = Math.max(now, this.#until.get(tenantId) ?? 0);
    this.#until.delete(tenantId);
    this.#until.set(tenantId, Math.min(from + forMs * Math.min(share, 1), now + mostMs));
    const [oldest] = this.#until.keys();
    if (this.#until.size > mostTenants) this.#until.delete(oldest!);
  }
}

/** Milliseconds of CPU time up to which a file needs no history of its tenant: those of small files. */
const freeCpuMs = 10_000;
/** How much longer than its files so far a tenant's next file may take. */
const growth = 4;

/**
 * What the files of each tenant have shown: the CPU time of the largest that was read. A tenant without any, or with a file far larger, is not
 * suspicious, but nothing speaks for it yet. Kept in the memory of this process.
 */
export class ProvenTenants {
  readonly #cpuMs = new Map<string, number>();

  /** Whether a file with this limit of CPU time is out of proportion to what the tenant has shown. */
  isUnproven(tenantId: string, cpuMs: number): boolean {
    return cpuMs > Math.max(freeCpuMs, growth * (this.#cpuMs.get(tenantId) ?? 0));
  }

  /** A file with this limit was read. */
  add(tenantId: string, cpuMs: number): void {
    const most = Math.max(cpuMs, this.#cpuMs.get(tenantId) ?? 0);
    this.#cpuMs.delete(tenantId);
    this.#cpuMs.set(tenantId, most);
    const [oldest] = this.#cpuMs.keys();
    if (this.#cpuMs.size > mostTenants) this.#cpuMs.delete(oldest!);
  }

  /** A file cost all that it may: the history is void. */
  remove(tenantId: string): void {
    this.#cpuMs.delete(tenantId);
  }
}
