import { setTimeout as wait } from 'node:timers/promises';
import type { GoldenFormat, LinguaLoop, TranslationJob } from '#sdk/index.ts';

/** A file to translate. */
export interface Source {
  name: string;
  content: Uint8Array;
  from: string;
  to: string;
  domain: string;
  idempotencyKey: string;
}

export interface HeldPage {
  id: string;
  /** From 1. */
  page: number;
  reasons: string[];
}

/**
 * The result of a translation: a text or file for each page, or the pages that are awaiting review, or the pages that
 * failed.
 */
export type Outcome =
  | { kind: 'done'; pages: (string | Uint8Array)[] }
  | { kind: 'held'; held: HeldPage[] }
  | { kind: 'failed'; message: string };

/**
 * Translates a file. If its idempotency key has been used before, returns the earlier result, which is not billed
 * again.
 * @param pollMs milliseconds between two polls for a page that an earlier, interrupted run has not completed
 */
export async function translate(
  client: LinguaLoop,
  source: Source,
  format: GoldenFormat,
  signal: AbortSignal,
  pollMs = 2_000,
): Promise<Outcome> {
  const { name, content, from, to, domain, idempotencyKey } = source;
  const submitted = await client.translations.createFromFile(
    { name, data: content },
    { source_lang: from, target_lang: to, ...(domain !== '' && { domain }) },
    { idempotencyKey, signal },
  );
  const jobs: TranslationJob[] = [];
  for (const job of submitted) jobs.push(await finished(client, job, signal, pollMs));

  const failed = jobs.find(({ status }) => !isPublished(status) && !isHeld(status));
  if (failed) {
    const reason = failed.agent_run.error;
    return { kind: 'failed', message: `job ${failed.id} is ${failed.status}${reason ? `: ${reason}` : ''}` };
  }
  const held = jobs.flatMap(({ id, status, agent_run }, index) =>
    isHeld(status) ? [{ id, page: index + 1, reasons: agent_run.quality_gate?.reasons ?? [] }] : [],
  );
  if (held.length > 0) return { kind: 'held', held };

  const pages: (string | Uint8Array)[] = [];
  for (const { id, final_translation } of jobs) {
    if (format === 'txt') pages.push(final_translation ?? '');
    else pages.push((await client.translations.golden(id, { format }, { signal })).bytes);
  }
  return { kind: 'done', pages };
}

async function finished(
  client: LinguaLoop,
  submitted: TranslationJob,
  signal: AbortSignal,
  pollMs: number,
): Promise<TranslationJob> {
  let job = submitted;
  // This loop ends: if the process of a job has died, the service marks the job as failed after some time.
  while (job.status === 'pending' || job.status === 'translated') {
    await wait(pollMs, undefined, { signal });
    job = await client.translations.get(job.id, { signal });
  }
  return job;
}

function isPublished(status: string): boolean {
  return status === 'published' || status === 'human_edited';
}

function isHeld(status: string): boolean {
  return status === 'awaiting_review' || status === 'refined' || status === 'approved';
}
