import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/** What a connection is at: nothing, a request whose body has not come whole yet, or requests that came whole. */
type Stage = 'idle' | 'incoming' | 'whole';

/** Who has connections: an address, or the /56 of an IPv6 one. In each stage the longest in it stands first. */
interface Holder {
  idle: Set<Slot>;
  incoming: Set<Slot>;
  whole: Set<Slot>;
}

interface Slot {
  socket: Socket;
  holder: Holder;
  stage: Stage;
  /** The newest request, while it is not answered. */
  request?: IncomingMessage;
}

/** Holders of one number of connections; `busy` are those of whom none is idle or incoming. */
interface Rank {
  closable: Set<Holder>;
  busy: Set<Holder>;
}

/** A server's places for connections. Each change costs the same, however many connections there are. */
export interface ConnectionSlots {
  /** Gives a new connection a place, at the cost of another one where all are taken; answers whether it has one. */
  acquire(socket: Socket): boolean;
  /** A request's head came on a connection. */
  requestStarted(socket: Socket, request: IncomingMessage): void;
  /** All requests of a connection are answered. */
  becameIdle(socket: Socket): void;
  release(socket: Socket): void;
}

/**
 * Shares places for connections among the clients' addresses. Where all are taken, one of the address that has most of them
 * is closed: an idle one first, then one whose request has not come whole, the longest so first. One that is being answered
 * is closed only for an address that has still fewer afterwards. If nothing else is left, the longest idle of all goes.
 * @param byAddress false where the peers are proxies: then all connections count as one address's
 */
export function createConnectionSlots(most: number, byAddress: boolean): ConnectionSlots {
  const places = new Map<Socket, Slot>();
  const holders = new Map<string, Holder>();
  /** By the number of a holder's connections; none beyond the largest. */
  const ranks: Rank[] = [{ closable: new Set(), busy: new Set() }];
  const idle = new Set<Slot>();

  const nameOf = (socket: Socket) => (byAddress ? networkOf(socket.remoteAddress ?? '') : '');
  const names = new WeakMap<Holder, string>();
  const sizeOf = ({ idle, incoming, whole }: Holder) => idle.size + incoming.size + whole.size;

  /** Changes a holder's connections, and puts it where its numbers then say. */
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

  /** The first of a holder's that may be closed before any that is being answered. */
  function closableOf(holder: Holder): Slot | undefined {
    for (const place of holder.idle) return place;
    for (const place of holder.incoming) {
      if (!place.request?.complete) return place;
      move(place, 'whole');
    }
    return undefined;
  }

  /** Whose place a newcomer may have whose address has `own` connections. */
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
        // An end might look like the end of an answer.
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
