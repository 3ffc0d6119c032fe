import { Agent, type Dispatcher } from 'undici';
import { rangeOf } from '../../outbound/address-range.ts';
import { checkedLookup, type Resolve } from '../../outbound/checked-lookup.ts';
import { StoreError } from '../store-error.ts';

/** Connections to one account. Further requests wait, and the wait counts towards their time. */
const maxConnections = 64;
/** Milliseconds for which an unused connection is kept. */
const keptAlive = 30_000;
/** Milliseconds to connect. */
const connectTimeout = 10_000;

/** Addresses that no account may have. Private addresses are allowed for private endpoints. */
const rejected = new Set(['loopback', 'link_local', 'reserved']);

function admit(host: string, addresses: string[]): void {
  for (const address of addresses) {
    const range = rangeOf(address);
    if (rejected.has(range)) throw new StoreError(`${host} is at a ${range} address`, 'address_refused');
  }
}

/** Opens connections to accounts. They are kept alive: the address is checked once for each connection. */
export function openConnections(resolve?: Resolve): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { lookup: checkedLookup(admit, resolve), timeout: connectTimeout },
  });
}

/** Opens connections to STORAGE_ENDPOINT_OVERRIDE, which may be at any address. */
export function openOverrideConnections(): Dispatcher {
  return new Agent({
    allowH2: false,
    connections: maxConnections,
    keepAliveTimeout: keptAlive,
    connect: { timeout: connectTimeout },
  });
}
