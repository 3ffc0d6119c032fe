import type { Services } from '#server/context.ts';
import { addJob } from '#server/job-queue.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import {
  appendVectors,
  lockSetForVectors,
  selectSetsToEmbed,
  selectUnembedded,
} from './queries/embedding.ts';
import { blockOf, embedTexts } from './vectors/block.ts';

/** Blocks of one run; what is left is for the next. */
const mostBlocks = 200;

/** Adds jobs for the golden sets with pairs that have no vectors yet, where there is a model for them. */
export async function embedWaiting({ database, embedder }: Services): Promise<void> {
  if (!embedder) return;
  await database.inPlatform(async (tx) => {
    for (const { tenantId, setId } of await selectSetsToEmbed(tx, embedder.model)) {
      const job = `embed_memory:${setId}`;
      // In a queue of the set's own: a model that takes long must not be asked by a second worker for what the first is at.
      await addJob(tx, 'embed_memory', { tenantId, setId }, { key: job, queue: job });
    }
  });
}

/**
 * Makes the vectors that the pairs of a golden set lack, a block at a time: read and stored in two transactions, with the model
 * asked between them. A pair that was deleted meanwhile, or that another run was faster with, is left out.
 * @throws where the model does not answer, to be tried again
 */
export async function embedSet(
  { database, embedder }: Pick<Services, 'database' | 'embedder'>,
  tenantId: string,
  setId: string,
): Promise<void> {
  if (!embedder) return;
  const { model } = embedder;
  for (let block = 0; block < mostBlocks; block++) {
    const segments = await database.inTenant(tenantId, (tx) => selectUnembedded(tx, tenantId, setId, model));
    if (segments.length === 0) return;
    const texts = segments.map(({ sourceText }) => normalForm(sourceText));
    const vectors = await embedTexts(embedder, texts, { tenantId });
    await database.inTenant(tenantId, async (tx) => {
      const nos = segments.map(({ segmentNo }) => segmentNo);
      const set = await lockSetForVectors(tx, tenantId, setId, model, nos);
      if (!set || set.waiting.size === 0) return;
      const { content, waiting } = set;
      const kept = segments.flatMap(({ segmentNo }, at) => (waiting.has(segmentNo) ? [at] : []));
      const stored = blockOf(
        kept.map((at) => segments[at]!),
        kept.map((at) => vectors[at]!),
      );
      await appendVectors(tx, content, stored);
    });
  }
}
