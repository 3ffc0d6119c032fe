import { useT } from '../../i18n.tsx';
import styles from './inbox.module.css';
import type { Task } from './tasks.ts';

/**
 * The progress of a task as a text and a bar. Of a document, the confirmed segments; of a group of texts, only the
 * findings, because reviewed texts leave the group.
 */
export function Progress({ task }: { task: Task }) {
  const t = useT();
  const { critical, warnings } = task;
  const drafts = task.drafts ?? 0;
  const total = task.kind === 'document' ? task.segments : task.texts;
  const confirmed = task.kind === 'document' ? task.confirmed : 0;
  const parts = [
    ['confirmed', confirmed],
    // A draft of a text may also count as a warning.
    ['draft', task.kind === 'document' ? drafts : 0],
    ['warning', warnings],
    ['critical', critical],
  ] as const;
  return (
    <span className={styles.progress}>
      <span>
        {task.kind === 'document'
          ? t('inbox.confirmed_of', { confirmed, total })
          : t('inbox.to_review', { count: total })}
      </span>
      <span className={styles.bar} aria-hidden>
        {parts.map(
          ([status, count]) =>
            count > 0 && (
              <i key={status} data-status={status} style={{ inlineSize: `${(100 * count) / total}%` }} />
            ),
        )}
      </span>
    </span>
  );
}
