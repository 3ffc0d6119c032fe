import type { ReactNode } from 'react';
import type { Assignment } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Avatar } from '../../kit/avatar.tsx';
import { Row } from '../../kit/box.tsx';
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
    <People names={[name]} isOpen={isOpen} isAssigned>
      {step === 'second' && assignee && (
        <small>{t('assignments.after', { name: isolated(shortName(assignee.name)) })}</small>
      )}
      {step === 'first' && second && (
        <small>{t('assignments.then', { name: isolated(shortName(second.name)) })}</small>
      )}
    </People>
  );
}

/** The members to whom texts of a group are assigned. */
function Assignees({ names }: { names: readonly string[] }) {
  const t = useT();
  return (
    <People names={names.slice(0, 1)} title={names.join(', ')} isAssigned>
      {names.length > 1 && ` ${t('inbox.and_others', { others: names.length - 1 })}`}
    </People>
  );
}

function Working({ task: { holders, is_claimed } }: { task: Task }) {
  const t = useT();
  const me = useMe();
  const nameOf = useMemberNames();
  const others = holders.map(nameOf);
  const own = me.data ? nameOf(me.data.user.user_id) : '';
  const names = [...(is_claimed ? [own] : []), ...others];
  if (names.length === 0) return <span className={styles.free}>{t('inbox.no_holder')}</span>;
  return (
    <People
      names={names.slice(0, 2)}
      title={others.join(', ')}
      phrase={is_claimed ? t('inbox.you', { others: holders.length }) : undefined}
    >
      {!is_claimed && holders.length > 1 && ` ${t('inbox.and_others', { others: holders.length - 1 })}`}
    </People>
  );
}

/** The discs of members, then the first one's name and more about them. @param phrase instead of the name */
function People({
  names,
  phrase,
  title,
  isAssigned,
  isOpen,
  children,
}: {
  names: readonly string[];
  phrase?: string | undefined;
  title?: string;
  isAssigned?: boolean;
  isOpen?: boolean;
  children: ReactNode;
}) {
  const t = useT();
  return (
    <Row as="span" isTight title={title}>
      <Row as="span" isTight gap={0}>
        {names.map((name) => (
          <Avatar key={name} name={name} isOpen={isOpen} />
        ))}
      </Row>
      <span className="excerpt short">
        {isAssigned && <span className="visually-hidden">{t('assignments.assigned_to')} </span>}
        {phrase ?? <bdi translate="no">{shortName(names[0])}</bdi>}
        {children}
      </span>
    </Row>
  );
}

/** The part of an email address before the domain: `translator@`. */
function shortName(name = ''): string {
  return name.replace(/(?<=.@).*$/, '');
}
