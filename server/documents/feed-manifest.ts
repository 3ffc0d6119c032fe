import type { DocumentFeedManifest } from './schema.ts';

/** The manifest of a document that has fed nothing to the memory yet (B 2.7). */
export const emptyManifest: DocumentFeedManifest = {
  fed_pairs: [],
  skipped: {},
  golden_skipped_at_cap: 0,
  last_feed_error: null,
};
