import { useState } from 'react';
import { tell } from '../client.ts';
import { useT } from '../i18n.tsx';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { useMe } from '../session/use-me.ts';

/** Asks the member to confirm the own email address, if the service sends emails. */
export function ConfirmEmail() {
  const t = useT();
  const me = useMe();
  const { run, error, isBusy } = useAction();
  const [isSent, setSent] = useState<boolean>();
  const sendAgain = run(async () =>
    setSent((await tell<{ queued: boolean }>('mail.sendConfirmation', {})).queued),
  );
  if (me.data?.user.email_confirmed !== false) return null;
  return (
    <div className="notice" role="status">
      <p>{t('notifications.confirm', { email: me.data.user.email })}</p>
      {error !== undefined && <Problem error={error} />}
      {isSent === undefined ? (
        <button type="button" disabled={isBusy} onClick={sendAgain}>
          {t('notifications.send_again')}
        </button>
      ) : (
        <p>{t(isSent ? 'notifications.sent_again' : 'notifications.sent_too_often')}</p>
      )}
    </div>
  );
}
