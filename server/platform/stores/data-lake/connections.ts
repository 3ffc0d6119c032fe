import { Agent, type Dispatcher } from 'undici';
import { rangeOf } from '../../outbound/address-range.ts';
import { checkedLookup, type Resolve } from '../../outbound/checked-lookup.ts';
import { StoreError } from '../store-error.ts';

/** Maximum connections to one account. Other requests wait; the wait counts as part of their timeout. */
const maxConnections = 64;
/** Milliseconds after which an unused connection is closed. */
const keptAlive = 30_000;
/** Timeout to connect, in milliseconds. */
const connectTimeout = 10_000;

/**
 * Ranges of addresses that are rejected for accounts. Private addresses are allowed, because accounts may have
 * private endpoints.
 */
const rejected = new Set(['loopback', 'link_local', 'reserved']);

function admit(host: string, addresses: string[]): void {
  for (const address of addresses) {
    const range = rangeOf(address);
    if (rejected.has(range))
      throw new StoreError(`${host} has a ${range} IP address, which is not allowed`, 'address_refused');
  }
}

/** Opens connections to accounts. Connections are kept alive; each checks the address of its host once. */
export function openConnections(resolve?: Resolve): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { lookup: checkedLookup(admit, resolve), timeout: connectTimeout },
  });
}

/** Opens connections to STORAGE_ENDPOINT_OVERRIDE. Any address is allowed. */
export function openOverrideConnections(): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { timeout: connectTimeout },
  });
}
