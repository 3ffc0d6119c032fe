import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { WorkspaceView } from '#sdk/operation-types.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { useFormat } from '../../parts/format.ts';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './operator.module.css';

/** The sessions to end: of one member, or of all. */
type Ending = { email: string } | 'all';

/** The members of a workspace with their active sessions, which an operator can end. */
export function WorkspaceSessions({ of }: { of: WorkspaceView }) {
  const t = useT();
  const { number } = useFormat();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<Ending>();
  const end = async () => {
    const whose = ending === 'all' || ending === undefined ? {} : { email: ending.email };
    const { sessions } = await procedures.operations.endSessions.mutate({ tenant_id: of.id, ...whose });
    announce(t('operator.sessions_ended', { count: sessions }));
    await queries.invalidateQueries({ queryKey: queryKeys.operator.workspace(of.id) });
  };
  const more = of.members_total - of.members.length;
  const isAnyActive = of.members.some(({ sessions }) => sessions > 0);
  return (
    <Setting
      id="sessions"
      title={t('operator.members')}
      why={t('operator.members_why')}
      wide
      action={
        isAnyActive && (
          <button type="button" className="danger" onClick={() => setEnding('all')}>
            {t('operator.end_all_sessions')}
          </button>
        )
      }
    >
      {of.members.length === 0 ? (
        <p>{t('operator.no_members')}</p>
      ) : (
        <Members members={of.members} onEnd={(email) => setEnding({ email })} />
      )}
      {more > 0 && (
        <p className="hint">{t('operator.members_more', { count: more, members: number(more) })}</p>
      )}
      {ending !== undefined && (
        <ConfirmDialog
          title={t(
            ending === 'all' ? 'operator.end_all_sessions_question' : 'operator.end_sessions_question',
          )}
          action={t(ending === 'all' ? 'operator.end_all_sessions' : 'operator.end_sessions')}
          onConfirm={end}
          onClose={() => setEnding(undefined)}
        >
          <p>
            <bdi translate="no">{ending === 'all' ? of.name : ending.email}</bdi>
          </p>
          <p>{t('operator.end_sessions_why')}</p>
        </ConfirmDialog>
      )}
    </Setting>
  );
}

function Members({ members, onEnd }: { members: WorkspaceView['members']; onEnd: (email: string) => void }) {
  const t = useT();
  const { number, moment } = useFormat();
  return (
    <StackedTable
      columns={[t('members.member'), t('operator.role'), t('operator.sessions'), t('operator.last_use')]}
      actions={t('operator.end_sessions')}
    >
      {members.map(({ user_id: id, email, role, active, sessions, last_used_at: used }) => (
        <tr key={id}>
          <th scope="row" className="plain-cell" id={`member-${id}`}>
            <bdi translate="no">{email}</bdi>{' '}
            {!active && <span className="badge bad">{t('operator.no_access')}</span>}
          </th>
          <td data-label={t('operator.role')}>
            {t(role === 'global_administrator' ? 'members.administrator' : 'members.member')}
          </td>
          <td data-label={t('operator.sessions')} className={styles['number']}>
            {number(sessions)}
          </td>
          <td data-label={t('operator.last_use')}>{used === null ? '–' : moment(used)}</td>
          <td className={styles['action']}>
            {sessions > 0 && (
              <button type="button" aria-describedby={`member-${id}`} onClick={() => onEnd(email)}>
                {t('operator.end_sessions')}
              </button>
            )}
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}
