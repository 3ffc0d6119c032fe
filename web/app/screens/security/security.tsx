import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { PasswordField } from '../../parts/field.tsx';
import { Read } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { Exports } from './exports.tsx';
import { OwnAuthenticator } from './own-authenticator.tsx';
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

/** Changes the member's own password. */
function OwnPassword() {
  const t = useT();
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    try {
      await tell('auth.changePassword', { current_password: current, new_password: next });
    } finally {
      setCurrent('');
    }
    setNext('');
    announce(t('security.password_changed'));
    await queries.invalidateQueries({ queryKey: queryKeys.sessions });
  });
  const wrongNext = fieldProblem(error, 'new_password');
  return (
    <Setting id="own-password" title={t('security.password_title')} why={t('security.password_why')}>
      <form className="form" onSubmit={submit}>
        {error !== undefined && !wrongNext && <Problem error={error} />}
        <PasswordField
          label={t('security.password_current')}
          autoComplete="current-password"
          required
          value={current}
          onValue={setCurrent}
        />
        <PasswordField
          label={t('security.password_new')}
          hint={t('signin.password_hint')}
          problem={wrongNext}
          autoComplete="new-password"
          required
          value={next}
          onValue={setNext}
        />
        <button type="submit" className="primary" disabled={isBusy}>
          {t('security.password_change')}
        </button>
      </form>
    </Setting>
  );
}
