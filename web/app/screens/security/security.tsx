import { useT } from '../../i18n.tsx';
import { Read } from '../../parts/loading.tsx';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { Exports } from './exports.tsx';
import { OwnAuthenticator } from './own-authenticator.tsx';
import { OwnPassword } from './own-password.tsx';
import { OwnSessions } from './own-sessions.tsx';
import { Policy } from './policy.tsx';

/**
 * `/app/settings/security`: the authenticator, password and sessions of the member. Administrators also see the MFA policy and
 * the exports of the workspace.
 */
export function SecurityScreen() {
  const t = useT();
  const me = useMe();
  return (
    <>
      <title>{`${t('security.title')} · LinguaLoop`}</title>
      <h1>{t('security.title')}</h1>
      <OwnAuthenticator />
      <Read from={me}>
        {(known) => (
          <>
            {known.user.provider === 'email' && <OwnPassword />}
            <OwnSessions />
            {isAdministrator(known) && (
              <>
                <Policy me={known} />
                <Exports />
              </>
            )}
          </>
        )}
      </Read>
    </>
  );
}
