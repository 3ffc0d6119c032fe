import type { Tx } from '#db/client.ts';
import { describeForLog } from '#server/errors.ts';
import type { Log } from '#server/platform/log.ts';

/** A write that a transaction makes if possible. If it fails, the transaction runs again without it. */
export class OptionalWrite<T> {
  dropped = false;
  failed = false;
  /** Logged when the write is dropped. */
  readonly warning: string;
  readonly #write: (tx: Tx) => Promise<T>;

  constructor(warning: string, write: (tx: Tx) => Promise<T>) {
    this.warning = warning;
    this.#write = write;
  }

  /** Sends the write; undefined after it was dropped. */
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
 * Runs `transaction`, and again without the first of its optional writes that failed, until it succeeds. Any other error is
 * thrown: the transaction may have been committed although its COMMIT was not acknowledged.
 * @param writes in the order in which `transaction` sends them: statements after a failed one fail with it
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
