import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

export interface Attempts {
  attempts: number;
  /** Until the window ends. */
  secondsLeft: number;
}

/**
 * Counts an attempt in its window, which begins with its first one; the same statement tells how it stands.
 * @param send how the statement leaves: `tx.last` where it is the transaction's only one
 */
export async function countAttempt(
  tx: Tx,
  bucket: string,
  subject: string,
  windowSeconds: number,
  send: <T>(statement: PromiseLike<T>) => PromiseLike<T> = (statement) => statement,
): Promise<Attempts> {
  const window = sql`now() + make_interval(secs => ${windowSeconds})`;
  const counted = tx.execute(sql`
    insert into rate_windows as w (bucket, subject, attempts, ends_at) values (${bucket}, ${subject}, 1, ${window})
    on conflict (bucket, subject) do update set
      attempts = case when w.ends_at <= now() then 1 else w.attempts + 1 end,
      ends_at = case when w.ends_at <= now() then ${window} else w.ends_at end
    returning attempts, extract(epoch from ends_at - now())::float8 as seconds_left`);
  const [row] = await send(counted);
  return { attempts: Number(row?.['attempts']), secondsLeft: Number(row?.['seconds_left']) };
}
