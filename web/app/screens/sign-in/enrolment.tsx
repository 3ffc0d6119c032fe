import { useEffect, useState } from 'react';
import type { MfaEnrollment } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../kit/field.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Loading } from '../../parts/loading.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { cookieRequest } from '../../session/cookie-request.ts';
import { sameOriginRequest } from '../../session/sign-in-request.ts';
import style from './steps.module.css';
import type { SignInAnswer } from './steps.ts';

export type EnrolmentAnswer = Extract<SignInAnswer, { enrolled: true }>;

/**
 * Sets up an authenticator: shows the secret as a QR code and as text, and asks for the first code.
 * @param challengeId the challenge of a sign-in that requires the authenticator; without it, the session cookie
 * identifies the member
 */
export function Enrolment({
  challengeId,
  onEnrolled,
}: {
  challengeId?: string;
  onEnrolled(answer: EnrolmentAnswer): void;
}) {
  const t = useT();
  const begin = useAction();
  const confirm = useAction();
  const [enrolment, setEnrolment] = useState<MfaEnrollment>();
  const [code, setCode] = useState('');

  // During a sign-in with a challenge, there is no session yet that could be renewed.
  const request = challengeId === undefined ? cookieRequest : sameOriginRequest;

  const load = begin.run(async () => {
    const outcome = await request<MfaEnrollment>('/api/auth/mfa/enroll', { challenge_id: challengeId });
    if (!outcome.ok) throw outcome.error;
    setEnrolment(outcome.body);
  });
  // Only once: another request would replace a secret that may already be scanned.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => void load(), []);

  const send = confirm.run(async () => {
    setCode('');
    const body = { challenge_id: challengeId, mfa_code: code.trim() };
    const outcome = await request<EnrolmentAnswer>('/signin/mfa/confirm', body);
    if (!outcome.ok) throw outcome.error;
    onEnrolled(outcome.body);
  });

  if (begin.error !== undefined) return <Problem error={begin.error} retry={() => void load()} />;
  if (!enrolment) return <Loading lines={14} />;
  return (
    <form onSubmit={send}>
      <p>{t('signin.enrol_scan')}</p>
      <img
        className={style['qr']}
        src={enrolment.qr_code}
        alt={t('signin.enrol_qr')}
        width={200}
        height={200}
      />
      <p>
        {t('signin.enrol_secret')}{' '}
        <code className={style['secret']} translate="no" dir="ltr">
          {enrolment.secret.match(/.{1,4}/g)?.join(' ')}
        </code>
      </p>
      <CopyButton text={enrolment.secret} />
      {confirm.error !== undefined && <Problem error={confirm.error} />}
      <Field
        label={t('signin.enrol_code')}
        hint={t('signin.enrol_code_hint')}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        value={code}
        onValue={setCode}
      />
      <button type="submit" className="primary" aria-disabled={confirm.isBusy}>
        {t('signin.enrol_submit')}
      </button>
    </form>
  );
}
