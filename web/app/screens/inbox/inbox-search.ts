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

const form = /^(view|show|languages|assignee)=./;

/** Reads the URL. The screen ignores unknown values, so that this file, a part of the first load, is small. */
export const readInboxSearch = (given: Record<string, unknown>): InboxSearch =>
  Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => typeof value === 'string' && form.test(`${name}=${value}`),
    ),
  );
