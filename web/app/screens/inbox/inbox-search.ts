/* Separate from `tasks.ts`, because the router needs it before the first screen. */

/** The views of the inbox: own work, all of it, and by member for administrators. */
export type InboxView = 'mine' | 'all' | 'members';

/** The parameters in the URL of the inbox. */
export interface InboxSearch {
  view?: InboxView;
  show?: 'mine' | 'unassigned' | 'overdue';
  /** Source and target language, as in `languagesOf`. */
  languages?: string;
  /** The name of the member who reviews the task next. */
  assignee?: string;
}

const forms: Readonly<Record<string, RegExp>> = {
  view: /^(mine|all|members)$/,
  show: /^(mine|unassigned|overdue)$/,
  languages: /:/,
  assignee: /./,
};

/** Reads the URL; invalid parameters are ignored. */
export const readInboxSearch = (given: Record<string, unknown>): InboxSearch =>
  Object.fromEntries(
    // A name such as `constructor` is inherited, and no expression.
    Object.entries(given).filter(([name, value]) => typeof value === 'string' && forms[name]?.test?.(value)),
  );
