import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Read } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Setting } from '../../parts/setting.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import { cookieRequest } from '../../session/cookie-request.ts';
import { useMe } from '../../session/use-me.ts';
import { Enrolment } from '../sign-in/enrolment.tsx';
import { RecoveryCodes } from '../sign-in/recovery-codes.tsx';

type Stage = { kind: 'rest' } | { kind: 'enrolling' } | { kind: 'codes'; codes: string[] };

/**
 * Sets up the member's authenticator, or creates new recovery codes. The service accepts only the session cookie for
 * both.
 */
export function OwnAuthenticator() {
  const t = useT();
  const me = useMe();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>({ kind: 'rest' });
  const heading = useRef<HTMLHeadingElement>(null);
  const { run, error, isBusy } = useAction();

  /** The button that was clicked disappears with its step, so the heading gets the focus. */
  const go = (next: Stage) => {
    setStage(next);
    heading.current?.focus();
  };
  const renewCodes = run(async () => {
    const outcome = await cookieRequest<{ recovery_codes: string[] }>(
      '/api/auth/mfa/recovery/regenerate',
      {},
    );
    if (!outcome.ok) throw outcome.error;
    go({ kind: 'codes', codes: outcome.body.recovery_codes });
  });

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
                {error !== undefined && <Problem error={error} />}
                <button type="button" disabled={isBusy} onClick={renewCodes}>
                  {t('signin.own_new_codes')}
                </button>
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
