/** Starts work for a client address in its turn. */
export type TakeTurn = (address: string, work: () => void) => void;

/**
 * Returns a function that starts pieces of work in turns: in each iteration of the event loop one piece of each client address,
 * in the order in which they came. So many requests of one address, which may arrive in one packet, do not hold up
 * those of others.
 */
export function createTurns(): TakeTurn {
  /** The work of each address that has had its turn. */
  const queues = new Map<string, (() => void)[]>();
  const nextTurn = () => {
    for (const [address, queue] of queues) {
      const work = queue.shift();
      if (work) setImmediate(work);
      else queues.delete(address);
    }
    if (queues.size > 0) setImmediate(nextTurn);
  };
  return (address, work) => {
    const queue = queues.get(address);
    if (queue) return void queue.push(work);
    if (queues.size === 0) setImmediate(nextTurn);
    queues.set(address, []);
    setImmediate(work);
  };
}
