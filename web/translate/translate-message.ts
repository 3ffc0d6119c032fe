import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { LinguaLoop } from '#sdk/client.ts';
import type { TranslationJob } from '#sdk/types.ts';
import { languageOf } from '#web/server/locale.ts';
import type { Wanted } from './catalogs.ts';
import { readTranslation } from './message.ts';

/** The result for a message. */
export type Outcome =
  | { kind: 'translated'; translation: string }
  | { kind: 'held'; job: TranslationJob }
  | { kind: 'failed'; problem: string };

/**
 * The number of milliseconds between two polls for a job that an earlier run has started, and the maximum number of
 * polls.
 */
const wait = { between: 1000, looks: 60 };

/**
 * Translates a message. Its idempotency key depends only on the message and the language, so each run of this program
 * finds the same job again: a translation that awaited review is returned with the reviewer's text and is not billed
 * again. Messages are sent separately and not in a batch, because the keys of a batch contain an index: the next run,
 * with fewer messages, would be a different batch.
 * @throws LinguaLoopError; the reason of the signal if that is aborted
 */
export async function translateMessage(
  client: LinguaLoop,
  message: Wanted,
  signal: AbortSignal,
): Promise<Outcome> {
  let job = await client.translations.create(
    {
      source_text: message.sent,
      source_lang: 'en',
      target_lang: languageOf(message.locale),
      metadata: { interface_message: message.id },
    },
    { idempotencyKey: keyOf(message), signal },
  );
  for (let looks = 0; isUnderWay(job) && looks < wait.looks; looks++) {
    await delay(wait.between, undefined, { signal });
    job = await client.translations.get(job.id, { signal });
  }
  return outcomeOf(message, job);
}

function keyOf({ id, locale, sent }: Wanted): string {
  const identity = JSON.stringify([id, locale, sent]);
  return `interface-${createHash('sha256').update(identity).digest('hex')}`;
}

function isUnderWay({ status }: TranslationJob): boolean {
  return status === 'pending' || status === 'approved';
}

function outcomeOf({ sent }: Wanted, job: TranslationJob): Outcome {
  const { status, final_translation: translation } = job;
  if (status === 'awaiting_review' || status === 'refined') return { kind: 'held', job };
  if (status !== 'published' && status !== 'human_edited') return { kind: 'failed', problem: problemOf(job) };
  const read = readTranslation(sent, translation ?? '');
  if ('message' in read) return { kind: 'translated', translation: read.message };
  return { kind: 'failed', problem: `its translation cannot be used: ${read.problem}; write it by hand` };
}

function problemOf({ status, agent_run }: TranslationJob): string {
  if (status === 'rejected') {
    const notes = agent_run.human_review_task?.metadata['notes'];
    const why = typeof notes === 'string' && notes !== '' ? ` (${notes})` : '';
    return `its translation was rejected${why}; write it by hand, or change the English message`;
  }
  return `the job is ${status}${agent_run.error ? `: ${agent_run.error}` : ''}; run again`;
}
