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
