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

/** Reads the URL; invalid parameters are ignored. */
export function readInboxSearch({ view, show, languages, assignee }: Record<string, unknown>): InboxSearch {
  return {
    ...(/^(mine|all|members)$/.test(String(view)) && { view: view as InboxView }),
    ...(/^(mine|unassigned|overdue)$/.test(String(show)) && { show: show as 'mine' }),
    ...(typeof languages === 'string' && /^[\w-]{2,20}:[\w-]{2,20}$/.test(languages) && { languages }),
    ...(typeof assignee === 'string' && assignee.length <= 320 && { assignee }),
  };
}
