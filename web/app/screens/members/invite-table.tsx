import type { InviteRecord } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { StackedTable } from '../../parts/stacked-table.tsx';
import { roleName } from './member.ts';
import styles from './members.module.css';

/**
 * A table of invites.
 * @param links the links that are known, by invite ID
 * @param onAsk asks to withdraw a pending invite, or to replace its link
 */
export function InviteTable({
  invites,
  links,
  onAsk,
}: {
  invites: readonly InviteRecord[];
  links?: ReadonlyMap<string, string>;
  onAsk?: (question: { what: 'withdraw' | 'renew'; invite: InviteRecord }) => void;
}) {
  const t = useT();
  const format = useFormat();
  const { nameOf } = useLanguages();
  return (
    <StackedTable
      columns={[
        t('members.invite_for'),
        t('members.role'),
        t('members.status'),
        t('members.expires'),
        t('members.invited_by'),
      ]}
      actions={onAsk && t('members.actions')}
      className={styles['people']}
    >
      {invites.map((invite) => (
        <tr key={invite.invite_id}>
          <td data-label={t('members.invite_for')}>
            {invite.email === null ? t('members.anybody') : <bdi translate="no">{invite.email}</bdi>}
          </td>
          <td data-label={t('members.role')}>
            {roleName(invite.role, t)}
            {invite.languages && (
              <small className="hint">
                {invite.languages.map(({ target_lang }) => nameOf(target_lang)).join(', ')}
              </small>
            )}
          </td>
          <td data-label={t('members.status')}>
            <span className={`badge ${invite.status === 'pending' ? 'waits' : ''}`}>
              {t(`members.invite_${invite.status}`)}
            </span>
          </td>
          <td data-label={t('members.expires')}>{format.moment(invite.expires_at)}</td>
          <td data-label={t('members.invited_by')}>
            <bdi translate="no">{invite.created_by}</bdi>
          </td>
          {onAsk && (
            <td>
              <div className={styles['row']}>
                <Actions invite={invite} link={links?.get(invite.invite_id)} onAsk={onAsk} />
              </div>
            </td>
          )}
        </tr>
      ))}
    </StackedTable>
  );
}

function Actions({
  invite,
  link,
  onAsk,
}: {
  invite: InviteRecord;
  link: string | undefined;
  onAsk: (question: { what: 'withdraw' | 'renew'; invite: InviteRecord }) => void;
}) {
  const t = useT();
  const name = <bdi className="visually-hidden">{invite.email ?? t('members.anybody')}</bdi>;
  return (
    <>
      <button type="button" className="small" onClick={() => onAsk({ what: 'withdraw', invite })}>
        {t('members.withdraw')} {name}
      </button>
      {link ? (
        <CopyButton text={link} />
      ) : (
        <button type="button" className="small" onClick={() => onAsk({ what: 'renew', invite })}>
          {t('members.renew')} {name}
        </button>
      )}
    </>
  );
}
