import { SandboxError } from './sandbox-error.ts';

/** For whom a task runs, and what ends its waiting and itself. */
export interface TaskScope {
  tenantId: string;
  signal?: AbortSignal | undefined;
}

export interface TaskQueueOptions {
  /** Tasks that run at a time. */
  slots: number;
  /** Tasks that may wait, all tenants together. */
  places: number;
}

interface Tenant {
  running: number;
  /** What lets a waiting task go on, the longest waiting first. */
  waiting: Set<() => void>;
}

/** One answer for whoever has to come again later. */
const saturated = 'too many files are being processed; try again later';

/**
 * Whose turn it is to use the slots of a lane. One tenant has all of them but one at most, whoever else is there or not:
 * a task cannot be stopped for one that comes later. A slot that comes free goes to the tenant with the fewest tasks
 * running, among equals by turns; within a tenant to the task that has waited longest. Deferred tenants come after all
 * others, and have all slots but one together.
 *
 * A tenant may have a third as many tasks waiting as there are places free: alone a quarter of them all, so that who
 * comes next finds room.
 */
export class TaskQueue {
  readonly #slots: number;
  readonly #isDeferred: (tenantId: string) => boolean;
  /** Who has been served longest ago stands first. */
  readonly #tenants = new Map<string, Tenant>();
  #freeSlots: number;
  #freePlaces: number;

  constructor({ slots, places }: TaskQueueOptions, isDeferred: (tenantId: string) => boolean = () => false) {
    this.#slots = slots;
    this.#freeSlots = slots;
    this.#freePlaces = places;
    this.#isDeferred = isDeferred;
  }

  /** Tasks that run and tasks that wait. */
  get counts(): { running: number; waiting: number } {
    let waiting = 0;
    for (const tenant of this.#tenants.values()) waiting += tenant.waiting.size;
    return { running: this.#slots - this.#freeSlots, waiting };
  }

  /**
   * Runs a task when it is its tenant's turn.
   * @throws {SandboxError} `busy` where too many wait; the signal's reason where it goes off while waiting
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
    if (tenant.waiting.size >= this.#freePlaces / 3) throw new SandboxError('busy', saturated);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = (): void => {
      signal?.removeEventListener('abort', abandon);
      tenant.waiting.delete(goOn);
      this.#freePlaces++;
    };
    const goOn = (): void => {
      leave();
      tenant.running++;
      this.#freeSlots--;
      resolve();
    };
    const abandon = (): void => {
      leave();
      reject(signal?.reason);
    };
    tenant.waiting.add(goOn);
    this.#freePlaces--;
    signal?.addEventListener('abort', abandon, { once: true });
    this.#handOut();
    await promise;
  }

  #handOut(): void {
    while (this.#freeSlots > 0) {
      const next = this.#next();
      if (!next) return;
      const [goOn] = next.waiting;
      goOn!();
    }
  }

  /** Of those who wait and may start, the first in line. */
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

/** Milliseconds for which a tenant is deferred after one of its files was too much: as long as any task may compute. */
const forMs = 60_000;
/** Milliseconds to which the times of several such tasks add up at most. */
const mostMs = 600_000;
/** Tenants that are remembered; who came longest ago is forgotten first. */
const mostTenants = 10_000;

/**
 * Tenants whose files were refused as too large of late, or ended for time or memory, or whose senders hung up after they had taken
 * time: they stand behind all others. Kept in memory, for this process: where several share the load each learns for itself.
 */
export class DeferredTenants {
  /** Until when, on the clock. */
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
   * One of the tenant's files was too much, or was given up by its sender.
   *
   * @param share of what the task may have, what it had: 1 or more counts as all of it
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
