import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { members } from '#sdk/members.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { MemberName, useMemberNames } from '../../parts/member-name.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Setting } from '../../parts/setting.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
import { AssignmentRules } from './assignment-rules.tsx';
import { Invites } from './invites.tsx';
import { type Member, roleName } from './member.ts';
import { MemberDialog } from './member-dialog.tsx';
import styles from './members.module.css';
import { Reviewers } from './reviewers.tsx';

/** The number of members, and of invites, on one page of a list. */
const pageSize = 50;

/** `/app/settings/members`: the workspace's members, their roles, and its invites. */
export function MembersScreen() {
  return (
    <AdminsOnly title="members.title">
      {(me) => (
        <>
          <Roster me={me} />
          <Reviewers />
          <AssignmentRules />
          <Invites pageSize={pageSize} />
          <Roles />
        </>
      )}
    </AdminsOnly>
  );
}

function Roster({ me }: { me: Me }) {
  const t = useT();
  const navigate = useNavigate({ from: '/app/settings/members' });
  const { revoked = false } = useSearch({ from: '/workspace/app/settings/members' });
  const { reading, more } = usePages(queryKeys.members.list({ revoked }), (cursor) =>
    bound(members).listPage({ include_revoked: revoked, limit: pageSize, ...(cursor && { cursor }) }),
  );
  const [managed, setManaged] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const close = () => {
    setManaged(undefined);
    // The closed dialog returns the focus to the member's row. If the row is gone because the member was revoked, the
    // heading gets the focus.
    setTimeout(() => document.activeElement === document.body && heading.current?.focus());
  };
  return (
    <Setting id="roster" title={t('members.roster')} why={t('members.roster_why')} heading={heading} wide>
      <label className="check">
        <input
          type="checkbox"
          checked={revoked}
          onChange={({ target }) => void navigate({ search: target.checked ? { revoked: true } : {} })}
        />{' '}
        {t('members.show_revoked')}
      </label>
      <Read from={reading} lines={6}>
        {(members) => {
          const shown = members.find(({ user_id }) => user_id === managed);
          return (
            <>
              <MemberTable members={members} me={me} onManage={setManaged} />
              {shown && <MemberDialog member={shown} me={me} onClose={close} />}
            </>
          );
        }}
      </Read>
      <More of={more} />
    </Setting>
  );
}

/** The permissions of each role. */
function Roles() {
  const t = useT();
  return (
    <Setting id="roles" title={t('members.roles')}>
      <dl className={styles['roles']}>
        {(['member', 'administrator'] as const).map((role) => (
          <div key={role}>
            <dt>{t(`members.${role}`)}</dt>
            <dd>{t(`members.${role}_may`)}</dd>
          </div>
        ))}
      </dl>
    </Setting>
  );
}

function MemberTable({
  members,
  me,
  onManage,
}: {
  members: Member[];
  me: Me;
  onManage: (userId: string) => void;
}) {
  const t = useT();
  const format = useFormat();
  const names = useMemberNames();
  const nameOf = (id: string, email: string) => (names(id) === id ? email : names(id));
  return (
    <StackedTable
      columns={[t('assignments.member'), t('members.role'), t('members.authenticator'), t('members.since')]}
      actions={t('members.actions')}
      className={styles['people']}
    >
      {members.map(({ user_id, email, role, active, totp_enrolled, provider, created_at }) => (
        <tr key={user_id}>
          <th scope="row" className="plain-cell">
            <span className={styles['person']}>
              <i aria-hidden translate="no">
                {[...nameOf(user_id, email)][0]?.toUpperCase()}
              </i>
              <span>
                <MemberName email={email} id={user_id} /> {user_id === me.user.user_id && t('members.you')}{' '}
                {!active && <span className="badge bad">{t('members.revoked')}</span>}
                {provider !== 'email' && (
                  <span className="hint">
                    {t('members.by')} <bdi translate="no">{provider}</bdi>
                  </span>
                )}
              </span>
            </span>
          </th>
          <td data-label={t('members.role')}>{roleName(role, t)}</td>
          <td data-label={t('members.authenticator')}>
            {totp_enrolled ? t('members.enrolled') : t('members.not_enrolled')}
          </td>
          <td data-label={t('members.since')}>{format.day(created_at)}</td>
          <td>
            <button type="button" className="small" onClick={() => onManage(user_id)}>
              {t('members.manage')}{' '}
              <bdi className="visually-hidden" translate="no">
                {nameOf(user_id, email)}
              </bdi>
            </button>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}
