import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { IndexedMemory, IndexMemoryPayload } from '#server/sandbox/index.ts';
import { type Destination, insertRows } from '../queries/rows.ts';
import { rowParts } from './row-parts.ts';

/** Milliseconds and bytes that the largest index may take. */
const limits = { timeMs: 60_000, memoryBytes: 1_000_000_000 };

/** Builds a fuzzy index in a child process, when it is the tenant's turn. */
export function buildIndex(
  { sandbox, sandboxTurns }: Services,
  tenantId: string,
  payload: IndexMemoryPayload,
): Promise<IndexedMemory> {
  return sandboxTurns.run({ tenantId }, () => sandbox.run('index_memory', payload, limits));
}

/**
 * The same, answered as soon as the child process has begun: a transaction may then be opened that stands for as long as the
 * index takes, but not for as long as others take before it.
 */
export function beginIndex(
  { sandbox, sandboxTurns }: Services,
  tenantId: string,
  payload: IndexMemoryPayload,
): Promise<{ built: Promise<IndexedMemory> }> {
  return new Promise((resolve, reject) => {
    sandboxTurns
      .run({ tenantId }, () => {
        const built = sandbox.run('index_memory', payload, limits);
        resolve({ built });
        return built;
      })
      .catch(reject);
  });
}

export async function storeIndex(tx: Tx, to: Destination, index: IndexedMemory): Promise<void> {
  for (const rows of rowParts(index.shardRows, index.ends.shards)) await insertRows(tx, 'shards', to, rows);
  for (const rows of rowParts(index.postingRows, index.ends.postings))
    await insertRows(tx, 'postings', to, rows);
}
