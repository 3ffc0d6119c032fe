import type { InviteRecord } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Badge } from '../../kit/text.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { roleName } from './member.ts';

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
    <DataTable
      rows={invites}
      keyOf={({ invite_id }) => invite_id}
      columns={[
        {
          title: t('members.invite_for'),
          cell: ({ email }) => (email === null ? t('members.anybody') : <bdi translate="no">{email}</bdi>),
        },
        {
          title: t('members.role'),
          cell: ({ role, languages }) => (
            <>
              {roleName(role, t)}
              {languages && (
                <small className="hint">
                  {languages.map(({ target_lang }) => nameOf(target_lang)).join(', ')}
                </small>
              )}
            </>
          ),
        },
        {
          title: t('members.status'),
          cell: ({ status }) => (
            <Badge {...(status === 'pending' && { tone: 'waits' })}>{t(`members.invite_${status}`)}</Badge>
          ),
        },
        { title: t('members.expires'), cell: ({ expires_at }) => format.moment(expires_at) },
        {
          title: t('members.invited_by'),
          cell: ({ created_by }) => <bdi translate="no">{created_by}</bdi>,
        },
      ]}
      actions={
        onAsk && {
          title: t('members.actions'),
          cell: (invite) => (
            <Row gap={1} isTight>
              <Actions invite={invite} link={links?.get(invite.invite_id)} onAsk={onAsk} />
            </Row>
          ),
        }
      }
    />
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
