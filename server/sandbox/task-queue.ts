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

interface Tenant {
  running: number;
  /** Callbacks that start a waiting task, the longest waiting first. */
  waiting: Set<() => void>;
}

const saturated = 'too many files are being processed; try again later';

/**
 * Shares the slots of a queue among tenants. A tenant may use all slots but one, even when no other tenant is waiting: a
 * running task cannot be stopped for one that comes later. A free slot goes to the tenant with the fewest running tasks,
 * round-robin among equals, and within a tenant to the task that has waited longest. Deferred tenants come after all
 * others, and together may use all slots but one.
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
   * @throws {SandboxError} `busy` where too many tasks wait; the signal's reason where it is aborted while waiting
   */
  async run<T>({ tenantId, signal }: TaskScope, task: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const tenant = this.#tenants.get(tenantId) ?? { running: 0, waiting: new Set() };
    this.#tenants.set(tenantId, tenant);
    try {
      await this.#takeSlot(tenant, signal);
    } catch (error) {
      this.#forget(tenantId, tenant);
      throw error;
    }
    this.#moveBack(tenantId, tenant);
    try {
      return await task();
    } finally {
      tenant.running--;
      this.#freeSlots++;
      this.#forget(tenantId, tenant);
      this.#handOut();
    }
  }

  async #takeSlot(tenant: Tenant, signal: AbortSignal | undefined): Promise<void> {
    if (tenant.waiting.size >= this.#waitingLeft / 3) throw new SandboxError('busy', saturated);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      signal?.removeEventListener('abort', abandon);
      tenant.waiting.delete(start);
      this.#waitingLeft++;
    };
    const start = (): void => {
      leave();
      tenant.running++;
      this.#freeSlots--;
      resolve();
    };
    const abandon = (): void => {
      leave();
      reject(signal?.reason);
    };
    tenant.waiting.add(start);
    this.#waitingLeft--;
    signal?.addEventListener('abort', abandon, { once: true });
    this.#handOut();
    await promise;
  }

  #handOut(): void {
    while (this.#freeSlots > 0) {
      const next = this.#next();
      if (!next) return;
      const [start] = next.waiting;
      start!();
    }
  }

  /** The tenant whose task starts next; undefined where none may. */
  #next(): Tenant | undefined {
    const most = Math.max(1, this.#slots - 1);
    let first: Tenant | undefined;
    let firstRank = Number.POSITIVE_INFINITY;
    let deferred = 0;
    for (const [tenantId, { running }] of this.#tenants)
      if (running > 0 && this.#isDeferred(tenantId)) deferred += running;
    for (const [tenantId, tenant] of this.#tenants) {
      if (tenant.waiting.size === 0 || tenant.running >= most) continue;
      const isDeferred = this.#isDeferred(tenantId);
      if (isDeferred && deferred >= most) continue;
      const rank = tenant.running + (isDeferred ? this.#slots : 0);
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
