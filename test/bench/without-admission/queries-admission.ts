import type { Tx } from '#db/client.ts';
import { type Counted, insertJob, type NewJob } from '#server/translation/texts/insert-jobs.ts';

export * from '#server/translation/texts/insert-jobs.ts';

const nothingCounted = {
  monthlyLimit: 0,
  monthUsed: 0,
  windowUsed: 0,
  inFlight: 0,
  topUp: 0,
  trialUsed: 0,
  failedFor: null,
  tokensSpent: null,
  tokensExpected: null,
};

/** Inserts the job without counting anything. */
export async function admitJob(tx: Tx, job: NewJob): Promise<Counted[]> {
  const [admitted] = await insertJob(tx, job);
  return admitted ? [{ usage: nothingCounted, admitted }] : [];
}
