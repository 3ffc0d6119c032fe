import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemberRole } from '#sdk/types.ts';
import { type MessageId, useT } from '../../i18n.tsx';
import { ConfirmDialog, Dialog } from '../../kit/dialog.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Problem } from '../../parts/problem.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useAction } from '../../parts/use-action.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { proved } from '../../session/proof.ts';
import type { Me } from '../../session/use-me.ts';
import { isAnonymized, type Member, type PasswordLink, roleName } from './member.ts';

/** Actions that need a confirmation. */
type Question = 'anonymize' | 'revoke' | 'reset_mfa';

/**
 * The actions that an administrator can take on a member.
 * @param onRevoked is called after the member has lost access or the personal data
 */
function useMemberActions({ user_id }: Member, me: Me, onRevoked: () => void) {
  const t = useT();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const [link, setLink] = useState<PasswordLink>();

  /**
   * Announces the result, and reloads the members. The signed-in member is reloaded, too, because administrators may
   * change their own role.
   */
  const done = async (what: MessageId) => {
    announce(t(what));
    await Promise.all([
      queries.invalidateQueries({ queryKey: queryKeys.members.all }),
      user_id === me.user.user_id && queries.invalidateQueries({ queryKey: queryKeys.me }),
    ]);
  };
  const confirmed: Record<Question, () => Promise<unknown>> = {
    async revoke() {
      await proved(() => procedures.members.revoke.mutate({ user_id }));
      await done('members.access_revoked');
      onRevoked();
    },
    async anonymize() {
      await proved(() => procedures.retention.anonymizeMember.mutate({ user_id }));
      await done('members.anonymizing');
      onRevoked();
    },
    async reset_mfa() {
      await proved(() => procedures.members.resetMfa.mutate({ user_id }));
      await done('members.mfa_was_reset');
    },
  };
  return {
    error,
    isBusy,
    /** The password reset link, after it was created. */
    link,
    confirmed,
    changeRole: (role: MemberRole) =>
      run(async () => {
        await proved(() => procedures.members.changeRole.mutate({ user_id, role }));
        await done('members.role_changed');
      }),
    restore: run(async () => {
      await proved(() => procedures.members.restore.mutate({ user_id }));
      await done('members.restored');
    }),
    issueLink: run(async () => {
      const issued = await proved(() => procedures.members.issueResetLink.mutate({ user_id }));
      setLink(issued);
      announce(t(issued.reset_url === null ? 'members.link_mailed' : 'members.link_issued'));
    }),
  };
}

/**
 * A dialog in which an administrator changes a member. If the service rejects a change, for example for the last
 * administrator, its message is shown.
 */
export function MemberDialog({ member, me, onClose }: { member: Member; me: Me; onClose: () => void }) {
  const t = useT();
  const { email, role, active, provider, totp_enrolled } = member;
  const { error, isBusy, link, confirmed, changeRole, restore, issueLink } = useMemberActions(
    member,
    me,
    onClose,
  );
  const [chosen, setChosen] = useState(role);
  const [question, setQuestion] = useState<Question>();
  return (
    <Dialog title={<bdi translate="no">{email}</bdi>} onClose={onClose} isBusy={isBusy}>
      {error ? <Problem error={error} /> : null}
      {isAnonymized(member) && <p>{t('members.anonymized')}</p>}
      {active && (
        <>
          <RoleChoice value={chosen} onChange={setChosen} />
          <button
            type="button"
            className="primary"
            disabled={isBusy || chosen === role}
            onClick={changeRole(chosen as MemberRole)}
          >
            {t('members.change_role')}
          </button>
          {role === administrator && chosen !== role && <p className="hint">{t('members.keys_stay')}</p>}
        </>
      )}
      {link && <ResetLink link={link} />}
      <div className="actions">
        {active && provider === 'email' && !link && (
          <button type="button" aria-disabled={isBusy} onClick={issueLink}>
            {t('members.reset_link')}
          </button>
        )}
        {totp_enrolled && (
          <button type="button" disabled={isBusy} onClick={() => setQuestion('reset_mfa')}>
            {t('members.reset_mfa')}
          </button>
        )}
        {active ? (
          <button type="button" className="danger" disabled={isBusy} onClick={() => setQuestion('revoke')}>
            {t('members.revoke')}
          </button>
        ) : (
          !isAnonymized(member) && (
            <>
              <button type="button" className="primary" aria-disabled={isBusy} onClick={restore}>
                {t('members.restore')}
              </button>
              <button
                type="button"
                className="danger"
                disabled={isBusy}
                onClick={() => setQuestion('anonymize')}
              >
                {t('members.anonymize')}
              </button>
            </>
          )
        )}
        <button type="button" disabled={isBusy} onClick={onClose}>
          {t('common.close')}
        </button>
      </div>
      {question && (
        <ConfirmDialog
          title={t(`members.${question}`)}
          action={t(`members.${question}`)}
          onConfirm={confirmed[question]}
          onClose={() => setQuestion(undefined)}
        >
          <p>
            <bdi translate="no">{email}</bdi>
          </p>
          <p>{t(`members.${question}_why`)}</p>
          {question === 'revoke' && role === administrator && <p>{t('members.keys_stay')}</p>}
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

/** The link, unless only the member gets it. */
function ResetLink({ link: { reset_url, expires_at, sent_to } }: { link: PasswordLink }) {
  const t = useT();
  const format = useFormat();
  return (
    <>
      {reset_url !== null && <ShownOnce label={t('members.reset_link_label')} value={reset_url} />}
      {sent_to !== undefined && <p>{t('members.link_sent_to', { email: sent_to })}</p>}
      <p className="hint">{t('members.link_until', { when: format.moment(expires_at) })}</p>
    </>
  );
}

const administrator = 'global_administrator';
const roles = ['agent_id_developer', administrator];

/**
 * A field to select a member's role; shows the permissions of each role. If the member has an unknown role, that role
 * can stay selected.
 */
export function RoleChoice({ value, onChange }: { value: string; onChange: (role: string) => void }) {
  const t = useT();
  return (
    <label>
      {t('members.role')}
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {[...new Set([...roles, value])].map((role) => (
          <option key={role} value={role}>
            {roleName(role, t)}
          </option>
        ))}
      </select>
      <span className="hint">{t('members.role_hint')}</span>
    </label>
  );
}
