import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, errorBody } from '#server/errors.ts';
import { networkOf } from '#server/http/client-address.ts';
import { setRetryAfter } from '#server/http/response-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route sends the same Buffer to every client, so that a slow reader uses no additional memory. */
    shared?: boolean;
  }
}

/**
 * Maximum bytes of a response that is sent whole. A connection has few such responses at a time, because
 * `server/http/connections.ts` limits unanswered requests.
 */
const sentWhole = 65_536;

/** Limits for the responses of one process. Tests set smaller ones. */
export interface ResponseLimits {
  /** Total bytes of large responses that clients have not read yet, shared among the clients' addresses. */
  held: number;
  /** Maximum milliseconds from the start of a response to its end. For comparison: 60 MB at 1 Mbit/s take 500 s. */
  deadline: number;
  /**
   * Milliseconds after which a response that its client has stopped reading may be aborted in favor of another
   * response to the same address.
   */
  patience: number;
}

const ownBounds: ResponseLimits = { held: 400_000_000, deadline: 900_000, patience: 30_000 };

/** A large response that is being sent. */
interface UnreadResponse {
  address: string;
  bytes: number;
  began: number;
  /** When the client last read a piece. */
  taken: number;
  holding: Reservation;
  breakOff(): void;
}

/**
 * Limits the memory of large responses that clients have not read, in total and per client address. A large response
 * is sent in pieces, which shows whether the client reads it. If there is no memory for a new response, other
 * responses are aborted in this order:
 * 1. the least recently read response of an address that holds more memory
 * 2. the least recently read response of the same address, if it has not been read for `patience` milliseconds
 *
 * If neither exists, a new GET is rejected, because it can be repeated. The response to any other method is sent, and
 * the least recently read response of its address is aborted regardless of `patience`. Downloads that are generated
 * while they are sent use almost no memory and have separate limits.
 */
export function limitUnreadResponses(
  app: FastifyInstance,
  addressOf: (request: FastifyRequest) => string,
  bounds = ownBounds,
): void {
  const unread = new Set<UnreadResponse>();
  const held = createMemoryBudget(bounds.held);

  app.addHook('onSend', (request, reply, payload, done) => {
    const length = lengthOf(payload);
    // Check the socket, not the request: `request.raw` counts as destroyed as soon as its body has been read.
    if (length <= sentWhole || request.method === 'HEAD' || request.raw.socket.destroyed)
      return done(null, payload);
    const address = addressOf(request);
    const unreadResponse: UnreadResponse = {
      address,
      bytes: request.routeOptions.config?.shared ? 0 : length,
      began: Date.now(),
      taken: Date.now(),
      holding: held.reserve(address, () => unreadResponse.breakOff()),
      breakOff() {
        letGo(unreadResponse);
        // Reset the connection: to an HTTP/1.0 client, a normal close would look like the end of the response.
        request.raw.socket.resetAndDestroy();
      },
    };
    const mayRefuse = request.method === 'GET';
    if (!freeMemory(unreadResponse, mayRefuse ? bounds.patience : 0)) {
      if (mayRefuse) {
        unreadResponse.holding.release();
        return done(null, refuse(reply));
      }
      unreadResponse.holding.grow(unreadResponse.bytes);
    }
    unread.add(unreadResponse);
    reply.raw.once('close', () => letGo(unreadResponse));
    reply.header('content-length', length);
    done(null, inPieces(payload as string | Buffer, unreadResponse));
  });

  function letGo(unreadResponse: UnreadResponse): void {
    unread.delete(unreadResponse);
    unreadResponse.holding.release();
  }

  /**
   * Reserves memory for a response. If necessary, aborts responses to the same address that have not been read for
   * `patience` milliseconds. Returns whether the memory is reserved.
   */
  function freeMemory({ address, bytes, holding }: UnreadResponse, patience: number): boolean {
    while (bytes > 0 && !holding.tryGrow(bytes)) {
      const before = Date.now() - patience;
      const stillest = [...unread]
        .filter((other) => other.address === address && other.bytes > 0 && other.taken <= before)
        .sort((a, b) => a.taken - b.taken)[0];
      if (!stillest) return false;
      stillest.breakOff();
    }
    return true;
  }

  const watch = setInterval(() => {
    const before = Date.now() - bounds.deadline;
    for (const unreadResponse of unread) if (unreadResponse.began <= before) unreadResponse.breakOff();
  }, bounds.deadline / 60);
  watch.unref();
  app.addHook('onClose', async () => clearInterval(watch));
}

function lengthOf(payload: unknown): number {
  if (typeof payload === 'string')
    // A UTF-16 unit takes at most three bytes in UTF-8, so most texts need not be measured.
    return payload.length * 3 <= sentWhole ? payload.length : Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function inPieces(payload: string | Buffer, unreadResponse: UnreadResponse): Readable {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload;
  let sent = 0;
  return new Readable({
    highWaterMark: 1,
    read() {
      unreadResponse.taken = Date.now();
      unreadResponse.holding.touch();
      this.push(sent < bytes.length ? bytes.subarray(sent, sent + sentWhole) : null);
      sent += sentWhole;
    },
  });
}

function refuse(reply: FastifyReply): string {
  const error = new AppError(
    'transient_error',
    'too many large responses are still unread; try again later',
    {
      retryAfter: 5,
    },
  );
  for (const name of ['content-length', 'content-disposition', 'etag']) reply.removeHeader(name);
  // The route may have allowed caches to store its response; they must not store the error.
  reply.header('cache-control', 'no-store');
  setRetryAfter(reply, error);
  reply.code(error.status).header('content-type', 'application/json; charset=utf-8');
  return JSON.stringify(errorBody(error, reply.request.id));
}

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
