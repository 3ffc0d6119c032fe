import { useState } from 'react';
import type { MfaChallenge } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { signInRequest } from '../../session/sign-in-request.ts';
import { StepHeading } from './step-heading.tsx';
import type { SignInAnswer } from './steps.ts';

/** Asks for an authenticator code or a recovery code. */
export function CodeForm({
  challenge,
  onAnswer,
}: {
  challenge: MfaChallenge;
  onAnswer(answer: SignInAnswer): void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [code, setCode] = useState('');

  const verify = async () => {
    setCode('');
    const body = { challenge_id: challenge.challenge_id, mfa_code: code.trim() };
    const outcome = await signInRequest<SignInAnswer>('mfa/verify', body);
    if (!outcome.ok) throw outcome.error;
    onAnswer(outcome.body);
  };

  return (
    <form onSubmit={run(verify)}>
      <StepHeading>{t('signin.code_title')}</StepHeading>
      {error !== undefined && <Problem error={error} />}
      <Field
        label={t('signin.code')}
        hint={t('signin.code_hint')}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        required
        autoFocus
        value={code}
        onValue={setCode}
      />
      <button type="submit" className="primary" disabled={isBusy}>
        {t('signin.submit')}
      </button>
    </form>
  );
}
