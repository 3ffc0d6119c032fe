import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { PasswordField } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { Read } from '../../parts/loading.tsx';
import { Setting } from '../../parts/setting.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { cookieRequest } from '../../session/cookie-request.ts';
import { proved } from '../../session/proof.ts';
import { leaveToLink, returnAddress } from '../../session/sso.ts';
import { isAdministrator, useMe } from '../../session/use-me.ts';
import { Policy } from '../general/policy.tsx';
import { Enrolment } from '../sign-in/enrolment.tsx';
import { RecoveryCodes } from '../sign-in/recovery-codes.tsx';
import { Exports } from './exports.tsx';
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
            {known.user.provider === 'email' && deployment.ssoProvider && (
              <OwnProvider provider={deployment.ssoProvider} />
            )}
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

/** Links the member's account at the identity provider, to sign in by it, too. */
function OwnProvider({ provider }: { provider: string }) {
  const t = useT();
  const link = async () => {
    const request = { provider, redirect_uri: returnAddress() };
    const { authorization_url } = await procedures.auth.linkSso.mutate(request);
    leaveToLink(authorization_url);
  };
  return (
    <Setting id="own-provider" title={t('signin.sso')} why={t('security.provider_why')}>
      <ActionButton onRun={() => proved(link)}>{t('security.provider_link')}</ActionButton>
    </Setting>
  );
}

/** Changes the member's own password. */
function OwnPassword() {
  const t = useT();
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = async () => {
    try {
      await procedures.auth.changePassword.mutate({ current_password: current, new_password: next });
    } finally {
      setCurrent('');
    }
    setNext('');
    announce(t('security.password_changed'));
    await queries.invalidateQueries({ queryKey: queryKeys.sessions });
  };
  return (
    <Setting id="own-password" title={t('security.password_title')} why={t('security.password_why')}>
      <Form action={t('security.password_change')} onSubmit={change}>
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
          name="new_password"
          autoComplete="new-password"
          required
          value={next}
          onValue={setNext}
        />
      </Form>
    </Setting>
  );
}

/** The sessions of the member. Each session but this one can be ended. */
function OwnSessions() {
  const t = useT();
  const format = useFormat();
  const queries = useQueryClient();
  const reading = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => procedures.auth.sessions.query(),
  });
  const end = async (id: string) => {
    try {
      await procedures.auth.endSession.mutate({ session_id: id });
      announce(t('security.session_was_ended'));
    } finally {
      await queries.invalidateQueries({ queryKey: queryKeys.sessions });
    }
  };
  return (
    <Setting id="own-sessions" title={t('security.sessions')} why={t('security.sessions_why')}>
      <Read from={reading} lines={2}>
        {({ sessions }) => (
          <ul className="rows">
            {sessions.map(({ id, is_current, agent, network, signed_in_at, last_used_at }) => (
              <li key={id}>
                <Row gap={4} align="baseline">
                  <Fill>
                    {agent === null ? t('security.session_unknown') : <bdi translate="no">{agent}</bdi>}{' '}
                    {network !== null && (
                      <bdi className="hint" translate="no">
                        {network}
                      </bdi>
                    )}
                  </Fill>
                  <span className="hint">
                    {t('security.session_since', { when: format.moment(signed_in_at) })}
                  </span>
                  <span className="hint">
                    {t('security.session_used', { when: format.moment(last_used_at) })}
                  </span>
                  {is_current ? (
                    <span className="badge">{t('security.session_this')}</span>
                  ) : (
                    <ActionButton className="small" onRun={() => end(id)}>
                      {t('security.session_end')}
                    </ActionButton>
                  )}
                </Row>
              </li>
            ))}
          </ul>
        )}
      </Read>
    </Setting>
  );
}

type Stage = { kind: 'rest' } | { kind: 'enrolling' } | { kind: 'codes'; codes: string[] };

/**
 * Sets up the member's authenticator, or creates new recovery codes. The service accepts only the session cookie for
 * both.
 */
function OwnAuthenticator() {
  const t = useT();
  const me = useMe();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ kind: 'rest' });
  const heading = useRef<HTMLHeadingElement>(null);

  /** The button that was clicked disappears with its step, so the heading gets the focus. */
  const go = (next: Stage) => {
    setStage(next);
    heading.current?.focus();
  };
  const renewCodes = async () => {
    const outcome = await cookieRequest<{ recovery_codes: string[] }>(
      '/api/auth/mfa/recovery/regenerate',
      {},
    );
    if (!outcome.ok) throw outcome.error;
    go({ kind: 'codes', codes: outcome.body.recovery_codes });
  };

  return (
    <Setting
      id="own-authenticator"
      title={t('signin.own_title')}
      why={t('security.own_why')}
      heading={heading}
    >
      {stage.kind === 'enrolling' && (
        <>
          <Enrolment
            onEnrolled={({ recovery_codes }) => {
              announce(t('signin.own_enrolled'));
              void queries.invalidateQueries({ queryKey: queryKeys.me });
              go({ kind: 'codes', codes: recovery_codes });
            }}
          />
          <button type="button" className="plain" onClick={() => go({ kind: 'rest' })}>
            {t('common.cancel')}
          </button>
        </>
      )}
      {stage.kind === 'codes' && <RecoveryCodes codes={stage.codes} onKept={() => go({ kind: 'rest' })} />}
      {stage.kind === 'rest' && (
        <Read from={me}>
          {({ user }) =>
            user.totp_enrolled ? (
              <>
                <p>{t('signin.own_on')}</p>
                <ActionButton onRun={renewCodes}>{t('signin.own_new_codes')}</ActionButton>
                <p className="hint">{t('signin.own_new_codes_why')}</p>
              </>
            ) : (
              <>
                <p>{t('signin.own_off')}</p>
                <button type="button" className="primary" onClick={() => go({ kind: 'enrolling' })}>
                  {t('signin.own_enrol')}
                </button>
              </>
            )
          }
        </Read>
      )}
    </Setting>
  );
}
