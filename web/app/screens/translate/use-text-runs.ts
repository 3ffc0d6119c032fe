import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TranslationRequest } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { queryKeys } from '../../query-keys.ts';
import { useSubmissionKeys } from '../../submission-keys.ts';
import type { TextRun } from './text-result.tsx';

/** Maximum number of translations that run at the same time. */
const maxConcurrent = 4;

/**
 * Translates one text into several languages. Each language has a separate job, so that a failure in one language does
 * not affect the others.
 */
export function useTextRuns() {
  const keys = useSubmissionKeys();
  const queries = useQueryClient();
  const [runs, setRuns] = useState<TextRun[]>([]);

  const change = (request: TranslationRequest, outcome: Omit<TextRun, 'request'>) =>
    setRuns((before) => before.map((run) => (run.request === request ? { request, ...outcome } : run)));

  /** Sends a request. If the same request is sent again after a failure, it has the same idempotency key. */
  const translate = async (request: TranslationRequest) => {
    change(request, {});
    try {
      const sending = client.translations.create(request, { idempotencyKey: keys.keyOf(request) });
      change(request, { job: await keys.settle(request, sending) });
    } catch (error) {
      change(request, { error });
    }
    void queries.invalidateQueries({ queryKey: queryKeys.jobs.all });
  };

  return {
    runs,
    isBusy: runs.some(({ job, error }) => !job && !error),
    translate,
    /** Replaces all runs by runs for these requests, and sends the requests. */
    async translateAll(requests: readonly TranslationRequest[]): Promise<void> {
      setRuns(requests.map((request) => ({ request })));
      const queue = [...requests];
      const worker = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) await translate(next);
      };
      await Promise.all(Array.from({ length: Math.min(maxConcurrent, requests.length) }, worker));
    },
  };
}
