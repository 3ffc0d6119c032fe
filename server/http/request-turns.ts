/** Starts work for a client address in its turn. */
export type TakeTurn = (address: string, work: () => void) => void;

/** Pieces of work of one address in a turn. */
const inOneTurn = 2;

/**
 * Returns a function that starts work in turns: in each iteration of the event loop, a few pieces of each client address at once, and
 * further ones in the next iterations, in the order in which they came. So many requests of one address, which may arrive
 * in one packet, do not hold up those of others.
 */
export function createTurns(): TakeTurn {
  /** The addresses with work in this turn: how much was started, and the rest, in order. */
  const turns = new Map<string, { started: number; queue: (() => void)[] }>();
  const nextTurn = () => {
    for (const [address, turn] of turns) {
      const works = turn.queue.splice(0, inOneTurn);
      turn.started = works.length;
      if (works.length === 0) turns.delete(address);
      for (const work of works) work();
    }
    if (turns.size > 0) setImmediate(nextTurn);
  };
  return (address, work) => {
    if (turns.size === 0) setImmediate(nextTurn);
    const turn = turns.get(address) ?? { started: 0, queue: [] };
    turns.set(address, turn);
    if (turn.queue.length > 0 || turn.started >= inOneTurn) return void turn.queue.push(work);
    turn.started += 1;
    work();
  };
}
