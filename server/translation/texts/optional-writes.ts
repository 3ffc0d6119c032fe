import type { Tx } from '#db/client.ts';
import { describeForLog } from '#server/errors.ts';
import type { Log } from '#server/platform/log.ts';

/** A write that a transaction makes if possible. If the write fails, the transaction runs again without it. */
export class OptionalWrite<T> {
  dropped = false;
  failed = false;
  /** The message to log if the write is omitted. */
  readonly warning: string;
  readonly #write: (tx: Tx) => Promise<T>;

  constructor(warning: string, write: (tx: Tx) => Promise<T>) {
    this.warning = warning;
    this.#write = write;
  }

  /** Sends the write; does nothing and returns undefined if the write is omitted. */
  async run(tx: Tx): Promise<T | undefined> {
    if (this.dropped) return undefined;
    try {
      return await this.#write(tx);
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

/**
 * Runs `transaction`. Each time one of its optional writes fails, runs it again without this write, until it succeeds.
 * Any other error is thrown: the transaction may have been committed although its COMMIT was not acknowledged.
 * @param writes in the order in which `transaction` sends them: if a statement fails, all later ones fail too, so the
 *   first failed write is the cause
 */
export async function retryWithout<T>(
  log: Log,
  writes: readonly (OptionalWrite<unknown> | undefined)[],
  transaction: () => Promise<T>,
): Promise<T> {
  for (;;) {
    for (const write of writes) if (write) write.failed = false;
    try {
      return await transaction();
    } catch (error) {
      const culprit = writes.find((write) => write?.failed);
      if (!culprit) throw error;
      culprit.dropped = true;
      log.warn({ error: describeForLog(error) }, culprit.warning);
    }
  }
}
