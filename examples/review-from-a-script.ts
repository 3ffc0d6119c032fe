/**
 * Checks all jobs awaiting review, and approves those that your rule allows:
 *
 *   node examples/review-from-a-script.ts [--to fr] [--dry-run]
 *
 * In this example, the rule allows a job if the service's own checks find no issues in the proposed text, no glossary
 * term is missing, and the regulated domain is the only reason for the review. All other jobs stay open for a reviewer,
 * and their findings are printed. LINGUALOOP_URL and LINGUALOOP_API_KEY set the service and the credential.
 *
 * Exit codes: 0 all jobs checked, 1 the service rejected a request or stopped responding, 2 the program could not
 * begin.
 */
import { parseArgs } from 'node:util';
// In your own project: from '@lingualoop/sdk'.
import { ConflictError, LinguaLoop, LinguaLoopError, type TranslationJob } from '#sdk/index.ts';

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { to: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  });
  const { LINGUALOOP_URL: baseUrl, LINGUALOOP_API_KEY: apiKey } = process.env;
  if (!baseUrl || !apiKey) {
    console.error('LINGUALOOP_URL and LINGUALOOP_API_KEY must be set');
    return 2;
  }
  const client = new LinguaLoop({ baseUrl, apiKey });
  try {
    await reviewAll(client, values.to, values['dry-run']);
    return 0;
  } catch (error) {
    if (!(error instanceof LinguaLoopError)) throw error;
    console.error(error.message);
    return 1;
  }
}

async function reviewAll(client: LinguaLoop, to: string | undefined, dryRun: boolean): Promise<void> {
  const counts = { approved: 0, left: 0 };
  const waiting = client.translations.search({
    statuses: ['awaiting_review'],
    ...(to !== undefined && { target_lang: to }),
  });
  for await (const { id } of waiting) {
    const job = await client.translations.get(id);
    const doubts = await doubtsAbout(client, job);
    if (doubts.length > 0) {
      console.log(`${id} is left: ${doubts.join('; ')}`);
      counts.left += 1;
    } else if (dryRun || (await approve(client, job))) {
      console.log(`${id} ${dryRun ? 'would be ' : ''}approved`);
      counts.approved += 1;
    }
  }
  console.log(`${counts.approved} approved, ${counts.left} left to a person`);
}

/** Returns the reasons why a person has to review the job. If the list is empty, the rule allows approval. */
async function doubtsAbout(client: LinguaLoop, job: TranslationJob): Promise<string[]> {
  const text = job.final_translation ?? '';
  const { issues, missing_terms } = await client.translations.check({ job_id: job.id, text });
  const reasons = job.agent_run.quality_gate?.triggers.filter(({ code }) => code !== 'policy_required') ?? [];
  return [
    ...reasons.map(({ code }) => code),
    ...issues.map(({ explanation }) => explanation),
    ...missing_terms.map((term) => `the term ${term} is missing`),
  ];
}

/** Approves the version of the job that was checked, so that a later change by someone else is not overwritten. */
async function approve(client: LinguaLoop, { id, updated_at }: TranslationJob): Promise<boolean> {
  try {
    await client.translations.act({ job_id: id, action: 'approve', reviewer: 'a script', updated_at });
    return true;
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    console.log(`${id} was changed by someone else`);
    return false;
  }
}
