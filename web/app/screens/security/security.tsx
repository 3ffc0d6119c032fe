import { useT } from '../../i18n.tsx';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { OwnAuthenticator } from './own-authenticator.tsx';
import { Policy } from './policy.tsx';

/** `/app/security`: everybody's own authenticator, and for administrators who needs one. */
export function SecurityScreen() {
  const t = useT();
  const { data: me } = useMe();
  return (
    <>
      <title>{`${t('security.title')} · LinguaLoop`}</title>
      <h1>{t('security.title')}</h1>
      <OwnAuthenticator />
      {me && isAdministrator(me) && <Policy me={me} />}
    </>
  );
}
