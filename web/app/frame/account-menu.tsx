import { ChevronsUpDown } from 'lucide-react';
import { lazy } from 'react';
import { useT } from '../i18n.tsx';
import { PopoverButton } from '../parts/popover-button.tsx';
import { useMe } from '../session/use-me.ts';
import { useSession } from '../session/use-session.ts';
import styles from './frame.module.css';

const AccountPopover = lazy(() => import('./account-popover.tsx'));

/** The signed-in member, and a popover with the theme, the language of the interface, security and sign-out. */
export function AccountMenu({ onSignOut }: { onSignOut: () => void }) {
  const t = useT();
  const me = useMe();
  const state = useSession();
  if (!('tokens' in state)) return null;
  const { email, user_id } = state.tokens.user;
  const name = email || user_id;
  return (
    <PopoverButton
      className={styles['account']}
      opens={{
        label: t('common.account'),
        placement: 'top start',
        className: styles['menu'],
        content: (close) => (
          <AccountPopover
            name={name}
            onClose={close}
            onSignOut={() => {
              close();
              onSignOut();
            }}
          />
        ),
      }}
    >
      <span className={styles['avatar']} translate="no" aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <span className={styles['person']}>
        <bdi translate="no">{name}</bdi>
        {me.data && (
          <small>
            <bdi translate="no">{me.data.tenant.name}</bdi>
          </small>
        )}
      </span>
      <span className="visually-hidden">{t('common.account')}</span>
      <ChevronsUpDown size={15} aria-hidden />
    </PopoverButton>
  );
}
