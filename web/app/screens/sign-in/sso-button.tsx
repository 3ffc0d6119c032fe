import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { leaveForProvider } from '../../session/sso.ts';
import style from './steps.module.css';

/** Redirects this window to the identity provider. */
export function SsoButton({
  tenantId,
  inviteToken,
  next,
}: {
  tenantId?: string;
  inviteToken?: string;
  next?: string | undefined;
}) {
  const t = useT();
  return (
    <ActionButton
      onRun={() => leaveForProvider({ tenantId, inviteToken }, next === undefined ? {} : { next })}
    >
      <KeyRound size={17} aria-hidden /> {t('signin.sso')}
    </ActionButton>
  );
}

/**
 * Like `SsoButton`, but in a new window, so that unsaved work in this window stays. The new window sends the tokens to
 * this one.
 */
export function SsoWindowButton({ tenantId }: { tenantId: string }) {
  const t = useT();
  const [isBlocked, setBlocked] = useState(false);
  const open = async () => {
    // The window is opened before any `await`, because browsers only allow it directly after a click.
    const opened = window.open('', '_blank');
    setBlocked(!opened);
    if (!opened) return;
    try {
      await leaveForProvider({ tenantId }, { isAgain: true }, opened);
    } catch (thrown) {
      opened.close();
      throw thrown;
    }
  };
  return (
    <>
      {isBlocked && <p role="alert">{t('signin.window_blocked')}</p>}
      <ActionButton className="primary" onRun={open}>
        <KeyRound size={17} aria-hidden /> {t('signin.sso')}
      </ActionButton>
      <p className="hint">{t('signin.sso_window')}</p>
    </>
  );
}

/** Separates single sign-on from the form above it. */
export function Or() {
  const t = useT();
  return <p className={style['or']}>{t('signin.or')}</p>;
}
