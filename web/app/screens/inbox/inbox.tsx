import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { useT } from '../../i18n.tsx';
import { keyLabel } from '../../keys/commands.ts';
import { useCommands } from '../../keys/use-commands.ts';
import { Read } from '../../parts/loading.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useInbox } from '../../parts/use-inbox.ts';
import { isVisitor } from '../../session/keeper.ts';
import { FirstSteps } from './first-steps.tsx';
import styles from './inbox.module.css';
import { Mentions } from './mentions.tsx';
import { TaskFilter } from './task-filter.tsx';
import { addressOf, TaskLink } from './task-link.tsx';
import { TaskList } from './task-list.tsx';
import { matches, type Task } from './tasks.ts';

/** Milliseconds between refreshes. */
const readAgain = 15_000;

/** `/app`: the tasks that await review, in sections by severity; without tasks, the first steps in a new workspace. */
export function InboxScreen() {
  const t = useT();
  const navigate = useNavigate();
  const search = useSearch({ from: '/workspace/app' });
  // A member who returns from a review must not see the reviewed task.
  const inbox = useInbox({ refetchInterval: readAgain, staleTime: 0 });
  const shown = inbox.data?.tasks.filter((task) => matches(task, search)) ?? [];
  const [next] = shown;
  useCommands(next ? { openNext: () => void navigate(addressOf(next)) } : {});
  return (
    <>
      <title>{`${t('common.home')} · LinguaLoop`}</title>
      <Head count={inbox.data?.tasks.length} next={next} />
      <Read from={inbox} lines={20}>
        {({ tasks, more }) =>
          tasks.length === 0 && !isVisitor() ? (
            <FirstSteps />
          ) : (
            <>
              <TaskFilter tasks={tasks} search={search} />
              <TaskList tasks={shown} />
              {(more.documents || more.texts) && <p className={styles.more}>{t('inbox.more')}</p>}
            </>
          )
        }
      </Read>
      {!isVisitor() && <Mentions />}
    </>
  );
}

/**
 * @param count the number of tasks; undefined until they are loaded
 * @param next the task that "Open next" opens
 */
function Head({ count, next }: { count: number | undefined; next: Task | undefined }) {
  const t = useT();
  return (
    <PageHead
      title={t('common.home')}
      aside={count !== undefined && count > 0 && <span className="badge">{t('inbox.tasks', { count })}</span>}
    >
      {!isVisitor() && (
        <Link
          to="/app/translate"
          search={{ kind: 'file' }}
          className={`button ${styles.upload} ${count === 0 ? 'primary' : ''}`}
        >
          <Upload size={16} aria-hidden />
          {t('inbox.upload')}
        </Link>
      )}
      {next && (
        <TaskLink task={next} className="button primary">
          {t('inbox.open_next')}
          <kbd aria-hidden>{keyLabel('g')}</kbd>
        </TaskLink>
      )}
    </PageHead>
  );
}
