import { useState } from 'react';
import { deployment } from '../../deployment.ts';
import { useT } from '../../i18n.tsx';
import { Field, PasswordField } from '../../parts/field.tsx';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { signInRequest } from '../../session/sign-in-request.ts';
import style from './password-form.module.css';
import type { SignInAnswer } from './steps.ts';

/** Repeats the sign-in request for one workspace, after the member has selected it. */
export type ChooseWorkspace = (tenantId: string) => Promise<SignInAnswer>;

/**
 * Signs in with email and password.
 * @param email if set, the field for the email address has this value and is read-only
 * @param tenantId the workspace, if it is known
 */
export function PasswordForm({
  email,
  tenantId,
  onAnswer,
}: {
  email?: string | undefined;
  tenantId?: string | undefined;
  onAnswer(answer: SignInAnswer, choose: ChooseWorkspace): void;
}) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const [username, setUsername] = useState(email ?? '');
  const [password, setPassword] = useState('');
  const [isForgotten, setForgotten] = useState(false);

  const ask = async (workspace: string | undefined): Promise<SignInAnswer> => {
    const body = { grant_type: 'password', username, password, tenant_id: workspace };
    const outcome = await signInRequest<SignInAnswer>('token', body);
    if (!outcome.ok) throw outcome.error;
    return outcome.body;
  };

  return (
    <form onSubmit={run(async () => onAnswer(await ask(tenantId), ask))}>
      {error !== undefined && <Problem error={error} />}
      <Field
        label={t('signin.email')}
        problem={fieldProblem(error, 'username')}
        type="email"
        name="username"
        autoComplete="username"
        required
        readOnly={email !== undefined}
        value={username}
        onValue={setUsername}
      />
      <PasswordField
        label={t('signin.password')}
        problem={fieldProblem(error, 'password')}
        name="password"
        autoComplete="current-password"
        required
        autoFocus={email !== undefined}
        value={password}
        onValue={setPassword}
        aside={
          <button
            type="button"
            className={style['forgot']}
            aria-expanded={isForgotten}
            onClick={() => setForgotten(!isForgotten)}
          >
            {t('signin.forgot')}
          </button>
        }
      />
      {isForgotten && <ForgottenPassword />}
      <button type="submit" className="primary" disabled={isBusy}>
        {t('signin.submit')}
      </button>
    </form>
  );
}

/** What to do without the password. The service sends no email, so a person must create the link. */
function ForgottenPassword() {
  const t = useT();
  return (
    <div className="notice" role="status">
      <p>{t('signin.forgot_ask')}</p>
      <p>
        {t('signin.forgot_alone')} <a href={`${deployment.basePath}/contact`}>{t('signin.forgot_contact')}</a>
      </p>
    </div>
  );
}
