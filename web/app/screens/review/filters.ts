import { type TriggerCode, triggerCodes } from './items.ts';

/** The parameters in the URL of `/app/edit/texts`. */
export interface ReviewSearch {
  /** The ID of the open job. */
  item?: string | undefined;
  source?: string | undefined;
  target?: string | undefined;
  trigger?: TriggerCode | undefined;
  /** A text that the source or the translation contains. */
  text?: string | undefined;
}

/** The filters of the queue. */
export type Filters = Omit<ReviewSearch, 'item'>;

/** Reads the URL. Invalid parameters are ignored, so that a URL that is old or mistyped still opens the screen. */
export function readReviewSearch(search: Record<string, unknown>): ReviewSearch {
  const text = (name: string, longest: number) => {
    const value = search[name];
    return typeof value === 'string' && value.trim() !== '' ? value.slice(0, longest) : undefined;
  };
  const trigger = triggerCodes.find((code) => code === search['trigger']);
  return {
    ...dropEmpty({
      item: text('item', 64),
      source: text('source', 40),
      target: text('target', 40),
      text: text('text', 200),
    }),
    ...(trigger && { trigger }),
  };
}

function dropEmpty(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
