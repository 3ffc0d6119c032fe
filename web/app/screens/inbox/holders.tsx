import type { Assignment } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { isolated } from '../../parts/language-text.tsx';
import { useMemberNames } from '../../parts/member-name.tsx';
import { useMe } from '../../session/use-me.ts';
import styles from './inbox.module.css';
import type { Task } from './tasks.ts';

/** The member to whom a task is assigned; otherwise the members who work on it. */
export function Holders({ task, assignment }: { task: Task; assignment: Assignment | undefined }) {
  const holder = assignment?.step === 'second' ? assignment.second : assignment?.assignee;
  if (task.kind === 'texts' && task.assignees.length > 0) return <Assignees names={task.assignees} />;
  if (!assignment || !holder) return <Working task={task} />;
  return (
    <AssignedTo
      assignment={assignment}
      name={holder.name}
      isOpen={task.is_claimed || task.holders.length > 0}
    />
  );
}

/** @param isOpen whether a member has the item open */
function AssignedTo({
  assignment: { step, assignee, second },
  name,
  isOpen,
}: {
  assignment: Assignment;
  name: string;
  isOpen: boolean;
}) {
  const t = useT();
  return (
    <span className={styles.holders}>
      <span className={styles.avatar} translate="no" data-own data-open={isOpen || undefined} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <span>
        <span className="visually-hidden">{t('assignments.assigned_to')} </span>
        <bdi translate="no">{shortName(name)}</bdi>
        {step === 'second' && assignee && (
          <small>{t('assignments.after', { name: isolated(shortName(assignee.name)) })}</small>
        )}
        {step === 'first' && second && (
          <small>{t('assignments.then', { name: isolated(shortName(second.name)) })}</small>
        )}
      </span>
    </span>
  );
}

/** The members to whom texts of a group are assigned. */
function Assignees({ names }: { names: readonly string[] }) {
  const t = useT();
  return (
    <span className={styles.holders} title={names.join(', ')}>
      <span className={styles.avatar} translate="no" data-own aria-hidden>
        {[...(names[0] ?? '')][0]?.toUpperCase()}
      </span>
      <span>
        <span className="visually-hidden">{t('assignments.assigned_to')} </span>
        <bdi translate="no">{shortName(names[0])}</bdi>
        {names.length > 1 && ` ${t('inbox.and_others', { others: names.length - 1 })}`}
      </span>
    </span>
  );
}

function Working({ task: { holders, is_claimed } }: { task: Task }) {
  const t = useT();
  const me = useMe();
  const nameOf = useMemberNames();
  const others = holders.map(nameOf);
  const [first] = others;
  const own = me.data ? nameOf(me.data.user.user_id) : '';
  const names = [...(is_claimed ? [own] : []), ...others];
  if (names.length === 0)
    return (
      <span className={styles.holders} data-free>
        {t('inbox.no_holder')}
      </span>
    );
  return (
    <span className={styles.holders} title={others.join(', ')}>
      {names.slice(0, 2).map((name, index) => (
        <span
          key={name}
          className={styles.avatar}
          translate="no"
          data-own={(is_claimed && index === 0) || undefined}
          aria-hidden
        >
          {[...name][0]?.toUpperCase()}
        </span>
      ))}
      <span>
        {is_claimed ? (
          t('inbox.you', { others: holders.length })
        ) : (
          <>
            <bdi translate="no">{shortName(first)}</bdi>
            {holders.length > 1 && ` ${t('inbox.and_others', { others: holders.length - 1 })}`}
          </>
        )}
      </span>
    </span>
  );
}

/** The part of an email address before the domain: `translator@`. */
function shortName(name = ''): string {
  return name.replace(/(?<=.@).*$/, '');
}
