import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs } from '#db/schema/documents.ts';
import type { TranslatedText } from '#server/translation/pipeline/group.ts';
import type { RunCost } from '#server/translation/pipeline/run.ts';
import { type DocumentRun, updateRun } from '../document-run.ts';
import { progressed } from '../waiting.ts';

/** The translations of a group, each with the positions of its segments, and the cost of the engine calls. */
interface TranslatedGroup {
  segments: (TranslatedText & { positions: readonly number[] })[];
  cost: RunCost;
}

/**
 * Stores the translated groups of one document, one transaction after another. Groups that are completed during a
 * transaction share the next one. Each transaction locks the job's row until its COMMIT is on disk, so concurrent
 * transactions would only wait for each other, and each would take a connection.
 */
export class TranslationStore {
  readonly #run: DocumentRun;
  #waiting: TranslatedGroup[] = [];
  /** The next transaction; it stores all groups that are queued when it begins. */
  #next: Promise<void> | undefined;
  #current: Promise<void> = Promise.resolve();

  constructor(run: DocumentRun) {
    this.#run = run;
  }

  /**
   * Queues a group and resolves when it is stored.
   * @throws RunReplaced
   */
  add(group: TranslatedGroup): Promise<void> {
    this.#waiting.push(group);
    this.#next ??= this.#current.then(() => this.#storeWaiting());
    return this.#next;
  }

  /** Resolves when all queued groups are stored, or could not be. */
  async settled(): Promise<void> {
    await this.#next?.catch(() => {});
    await this.#current;
  }

  #storeWaiting(): Promise<void> {
    const groups = this.#waiting;
    this.#waiting = [];
    this.#next = undefined;
    const { services, tenantId } = this.#run;
    const stored = services.database.inTenant(tenantId, (tx) => storeGroups(tx, this.#run, groups));
    // An error is not handled here: each caller of `add` gets the error of its transaction.
    this.#current = stored.catch(() => {});
    return stored;
  }
}

/**
 * Stores each translation in every segment with the same source, and the cost of the calls.
 * @throws RunReplaced
 */
async function storeGroups(tx: Tx, run: DocumentRun, groups: readonly TranslatedGroup[]): Promise<void> {
  const { tenantId, documentId } = run;
  const segments = groups.flatMap((group) => group.segments);
  const sumOf = (tokens: 'inputTokens' | 'outputTokens') =>
    groups.reduce((sum, { cost }) => sum + cost[tokens], 0);
  const models = [...new Set(groups.flatMap(({ cost }) => cost.models))];
  const rows = segments.flatMap(({ positions: [position, ...copies], ...segment }) => [
    {
      position,
      target: segment.target,
      target_text: segment.targetText,
      score: segment.score === null ? null : Math.round(segment.score),
      needs_review: segment.needsReview,
      issues: segment.issues,
      fast_path: segment.fastPath,
      provenance: segment.provenance,
    },
    ...copies.map((copy) => ({ position: copy, copy_of: position })),
  ]);
  await updateRun(tx, run, {
    ...progressed,
    inputTokens: sql`least(${documentJobs.inputTokens}::bigint + ${sumOf('inputTokens')}, 1000000000)::int`,
    outputTokens: sql`least(${documentJobs.outputTokens}::bigint + ${sumOf('outputTokens')}, 1000000000)::int`,
    models: sql`(select coalesce(jsonb_agg(distinct m), '[]') from jsonb_array_elements(
      ${documentJobs.models} || ${JSON.stringify(models)}::jsonb) m)`,
  });
  await tx.last(
    tx.execute(sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, copy_of int, target jsonb,
        target_text text, score int, needs_review boolean, issues jsonb, fast_path text, provenance jsonb)),
    -- The issues of the extraction, such as uncertain words, stay.
    translated as (
      update document_segments s set target = r.target, target_text = r.target_text, score = r.score,
        needs_review = s.needs_review or r.needs_review, issues = s.issues || r.issues, fast_path = r.fast_path,
        provenance = r.provenance
      from given at join given r on r.position = coalesce(at.copy_of, at.position)
      where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = at.position
        -- Without statistics the planner would read the whole document; an array becomes a condition of the index.
        and s.position = any(array(select position from given))
      returning 1)
    update document_jobs set translated_segments = translated_segments + (select count(*) from translated)
    where tenant_id = ${tenantId} and document_id = ${documentId}`),
  );
}
