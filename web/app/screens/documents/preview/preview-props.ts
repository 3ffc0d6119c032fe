import type { TenantDocumentJob } from '#sdk/types.ts';

/** Which of a document's files is shown: the one that was uploaded, or the newest translated one. */
export type Side = 'source' | 'target';

/** What every preview is given. */
export interface PreviewProps {
  document: TenantDocumentJob;
  side: Side;
  /** The position of the segment that is marked in the page. */
  current: number | null;
  onOpen: (position: number) => void;
}
