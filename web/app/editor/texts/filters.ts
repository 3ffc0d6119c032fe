import { type TriggerCode, triggerCodes } from '../../parts/review-triggers.ts';
import type { SegmentStatus } from '../segment-filter.ts';
import { segmentStatuses } from '../segment-filter.ts';

/** The texts that the service is asked for. */
export interface TextFilter {
  source?: string;
  target?: string;
  trigger?: TriggerCode;
  /** A text that the source or the translation contains. */
  text?: string;
  /** Null: only texts without a domain. */
  domain?: string | null;
  /** Null: only texts without a submitter. */
  submitter?: string | null;
  /** The ID of the member who reviews the texts next. Null: only unassigned texts. */
  assignee?: string | null;
}

/** The parameters in the URL of `/app/edit/texts`. */
export interface TextSearch extends TextFilter {
  /** The ID of the open text. */
  item?: string;
  status?: SegmentStatus;
}

/** Reads the URL. Invalid parameters are ignored, so that a URL that is old or mistyped still opens the screen. */
export function readTextSearch(search: Record<string, unknown>): TextSearch {
  const text = (name: string, longest: number) => {
    const value = search[name];
    // The router parses a text such as 123 as a number.
    const read = typeof value === 'number' ? String(value) : value;
    return typeof read === 'string' && read.trim() !== '' ? { [name]: read.slice(0, longest) } : {};
  };
  const textOrNull = (name: string, longest: number) =>
    search[name] === null ? { [name]: null } : text(name, longest);
  const trigger = triggerCodes.find((code) => code === search['trigger']);
  const status = segmentStatuses.find((one) => one === search['status']);
  return {
    ...text('item', 64),
    ...text('source', 40),
    ...text('target', 40),
    ...text('text', 200),
    ...textOrNull('domain', 1000),
    ...textOrNull('submitter', 320),
    ...textOrNull('assignee', 100),
    ...(trigger && { trigger }),
    ...(status && { status }),
  };
}
