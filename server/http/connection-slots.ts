import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/**
 * State of a connection: without a request, with a request whose body has not arrived completely, or with complete
 * requests only.
 */
type Stage = 'idle' | 'incoming' | 'whole';

/**
 * The connections of one client: of one IPv4 address, or of one /56 network for IPv6. Each set is ordered by time,
 * oldest first.
 */
interface Holder {
  address: string;
  idle: Set<Slot>;
  incoming: Set<Slot>;
  whole: Set<Slot>;
}

interface Slot {
  socket: Socket;
  holder: Holder;
  stage: Stage;
  /** The latest request, until its response is sent. */
  request?: IncomingMessage;
}

/** Holders with the same number of connections. In `busy` are the holders whose connections are all `whole`. */
interface Rank {
  closable: Set<Holder>;
  busy: Set<Holder>;
}

/** Connection slots of a server. Each operation takes the same time for any number of connections. */
interface ConnectionSlots {
  /**
   * Takes a slot for a new connection. If all slots are in use, closes another connection. Returns false if no slot
   * could be freed.
   */
  acquire(socket: Socket): boolean;
  /** Call it when the headers of a request have arrived. */
  requestStarted(socket: Socket, request: IncomingMessage): void;
  /** Call it when every request of a connection has its response. */
  becameIdle(socket: Socket): void;
  release(socket: Socket): void;
}

/**
 * Shares connection slots among client addresses. If all are in use, a connection of the address with the most
 * connections is closed: the longest idle one first, then the one with the oldest incomplete request. If all
 * connections of that address have complete requests, one of them is closed only if the new connection's address
 * would still have fewer connections. In all other cases, the longest idle connection of any address is closed.
 * @param byAddress false if the peers are proxies: all connections then count as connections of one address
 */
export function createConnectionSlots(max: number, byAddress: boolean): ConnectionSlots {
  const slots = new Map<Socket, Slot>();
  const idle = new Set<Slot>();
  const holders = rankHolders();
  const addressOf = (socket: Socket) => (byAddress ? networkOf(socket.remoteAddress ?? '') : '');

  function move(slot: Slot, stage: Stage | undefined): void {
    const { holder } = slot;
    holders.change(holder, () => {
      holder[slot.stage].delete(slot);
      idle.delete(slot);
      if (!stage) return;
      slot.stage = stage;
      holder[stage].add(slot);
      if (stage === 'idle') idle.add(slot);
    });
  }

  /**
   * Returns the holder's connection to close first: one that is idle, or that has an incomplete request. Undefined if
   * all its requests are complete.
   */
  function closableOf(holder: Holder): Slot | undefined {
    for (const slot of holder.idle) return slot;
    for (const slot of holder.incoming) {
      if (!slot.request?.complete) return slot;
      move(slot, 'whole');
    }
    return undefined;
  }

  /** Returns the connection to close for a new connection whose address already has `own` connections. */
  function toClose(own: number): Slot | undefined {
    const { size, closable, busy } = holders.largest();
    for (const holder of closable) {
      const slot = closableOf(holder);
      if (slot) return slot;
    }
    if (own + 1 < size) for (const holder of busy) for (const slot of holder.whole) return slot;
    for (const slot of idle) return slot;
    return undefined;
  }

  function leave(socket: Socket): void {
    const slot = slots.get(socket);
    if (!slot) return;
    slots.delete(socket);
    move(slot, undefined);
  }

  return {
    acquire(socket) {
      const address = addressOf(socket);
      if (slots.size >= max) {
        const own = holders.find(address);
        const slot = toClose(own ? sizeOf(own) : 0);
        if (!slot) return false;
        leave(slot.socket);
        // Only an idle connection is closed normally: a client could take a normal close for the end of a response.
        if (slot.stage === 'idle') slot.socket.destroy();
        else slot.socket.resetAndDestroy();
      }
      const holder = holders.findOrAdd(address);
      const slot: Slot = { socket, holder, stage: 'idle' };
      slots.set(socket, slot);
      move(slot, 'idle');
      return true;
    },
    requestStarted(socket, request) {
      const slot = slots.get(socket);
      if (!slot) return;
      slot.request = request;
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      move(slot, encoding !== undefined || Number(length ?? 0) > 0 ? 'incoming' : 'whole');
    },
    becameIdle(socket) {
      const slot = slots.get(socket);
      if (!slot) return;
      delete slot.request;
      move(slot, 'idle');
    },
    release: leave,
  };
}

/** Keeps the holders by address and by number of connections. A holder without connections is removed. */
function rankHolders() {
  const byAddress = new Map<string, Holder>();
  /** Indexed by number of connections. The last index is the largest number that a holder has. */
  const ranks: Rank[] = [{ closable: new Set(), busy: new Set() }];
  return {
    find: (address: string) => byAddress.get(address),

    findOrAdd(address: string): Holder {
      const found = byAddress.get(address);
      if (found) return found;
      const holder: Holder = { address, idle: new Set(), incoming: new Set(), whole: new Set() };
      byAddress.set(address, holder);
      return holder;
    },

    /** Changes a holder's connections and moves it to the matching rank. */
    change(holder: Holder, what: () => void): void {
      const before = ranks[sizeOf(holder)];
      before?.closable.delete(holder);
      before?.busy.delete(holder);
      what();
      const size = sizeOf(holder);
      if (size === 0) byAddress.delete(holder.address);
      else {
        const rank = ranks[size] ?? { closable: new Set(), busy: new Set() };
        ranks[size] = rank;
        (holder.whole.size < size ? rank.closable : rank.busy).add(holder);
      }
      for (let last = ranks.at(-1); ranks.length > 1 && isEmpty(last); last = ranks.at(-1)) ranks.pop();
    },

    /** The rank of the holders with the most connections. */
    largest: (): Rank & { size: number } => ({ size: ranks.length - 1, ...(ranks.at(-1) as Rank) }),
  };
}

function sizeOf({ idle, incoming, whole }: Holder): number {
  return idle.size + incoming.size + whole.size;
}

function isEmpty(rank: Rank | undefined): boolean {
  return !rank || rank.closable.size + rank.busy.size === 0;
}
