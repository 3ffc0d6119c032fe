import { networkOf } from '#server/http/client-address.ts';

/** Memory of one process for clients that send or read slowly, shared among the clients' addresses. */
export interface MemoryBudget {
  /**
   * Starts a reservation of 0 bytes for an address.
   * @param breakOff aborts the request or response that holds the reservation; called after the reservation has been
   * released
   */
  reserve(address: string, breakOff: () => void): Reservation;
}

export interface Reservation {
  /** Reserves `bytes` more, if they are free or can be freed. Returns whether they were reserved. */
  tryGrow(bytes: number): boolean;
  /** Reserves `bytes` more even if they are not free. */
  grow(bytes: number): void;
  /**
   * Records that the client has read some of the response: from now on, other reservations of the client's address
   * are aborted before this one.
   */
  touch(): void;
  /** Prevents that the reservation is aborted, because its memory is in use. */
  pin(): void;
  /** Releases all bytes of the reservation. Further calls do nothing. */
  release(): void;
}

/** The share of the budget that one address may hold. */
const shareOfAddress = 1 / 4;

/** The reservations of one client: of one IPv4 address, or of one /56 network for IPv6. */
interface Holder {
  bytes: number;
  holdings: number;
  /** Reservations that can be aborted; the first one is aborted first. */
  breakable: Set<Reservation>;
}

/**
 * Creates a budget of `max` bytes. An address may hold at most a quarter of them. If a reservation does not fit, the
 * least recently touched reservation of an address that holds more is aborted. So an address that holds little always
 * gets memory, regardless of the number of addresses.
 */
export function createMemoryBudget(max: number): MemoryBudget {
  const holders = new Map<string, Holder>();
  /**
   * Holders with reservations that can be aborted, by the binary logarithm of their bytes. Scanning all holders would
   * take too long.
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

  /** Returns the holder with the most bytes, or one with at least half as many as that one. */
  function largest(): Holder | undefined {
    for (const holder of bySize.findLast(({ size }) => size > 0) ?? []) return holder;
    return undefined;
  }

  /**
   * Frees memory for `bytes` more of an address that would then hold `own` bytes in total. Returns whether there is
   * enough.
   */
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
        // Reservations of 0 bytes are not breakable: aborting one would free nothing.
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
