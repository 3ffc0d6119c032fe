import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '#server/errors.ts';
import { networkOf } from './client-address.ts';

/** How long, in milliseconds, requests in progress may take once a drain has begun. */
const drainDeadline = 150_000;

/** Limits for the connections of one server. Tests set smaller ones. */
export interface ConnectionLimits {
  /** Requests of one connection that may await their response. Clients have no need to send many before the first response. */
  unanswered: number;
  /** How long, in milliseconds, a client may read nothing while data is ready for it. */
  maxStallMs: number;
  /** Total connections, shared among the clients' addresses. */
  connections: number;
}

const ownBounds: ConnectionLimits = { unanswered: 8, maxStallMs: 120_000, connections: 10_000 };

/** Requests beyond `unanswered` that are ignored, because one packet may carry several. A connection with more is reset. */
const maxRejected = 32;

/** Rejects a request beyond the limit, in the order of responses, and closes the connection. */
type RefuseRequest = (error: AppError, request: IncomingMessage, response: ServerResponse) => void;

interface Connection {
  unanswered: number;
  /** Bytes that the client had read at the last check, and the time since when that number has not changed. */
  taken: number;
  since: number;
}

/**
 * Tracks a server's connections. Limits the unanswered requests on each, resets connections whose clients stop reading,
 * and makes a drain wait for requests only. Node's own close waits indefinitely for a connection that has never sent a
 * request.
 * @param byAddress whether the peers of the connections are the clients themselves, not proxies
 */
export function trackConnections(
  server: Server,
  refuse: RefuseRequest,
  byAddress: boolean,
  bounds = ownBounds,
) {
  const connections = new Map<Socket, Connection>();
  const slots = createConnectionSlots(bounds.connections, byAddress);
  let draining = false;

  server.on('connection', (socket) => {
    if (!slots.acquire(socket)) return void socket.destroy();
    connections.set(socket, { unanswered: 0, taken: 0, since: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      slots.release(socket);
    });
  });

  // Runs before Fastify: Node parses all requests of a packet, up to a thousand, before it handles any response.
  const [handle] = server.listeners('request') as [(...of: [IncomingMessage, ServerResponse]) => void];
  server.removeListener('request', handle);
  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (!connection || socket.destroyed) return;
    if (connection.unanswered === 0) {
      connection.since = Date.now();
      // Nothing of this response has been sent yet.
      connection.taken = -1;
    }
    connection.unanswered += 1;
    slots.requestStarted(socket, request);
    response.once('close', () => {
      connection.unanswered -= 1;
      if (connection.unanswered > 0) return;
      slots.becameIdle(socket);
      if (draining) socket.destroySoon();
    });
    const past = connection.unanswered - bounds.unanswered;
    if (past <= 0) handle(request, response);
    else if (past === 1)
      refuse(
        new AppError(
          'too_many_requests',
          `more than ${bounds.unanswered} pending requests on a connection; wait for responses, or open another connection`,
        ),
        request,
        response,
      );
    else if (past > maxRejected) socket.resetAndDestroy();
  });

  const watch = setInterval(() => {
    const now = Date.now();
    for (const [socket, connection] of connections) {
      if (connection.unanswered === 0) continue;
      // Bytes written to the socket minus those still buffered in it.
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.since = now;
      } else if (now - connection.since >= bounds.maxStallMs)
        // Reset the connection: to an HTTP/1.0 client, such as a proxy, a normal close would look like the end of the response.
        socket.resetAndDestroy();
    }
  }, bounds.maxStallMs / 10);
  watch.unref();
  server.once('close', () => clearInterval(watch));

  return {
    /** Closes idle connections now, and all others after `drainDeadline`. */
    drain(): void {
      draining = true;
      for (const [socket, { unanswered }] of connections) if (unanswered === 0) socket.destroy();
      setTimeout(() => server.closeAllConnections(), drainDeadline).unref();
    },
  };
}

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
  /** The latest request, until its response is sent. */
  request?: IncomingMessage;
}

/** Holders with the same number of connections. Those in `busy` have only `whole` connections. */
interface Rank {
  closable: Set<Holder>;
  busy: Set<Holder>;
}

/** Connection slots of a server. The cost of each operation does not depend on the number of connections. */
interface ConnectionSlots {
  /** Takes a slot for a new connection, closing another connection if all slots are in use. Returns whether it got one. */
  acquire(socket: Socket): boolean;
  /** The headers of a request have arrived. */
  requestStarted(socket: Socket, request: IncomingMessage): void;
  /** All requests of a connection have their responses. */
  becameIdle(socket: Socket): void;
  release(socket: Socket): void;
}

/**
 * Shares connection slots among client addresses. If all are in use, a connection of the address with the most
 * connections is closed: the longest idle one first, then the one with the oldest incomplete request. One whose
 * requests are complete is closed only if the new connection's address would still have fewer. Otherwise the longest
 * idle connection of any address is closed.
 * @param byAddress false if the peers are proxies: all connections then count as one address's
 */
function createConnectionSlots(max: number, byAddress: boolean): ConnectionSlots {
  const slots = new Map<Socket, Slot>();
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

  function move(slot: Slot, stage: Stage | undefined): void {
    const { holder } = slot;
    change(holder, () => {
      holder[slot.stage].delete(slot);
      idle.delete(slot);
      if (!stage) return;
      slot.stage = stage;
      holder[stage].add(slot);
      if (stage === 'idle') idle.add(slot);
    });
  }

  /** The holder's next connection to close that has no complete request. */
  function closableOf(holder: Holder): Slot | undefined {
    for (const slot of holder.idle) return slot;
    for (const slot of holder.incoming) {
      if (!slot.request?.complete) return slot;
      move(slot, 'whole');
    }
    return undefined;
  }

  /** The connection to close for a new one whose address has `own` connections. */
  function toClose(own: number): Slot | undefined {
    const largest = ranks.length - 1;
    const { closable, busy } = ranks[largest] as Rank;
    for (const holder of closable) {
      const slot = closableOf(holder);
      if (slot) return slot;
    }
    if (own + 1 < largest) for (const holder of busy) for (const slot of holder.whole) return slot;
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
      const name = nameOf(socket);
      if (slots.size >= max) {
        const own = holders.get(name);
        const slot = toClose(own ? sizeOf(own) : 0);
        if (!slot) return false;
        leave(slot.socket);
        // A normal close could look like the end of a response.
        if (slot.stage === 'idle') slot.socket.destroy();
        else slot.socket.resetAndDestroy();
      }
      const holder = holders.get(name) ?? { idle: new Set(), incoming: new Set(), whole: new Set() };
      holders.set(name, holder);
      names.set(holder, name);
      const slot: Slot = { socket, holder, stage: 'idle' };
      slots.set(socket, slot);
      change(holder, () => {
        holder.idle.add(slot);
        idle.add(slot);
      });
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

function isEmpty(rank: Rank | undefined): boolean {
  return !rank || rank.closable.size + rank.busy.size === 0;
}
