import { useState } from 'react';
import { useT } from '../../i18n.tsx';
import { PasswordField } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { sameOriginRequest } from '../../session/sign-in-request.ts';
import { StepHeading } from './step-heading.tsx';

/** Sets a new password with a reset link. This ends all sessions of the member. */
export function NewPassword({ token, onSet, restart }: { token: string; onSet(): void; restart(): void }) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [password, setPassword] = useState('');
  const send = run(async () => {
    const outcome = await sameOriginRequest('/api/auth/password-reset', {
      reset_token: token,
      new_password: password,
    });
    if (!outcome.ok) throw outcome.error;
    onSet();
  });
  return (
    <form onSubmit={send}>
      <StepHeading>{t('signin.reset_title')}</StepHeading>
      <p>{t('signin.reset_why')}</p>
      {error !== undefined && <Problem error={error} />}
      <PasswordField
        label={t('signin.new_password')}
        hint={t('signin.password_hint')}
        problem={fieldProblem(error, 'new_password')}
        name="password"
        autoComplete="new-password"
        required
        minLength={12}
        autoFocus
        value={password}
        onValue={setPassword}
      />
      <button type="submit" className="primary" disabled={isBusy}>
        {t('signin.reset_submit')}
      </button>
      <button type="button" className="plain" onClick={restart}>
        {t('signin.to_sign_in')}
      </button>
    </form>
  );
}
