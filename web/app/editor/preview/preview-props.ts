import type { TenantDocumentJob } from '#sdk/types.ts';

/** The file of a document to show: the source, or the latest translated one. */
export type Side = 'source' | 'target';

/** The properties of all previews. */
export interface PreviewProps {
  document: TenantDocumentJob;
  side: Side;
  /** The position of the segment to mark. */
  current: number | null;
  onOpen: (position: number) => void;
}
