import type { SetRow } from './queries/sets.ts';
import type { TerminologySet } from './schema.ts';

export function setView(row: SetRow): TerminologySet {
  return {
    id: row.setId,
    name: row.name,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    entry_count: row.entryCount,
    embedding_model: row.embeddingModel,
    stub_embeddings: row.embeddingModel === null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
