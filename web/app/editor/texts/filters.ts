import type { InputOf } from '#sdk/procedure-types.ts';
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
  /** The assignment that all of the texts have, as in a row of "My work". */
  assigned?: NonNullable<Extract<InputOf<'reviews.texts'>, object>['assigned']>;
}

/** The parameters in the URL of `/app/edit/texts`. */
export interface TextSearch extends TextFilter {
  /** The ID of the open text. */
  item?: string;
  status?: SegmentStatus;
}

/** Reads the URL. Invalid parameters are ignored, so that a URL that is old or mistyped still opens the screen. */
export function readTextSearch(search: Record<string, unknown>): TextSearch {
  const text = (name: string, longest: number, least = /\S/) => {
    const value = search[name];
    // The router parses a text such as 123 as a number.
    const read = typeof value === 'number' ? String(value) : value;
    return typeof read === 'string' && least.test(read) ? { [name]: read.slice(0, longest) } : {};
  };
  // A blank domain is a domain like others: without it, the list would have texts of other tasks.
  const textOrNull = (name: string, longest: number) =>
    search[name] === null ? { [name]: null } : text(name, longest, /^/);
  const assigned = assignmentOf(search['assigned']);
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
    ...(assigned && { assigned }),
    ...(trigger && { trigger }),
    ...(status && { status }),
  };
}

function assignmentOf(value: unknown): TextFilter['assigned'] | undefined {
  const isId = (one: unknown) => one === null || typeof one === 'string';
  const { step, assignee, second, due_at } = (value ?? {}) as NonNullable<TextFilter['assigned']>;
  const isStep = step === 'first' || step === 'second';
  return isStep && [assignee, second, due_at].every(isId) ? { step, assignee, second, due_at } : undefined;
}
