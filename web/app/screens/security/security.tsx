import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { PasswordField } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { Policy } from '../general/policy.tsx';
import styles from './exports.module.css';
import { Exports } from './exports.tsx';
import { OwnAuthenticator } from './own-authenticator.tsx';
import { Redaction } from './redaction.tsx';

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
                <Policy me={known} settings={['policy']} />
                <Redaction me={known} />
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

/** A session of the member. */
interface OwnSession {
  id: string;
  is_current: boolean;
  agent: string | null;
  network: string | null;
  signed_in_at: string;
  last_used_at: string;
}

/** The sessions of the member. Each session but this one can be ended. */
function OwnSessions() {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  const reading = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => ask<{ sessions: OwnSession[] }>('auth.sessions'),
  });
  const end = (id: string) =>
    run(async () => {
      try {
        await tell('auth.endSession', { session_id: id });
        announce(t('security.session_was_ended'));
      } finally {
        await queries.invalidateQueries({ queryKey: queryKeys.sessions });
      }
    });
  return (
    <Setting id="own-sessions" title={t('security.sessions')} why={t('security.sessions_why')}>
      {error !== undefined && <Problem error={error} />}
      <Read from={reading} lines={2}>
        {({ sessions }) => (
          <ul className={styles['list']}>
            {sessions.map(({ id, is_current, agent, network, signed_in_at, last_used_at }) => (
              <li key={id}>
                <span>
                  {agent === null ? t('security.session_unknown') : <bdi translate="no">{agent}</bdi>}{' '}
                  {network !== null && (
                    <bdi className="hint" translate="no">
                      {network}
                    </bdi>
                  )}
                </span>
                <span className="hint">
                  {t('security.session_since', { when: format.moment(signed_in_at) })}
                </span>
                <span className="hint">
                  {t('security.session_used', { when: format.moment(last_used_at) })}
                </span>
                {is_current ? (
                  <span className="badge">{t('security.session_this')}</span>
                ) : (
                  <button type="button" className="small" disabled={isBusy} onClick={end(id)}>
                    {t('security.session_end')}
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Read>
    </Setting>
  );
}
