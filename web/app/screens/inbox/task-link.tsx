import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Task } from './tasks.ts';

/** A link that opens a task in the editor; a group of texts at its most severe text. */
export function TaskLink({
  task,
  className,
  children,
}: {
  task: Task;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <Link {...addressOf(task)} className={className}>
      {children}
    </Link>
  );
}

/** The screen of a task, for a link or a navigation. */
export function addressOf(task: Task) {
  if (task.kind === 'document')
    return { to: '/app/edit/documents/$documentId', params: { documentId: task.id } } as const;
  const { source_lang, target_lang, domain, submitter } = task.filter;
  return {
    to: '/app/edit/texts',
    search: { source: source_lang, target: target_lang, domain, submitter, item: task.first },
  } as const;
}
