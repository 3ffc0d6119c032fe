import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { members } from '#sdk/members.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Avatar } from '../../kit/avatar.tsx';
import { Fill, Row, Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Badge, Text } from '../../kit/text.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { MemberName, useMemberNames } from '../../parts/member-name.tsx';
import { More, usePages } from '../../parts/more.tsx';
import { Setting } from '../../parts/setting.tsx';
import { queryKeys } from '../../query-keys.ts';
import type { Me } from '../../session/use-me.ts';
import { AssignmentRules } from './assignment-rules.tsx';
import { Invites } from './invites.tsx';
import { type Member, roleName } from './member.ts';
import { MemberDialog } from './member-dialog.tsx';
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
      <Stack as="dl">
        {(['member', 'administrator'] as const).map((role) => (
          <div key={role}>
            <Text as="dt" weight="medium">
              {t(`members.${role}`)}
            </Text>
            <Text as="dd" size="sm" tone="soft">
              {t(`members.${role}_may`)}
            </Text>
          </div>
        ))}
      </Stack>
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
  const nameOf = ({ user_id: id, email }: Member) => (names(id) === id ? email : names(id));
  return (
    <DataTable
      rows={members}
      keyOf={({ user_id }) => user_id}
      columns={[
        {
          title: t('assignments.member'),
          isName: true,
          cell: (member) => (
            <Person member={member} name={nameOf(member)} isMe={member.user_id === me.user.user_id} />
          ),
        },
        { title: t('members.role'), cell: ({ role }) => roleName(role, t) },
        {
          title: t('members.authenticator'),
          cell: ({ totp_enrolled }) => t(totp_enrolled ? 'members.enrolled' : 'members.not_enrolled'),
        },
        { title: t('members.since'), cell: ({ created_at }) => format.day(created_at) },
      ]}
      actions={{
        title: t('members.actions'),
        cell: (member) => (
          <button type="button" className="small" onClick={() => onManage(member.user_id)}>
            {t('members.manage')}{' '}
            <bdi className="visually-hidden" translate="no">
              {nameOf(member)}
            </bdi>
          </button>
        ),
      }}
    />
  );
}

function Person({
  member: { user_id, email, active, provider },
  name,
  isMe,
}: {
  member: Member;
  name: string;
  isMe: boolean;
}) {
  const t = useT();
  return (
    <Row gap={3} isTight>
      <Avatar name={name} />
      <Fill>
        <MemberName email={email} id={user_id} /> {isMe && t('members.you')}{' '}
        {!active && <Badge tone="bad">{t('members.revoked')}</Badge>}
        {provider !== 'email' && (
          <span className="hint">
            {t('members.by')} <bdi translate="no">{provider}</bdi>
          </span>
        )}
      </Fill>
    </Row>
  );
}
