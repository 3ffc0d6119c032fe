import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/** State of a connection: no request, a request whose body has not arrived completely, or only complete requests. */
type Stage = 'idle' | 'incoming' | 'whole';

/** The connections of one client address, or of one /56 for IPv6. Each set is ordered by time: the oldest entry is first. */
interface Holder {
  idle: Set<Slot>;
  incoming: Set<Slot>;
  whole: Set<Slot>;
}

interface Slot {
  socket: Socket;
  holder: Holder;
  stage: Stage;
  /** The newest request, until it is answered. */
  request?: IncomingMessage;
}

/** Holders with the same number of connections. Those in `busy` have only `whole` connections. */
interface Rank {
  closable: Set<Holder>;
  busy: Set<Holder>;
}

/** Connection slots of a server. The cost of each operation does not depend on the number of connections. */
export interface ConnectionSlots {
  /** Takes a slot for a new connection, closing another connection if all slots are in use. Returns whether it got one. */
  acquire(socket: Socket): boolean;
  /** The headers of a request have arrived. */
  requestStarted(socket: Socket, request: IncomingMessage): void;
  /** All requests of a connection have been answered. */
  becameIdle(socket: Socket): void;
  release(socket: Socket): void;
}

/**
 * Shares connection slots among client addresses. If all are in use, a connection of the address with the most
 * connections is closed: the longest idle one first, then the one with the oldest incomplete request. One whose
 * requests are complete is closed only if the new connection's address, with that connection, still has fewer.
 * Otherwise the longest idle connection of any address is closed.
 * @param byAddress false if the peers are proxies: all connections then count as one address's
 */
export function createConnectionSlots(most: number, byAddress: boolean): ConnectionSlots {
  const places = new Map<Socket, Slot>();
  const holders = new Map<string, Holder>();
  /** Indexed by a holder's number of connections; ends at the largest number in use. */
  const ranks: Rank[] = [{ closable: new Set(), busy: new Set() }];
  const idle = new Set<Slot>();

  const nameOf = (socket: Socket) => (byAddress ? networkOf(socket.remoteAddress ?? '') : '');
  const names = new WeakMap<Holder, string>();
  const sizeOf = ({ idle, incoming, whole }: Holder) => idle.size + incoming.size + whole.size;

  /** Changes a holder's connections and moves it to the matching rank. */
  function change(holder: Holder, what: () => void): void {
    const before = ranks[sizeOf(holder)];
    before?.closable.delete(holder);
    before?.busy.delete(holder);
    what();
    const size = sizeOf(holder);
    if (size === 0) holders.delete(names.get(holder) as string);
    else {
      const rank = ranks[size] ?? { closable: new Set(), busy: new Set() };
      ranks[size] = rank;
      (holder.whole.size < size ? rank.closable : rank.busy).add(holder);
    }
    for (let last = ranks.at(-1); ranks.length > 1 && isEmpty(last); last = ranks.at(-1)) ranks.pop();
  }

  function move(place: Slot, stage: Stage | undefined): void {
    const { holder } = place;
    change(holder, () => {
      holder[place.stage].delete(place);
      idle.delete(place);
      if (!stage) return;
      place.stage = stage;
      holder[stage].add(place);
      if (stage === 'idle') idle.add(place);
    });
  }

  /** The holder's next connection to close that has no complete request. */
  function closableOf(holder: Holder): Slot | undefined {
    for (const place of holder.idle) return place;
    for (const place of holder.incoming) {
      if (!place.request?.complete) return place;
      move(place, 'whole');
    }
    return undefined;
  }

  /** The connection to close for a new one whose address has `own` connections. */
  function toClose(own: number): Slot | undefined {
    const largest = ranks.length - 1;
    const { closable, busy } = ranks[largest] as Rank;
    for (const holder of closable) {
      const place = closableOf(holder);
      if (place) return place;
    }
    if (own + 1 < largest) for (const holder of busy) for (const place of holder.whole) return place;
    for (const place of idle) return place;
    return undefined;
  }

  function leave(socket: Socket): void {
    const place = places.get(socket);
    if (!place) return;
    places.delete(socket);
    move(place, undefined);
  }

  return {
    acquire(socket) {
      const name = nameOf(socket);
      if (places.size >= most) {
        const own = holders.get(name);
        const place = toClose(own ? sizeOf(own) : 0);
        if (!place) return false;
        leave(place.socket);
        // A normal close could look like the end of a response.
        if (place.stage === 'idle') place.socket.destroy();
        else place.socket.resetAndDestroy();
      }
      const holder = holders.get(name) ?? { idle: new Set(), incoming: new Set(), whole: new Set() };
      holders.set(name, holder);
      names.set(holder, name);
      const place: Slot = { socket, holder, stage: 'idle' };
      places.set(socket, place);
      change(holder, () => {
        holder.idle.add(place);
        idle.add(place);
      });
      return true;
    },
    requestStarted(socket, request) {
      const place = places.get(socket);
      if (!place) return;
      place.request = request;
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      move(place, encoding !== undefined || Number(length ?? 0) > 0 ? 'incoming' : 'whole');
    },
    becameIdle(socket) {
      const place = places.get(socket);
      if (!place) return;
      delete place.request;
      move(place, 'idle');
    },
    release: leave,
  };
}

function isEmpty(rank: Rank | undefined): boolean {
  return !rank || rank.closable.size + rank.busy.size === 0;
}
