import type { OutputOf } from '#sdk/procedure-types.ts';
import type { InboxSearch } from './inbox-search.ts';

/** A document, or a group of texts, that awaits review. */
export type Task = OutputOf<'reviews.inbox'>['tasks'][number];
export type DocumentTask = Extract<Task, { kind: 'document' }>;

/** The severities of tasks, in the order of the sections. */
export const severities = ['critical', 'warning', 'rule'] as const satisfies readonly Task['severity'][];

/** Source and target language of a task. */
export function pairOf(task: Task): { source_lang: string; target_lang: string } {
  return task.kind === 'document' ? task : task.filter;
}

/** The languages of a task as a parameter of the URL: `en:fr-CA`. */
export function languagesOf(task: Task): string {
  const { source_lang, target_lang } = pairOf(task);
  return `${source_lang}:${target_lang}`;
}

/** Identifies a task among those of the inbox. */
export function keyOf(task: Task): string {
  return task.kind === 'document' ? task.id : JSON.stringify(Object.values(task.filter));
}

const filters: Readonly<Record<NonNullable<InboxSearch['show']>, (task: Task) => boolean>> = {
  // The member reviews it next, works on it, or has opened it before.
  mine: ({ is_assigned, is_claimed, is_opened }) => is_assigned || is_claimed || is_opened,
  unassigned: ({ unassigned }) => unassigned > 0,
  overdue: ({ due_at }) => due_at !== null && Date.parse(due_at) < Date.now(),
};

/** Whether a task passes the filter of the URL. */
export function matches(task: Task, { show, languages, assignee }: InboxSearch): boolean {
  if (languages !== undefined && languagesOf(task) !== languages) return false;
  if (assignee !== undefined && !task.assignees.includes(assignee)) return false;
  // The URL may contain any text.
  return show === undefined || !Object.hasOwn(filters, show) || filters[show](task);
}
