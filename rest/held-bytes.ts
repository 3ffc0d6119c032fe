import { rateLimitSubject } from '#server/client-address.ts';

/** What one process holds in memory for clients that send or read slowly, shared among their addresses. */
export interface HeldBytes {
  /** Counts `bytes` more for an address, if there is room for it; answers whether there was. */
  take(address: string, bytes: number): boolean;
  /** Counts `bytes` more whether there is room or not. */
  force(address: string, bytes: number): void;
  /** Counts `bytes` of an address as let go. */
  give(address: string, bytes: number): void;
}

/**
 * An address may hold as much as lies free afterwards (dynamic thresholds, Choudhury and Hahne 1998): alone it comes to half
 * of `most`, two come to a third each, and however many there are, there is room for the next one. As in rate limits, the
 * /64 of an IPv6 address counts as one.
 */
export function createHeldBytes(most: number): HeldBytes {
  const held = new Map<string, number>();
  let total = 0;

  function add(subject: string, bytes: number): void {
    const now = (held.get(subject) ?? 0) + bytes;
    total += bytes;
    if (now === 0) held.delete(subject);
    else held.set(subject, now);
  }

  return {
    take(address, bytes) {
      const subject = rateLimitSubject(address);
      const free = most - total - bytes;
      if ((held.get(subject) ?? 0) + bytes > free) return false;
      add(subject, bytes);
      return true;
    },
    force: (address, bytes) => add(rateLimitSubject(address), bytes),
    give: (address, bytes) => add(rateLimitSubject(address), -bytes),
  };
}
