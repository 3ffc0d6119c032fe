import { type TriggerCode, triggerCodes } from './items.ts';

/** The parameters in the URL of `/app/review`. */
export interface ReviewSearch {
  /** The ID of the open job. */
  item?: string | undefined;
  source?: string | undefined;
  target?: string | undefined;
  trigger?: TriggerCode | undefined;
  /** Part of the source or the translation. */
  text?: string | undefined;
}

/** The filters of the queue. */
export type Filters = Omit<ReviewSearch, 'item'>;

/** Reads the URL. Invalid parameters are ignored, so that an old or mistyped URL still opens. */
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
