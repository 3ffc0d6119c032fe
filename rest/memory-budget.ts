import { networkOf } from '#server/http/client-address.ts';

/** The memory of one process for clients that send or read slowly, shared among their addresses. */
export interface MemoryBudget {
  /**
   * Starts a reservation of 0 bytes for an address.
   * @param breakOff aborts the request or response that holds it; called after the reservation has been released
   */
  reserve(address: string, breakOff: () => void): Reservation;
}

export interface Reservation {
  /** Reserves `bytes` more if they are free. Returns whether they were. */
  tryGrow(bytes: number): boolean;
  /** Reserves `bytes` more even if they are not free. */
  grow(bytes: number): void;
  /** Records that the client has read some of it: other reservations of its address are then aborted first. */
  touch(): void;
  /** From now on it cannot be aborted, because it is in use. */
  pin(): void;
  /** Releases all of it. Further calls do nothing. */
  release(): void;
}

/** The share of the budget that one address may hold. */
const shareOfAddress = 1 / 4;

/** One client address, or one /56 for IPv6. */
interface Holder {
  bytes: number;
  holdings: number;
  /** Reservations that can be aborted, in the order in which they would be. */
  breakable: Set<Reservation>;
}

/**
 * An address may hold at most a quarter of `max`. If that much is not free, the least recently touched reservation of
 * an address that holds more is aborted. So an address that holds little always gets memory, however many addresses
 * share the budget.
 */
export function createMemoryBudget(max: number): MemoryBudget {
  const holders = new Map<string, Holder>();
  /**
   * Holders with reservations that can be aborted, by the binary logarithm of their bytes: scanning all of them would cost too much.
   */
  const bySize: Set<Holder>[] = Array.from({ length: 64 }, () => new Set());
  const breakers = new WeakMap<Reservation, () => void>();
  let total = 0;

  const sizeClass = ({ bytes }: Holder) => Math.floor(Math.log2(bytes + 1));

  function change(holder: Holder, bytes: number, what?: () => void): void {
    bySize[sizeClass(holder)]?.delete(holder);
    holder.bytes += bytes;
    total += bytes;
    what?.();
    if (holder.bytes > 0 && holder.breakable.size > 0) bySize[sizeClass(holder)]?.add(holder);
  }

  /** The holder with the most bytes, or one with at least half as many. */
  function largest(): Holder | undefined {
    for (const holder of bySize.findLast(({ size }) => size > 0) ?? []) return holder;
    return undefined;
  }

  /** Frees memory for `bytes` of an address that would then hold `own` bytes. */
  function freeMemory(own: number, bytes: number): boolean {
    while (total + bytes > max) {
      const holder = largest();
      if (!holder || holder.bytes <= own) return false;
      const [first] = holder.breakable as Set<Reservation>;
      first?.release();
      breakers.get(first as Reservation)?.();
    }
    return true;
  }

  return {
    reserve(address, breakOff) {
      const name = networkOf(address);
      const holder = holders.get(name) ?? { bytes: 0, holdings: 0, breakable: new Set() };
      holders.set(name, holder);
      holder.holdings += 1;
      let held = 0;
      let open = true;
      let kept = false;
      const force = (bytes: number) => {
        if (!open) return;
        held += bytes;
        // Aborting a reservation of 0 bytes would free nothing.
        change(holder, bytes, () => held > 0 && !kept && holder.breakable.add(holding));
      };
      const holding: Reservation = {
        grow: force,
        tryGrow(bytes) {
          const own = holder.bytes + bytes;
          if (!open || own > max * shareOfAddress || !freeMemory(own, bytes)) return false;
          force(bytes);
          return true;
        },
        touch() {
          if (holder.breakable.delete(holding)) holder.breakable.add(holding);
        },
        pin() {
          kept = true;
          change(holder, 0, () => holder.breakable.delete(holding));
        },
        release() {
          if (!open) return;
          open = false;
          change(holder, -held, () => holder.breakable.delete(holding));
          holder.holdings -= 1;
          if (holder.holdings === 0) holders.delete(name);
        },
      };
      breakers.set(holding, breakOff);
      return holding;
    },
  };
}
