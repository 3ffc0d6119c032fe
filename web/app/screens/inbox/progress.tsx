import { useT } from '../../i18n.tsx';
import styles from './inbox.module.css';
import type { Task } from './tasks.ts';

/**
 * The progress of a task as a text, and of a document also as a bar. A group of texts has no bar, because reviewed texts
 * leave the group.
 */
export function Progress({ task }: { task: Task }) {
  const t = useT();
  if (task.kind === 'texts')
    return <span className={styles.progress}>{t('inbox.to_review', { count: task.texts })}</span>;
  const { confirmed, drafts, critical, segments } = task;
  const parts = [
    ['confirmed', confirmed],
    ['draft', drafts ?? 0],
    ['critical', critical],
  ] as const;
  return (
    <span className={styles.progress}>
      <span>
        <span className="visually-hidden">{t('inbox.confirmed')} </span>
        {t('inbox.confirmed_of', { confirmed, total: segments })}
      </span>
      <span className={styles.bar} aria-hidden>
        {parts.map(
          ([status, count]) =>
            count > 0 && (
              <i key={status} data-status={status} style={{ inlineSize: `${(100 * count) / segments}%` }} />
            ),
        )}
      </span>
    </span>
  );
}
