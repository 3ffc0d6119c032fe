import { networkOf } from '#server/client-address.ts';

/** What one process holds in memory for clients that send or read slowly, shared among their addresses. */
export interface MemoryBudget {
  /**
   * Something of an address that is about to be held.
   * @param breakOff ends it; it is let go by then
   */
  reserve(address: string, breakOff: () => void): Reservation;
}

export interface Reservation {
  /** Holds `bytes` more, if there is room for them; answers whether there was. */
  tryGrow(bytes: number): boolean;
  /** Holds `bytes` more whether there is room or not. */
  grow(bytes: number): void;
  /** The client took some of it: others of its address are broken off before it. */
  touch(): void;
  /** It cannot be broken off any more: somebody works with it. */
  pin(): void;
  /** Lets go of all of it; once more does nothing. */
  release(): void;
}

/** What one address may hold of all. */
const shareOfAddress = 1 / 4;

/** An address, or the /56 of an IPv6 one. */
interface Holder {
  bytes: number;
  holdings: number;
  /** What of it can be broken off; what goes first stands first. */
  breakable: Set<Reservation>;
}

/**
 * An address may hold a quarter of `most`. Where that much is not free, something is broken off of an address that holds
 * more than this one would: so however many hold what there is, who holds little finds room.
 */
export function createMemoryBudget(most: number): MemoryBudget {
  const holders = new Map<string, Holder>();
  /** Those with something that can be broken off, by the binary logarithm of their bytes: a scan of all would cost too much. */
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

  /** One that holds most, or half as much at least. */
  function largest(): Holder | undefined {
    for (const holder of bySize.findLast(({ size }) => size > 0) ?? []) return holder;
    return undefined;
  }

  /** Makes room for `bytes` of an address that would hold `own` with them. */
  function makeRoom(own: number, bytes: number): boolean {
    while (total + bytes > most) {
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
        // What holds nothing yet would be broken off for nothing.
        change(holder, bytes, () => held > 0 && !kept && holder.breakable.add(holding));
      };
      const holding: Reservation = {
        grow: force,
        tryGrow(bytes) {
          const own = holder.bytes + bytes;
          if (!open || own > most * shareOfAddress || !makeRoom(own, bytes)) return false;
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
