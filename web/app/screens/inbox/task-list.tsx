import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useT } from '../../i18n.tsx';
import { useCommands } from '../../keys/use-commands.ts';
import { useFormat } from '../../parts/format.ts';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import styles from './inbox.module.css';
import { TaskRow } from './task-row.tsx';
import { keyOf, severities, type Task } from './tasks.ts';

const marks = { critical: 'critical', warning: 'warning', rule: 'todo' } as const satisfies Record<
  Task['severity'],
  Status
>;

/** The tasks in sections by severity. The keys of lists move the focus from task to task. */
export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  const t = useT();
  const { number } = useFormat();
  const list = useRef<HTMLDivElement>(null);
  useCommands({
    listDown: () => focusTask(list.current, 1),
    listUp: () => focusTask(list.current, -1),
  });
  if (tasks.length === 0)
    return (
      <p className={styles.noneFound}>
        {t('inbox.none_found')}{' '}
        <Link to="/app" className="button">
          {t('inbox.show_everything')}
        </Link>
      </p>
    );
  return (
    <div ref={list}>
      <Columns />
      {severities.map((severity) => {
        const own = tasks.filter((task) => task.severity === severity);
        if (own.length === 0) return null;
        const id = `tasks-${severity}`;
        return (
          <section key={severity} aria-labelledby={id}>
            <h2 id={id} className={styles.section}>
              <StatusMark status={marks[severity]} />
              {t(`inbox.section_${severity}`)} <b>{number(own.length)}</b>
            </h2>
            <ul className={styles.tasks}>
              {own.map((task) => (
                <TaskRow key={keyOf(task)} task={task} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** The names of the columns. Screen readers ignore them: each cell is a complete phrase. */
function Columns() {
  const t = useT();
  return (
    <div className={styles.columns} aria-hidden>
      <span />
      <span>{t('inbox.task')}</span>
      <span>{t('inbox.languages')}</span>
      <span>{t('inbox.confirmed')}</span>
      <span>{t('inbox.finding')}</span>
      <span>{t('inbox.waiting')}</span>
      <span>{t('inbox.holders')}</span>
    </div>
  );
}

/** Moves the focus to the next or previous task; without a focused task, to the first or last one. */
function focusTask(list: HTMLElement | null, step: 1 | -1): void {
  const links = [...(list?.querySelectorAll<HTMLElement>('li a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : -1) : Math.min(links.length - 1, Math.max(0, at + step));
  links.at(next)?.focus();
}
