import type { Item } from '../markup/inline-runs.ts';

/** How a pair of tags is written. */
export type Markup = 'emphasis' | 'strong' | 'delete' | 'link' | 'other';

export interface MarkdownItem extends Item {
  markup?: Markup;
  /** The source of the tag, if it differs from the file when the text changes. */
  written?: string;
}
